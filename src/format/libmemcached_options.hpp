// libmemcached's configuration string, as given to memcached() or in a file of --CONFIGURE-FILE.
//
// Layer: format. Options in any case, with blanks or line ends between; a line that begins with # is a
// comment. What they do depends on their order:
//
//     --SERVER=HOST[:PORT][/?WEIGHT]      HOST: a name or an IPv4 address
//     --SOCKET="/PATH"[/?WEIGHT]
//     --DISTRIBUTION=CONSISTENT|MODULA|RANDOM[,HASH]     HASH here has no effect, as in libmemcached
//     --HASH=MD5|CRC|FNV1_64|FNV1A_64|FNV1_32|FNV1A_32|HSIEH|MURMUR|JENKINS
//     --NAMESPACE="TEXT"  --HASH-WITH-NAMESPACE  --SORT-HOSTS
//
// and the options on protocol, buffers and times that place no key, each with or without =NUMBER.
#pragma once

#include "format/importer.hpp"

namespace arcwise {

bool is_libmemcached_options(std::string_view text);
Result<Cluster> import_libmemcached(const Inputs& inputs);

}  // namespace arcwise
