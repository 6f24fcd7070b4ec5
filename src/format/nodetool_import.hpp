// What nodetool prints, as one cluster.
//
// Layer: format.
#pragma once

#include "format/importer.hpp"

namespace arcwise {

bool is_ring_line(std::string_view line);
bool is_status_line(std::string_view line);
bool is_describering_line(std::string_view line);
/// The most telling file is the map; the others stand beside it.
Result<Cluster> import_nodetool(const Inputs& inputs);

}  // namespace arcwise
