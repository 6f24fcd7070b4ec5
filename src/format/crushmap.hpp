// Ceph: a CRUSH map in text and one replicated rule of it (--pool RULE), as a map of the recipe ceph.
//
// Layer: format. Read: jewel's tunables, straw2, `take B [class C]; chooseleaf firstn N type T; emit`, once
// or once a bucket that stands for a zone. Of the levels between the take and the devices the lowest is a
// node's host, the next its rack, the next its zone, whatever their types are called. The file does not say
// the pool's number, pg_num, size and override weights: findings say what was taken instead.
#pragma once

#include "format/importer.hpp"

namespace arcwise {

bool is_crushmap_line(std::string_view line);
Result<Cluster> import_crushmap(const Inputs& inputs);

}  // namespace arcwise
