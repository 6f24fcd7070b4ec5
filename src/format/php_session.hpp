// PHP's sessions in memcached: php.ini or the lines of it that say so.
//
// Layer: format. `session.save_path` is HOST[:PORT[:WEIGHT]] or /PATH, with commas between; the extension
// adds these servers first and sets `memcached.sess_consistent_hash` and
// `memcached.sess_consistent_hash_type` (ketama, the default, or ketama_weighted) after them. Keys are
// session ids: the prefix is not hashed. Other keys of the file are left alone.
#pragma once

#include "format/importer.hpp"

namespace arcwise {

bool is_php_session_line(std::string_view line);
Result<Cluster> import_php_session(const Inputs& inputs);

}  // namespace arcwise
