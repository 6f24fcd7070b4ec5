// OpenStack Swift: ring files (FILE.ring.gz) and, beside them, swift.conf with what is hashed around a path.
//
// Layer: format. A ring of version 1 is `R1NG`, version (16 bits), length (32 bits, both big-endian), a JSON
// head, then one row of 16-bit device numbers a replica. Older rings and builder files are Python pickles,
// which run code when read: they are refused, never read.
#pragma once

#include "format/importer.hpp"

namespace arcwise {

bool is_swift_ring(std::string_view bytes);
bool is_swift_conf_line(std::string_view line);
/// The first ring is the map; further ones are compared with it.
Result<Cluster> import_swift(const Inputs& inputs);

}  // namespace arcwise
