// The output of Cassandra's generatetokens: a ring that is to be.
//
// Layer: format. Nodes are called node0, node1, …, their racks rack0, rack1, … as the tool numbers them.
#pragma once

#include "format/importer.hpp"

namespace arcwise {

bool is_generatetokens_line(std::string_view line);
Result<Cluster> import_generatetokens(const Inputs& inputs);

}  // namespace arcwise
