// What `identify` reads: lists of nodes, and keys with the nodes that served them.
#pragma once

#include <span>
#include <vector>

#include "arcwise/format.hpp"
#include "arcwise/identify.hpp"

namespace arcwise {

/// "a\tb" in double quotes as JSON has it; anything else as it stands.
std::string unquoted(std::string_view text);

/// Nodes with commas or newlines between: ADDRESS[:WEIGHT] [NAME]. "10.0.0.1:11211", "10.0.0.1:11211:2",
/// "[::1]:11211:2", "/tmp/a.sock:2", "cache-1", "10.0.0.1:11211:1 cache-1". The name is the address where
/// there is none. In files, `#` at the start of a line begins a comment.
Result<std::vector<Node>> parse_node_list(const Source& source);

/// KEY, a tab, NODE, one a line, as `arcwise locate` prints them: of several owners the first counts, and
/// what stands in double quotes is a JSON string. Any bytes but tab and newline otherwise. Nodes are named
/// by name, address, label, or host where that is unambiguous.
Result<std::vector<ObservedKey>> parse_samples(const Source& source, std::span<const Node> nodes);

}  // namespace arcwise
