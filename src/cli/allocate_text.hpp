// What `allocate` answers, for people and for programs.
#pragma once

#include <string>

#include "arcwise/allocate.hpp"
#include "cli/repair_text.hpp"
#include "format/json_text.hpp"

namespace arcwise::cli {

struct AllocationTitle {
  std::string cluster, node, rack, algorithm;
};

std::string allocation_text(const AllocationTitle& title, const Allocation& allocation,
                            const Repairs& repairs, bool colour);
Json allocation_json(const AllocationTitle& title, const Allocation& allocation);

std::string doubling_text(const std::string& cluster, const Doubling& doubling, const Repairs& repairs,
                          bool colour);
Json doubling_json(const Doubling& doubling);

/// In the words of Cassandra's generatetokens, which importers read.
std::string offline_text(const ClusterMap& map, std::uint32_t tokens);
Json offline_json(const ClusterMap& map, const Balance& balance);

/// The lines for cassandra.yaml.
std::string token_lines(const TokenSpace& space, const std::vector<Token>& tokens);
/// Tokens that are there already and move.
std::string shifts_text(const Allocation& allocation);
Json shifts_json(const Allocation& allocation);
/// "largest 1.02× its target, smallest 0.98×".
std::string balance_line(const Balance& balance);

}  // namespace arcwise::cli
