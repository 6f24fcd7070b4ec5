// mcrouter's hash functions: a key to an index of the list of servers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "place/methods.hpp"

namespace arcwise {

inline constexpr std::uint32_t furc_most_nodes = std::uint32_t{1} << 23;

/// Ch3. Adding a server at the end of the list moves keys to it alone. n <= furc_most_nodes.
std::uint32_t furc(std::string_view key, std::uint32_t n) noexcept;

/// WeightedCh3: furc of the key, and again with a number behind the key where a second hash is not below the
/// server's weight (0 to 1); after 32 tries the last one.
std::uint32_t weighted_ch3(std::string_view key, std::span<const double> weights) noexcept;

/// WeightedCh4 (weightedFurcHash): as weighted_ch3, but with the next bits of the key's own stream.
std::uint32_t weighted_furc(std::string_view key, std::span<const double> weights) noexcept;

std::unique_ptr<const Chooser> mcrouter_ch3(const ClusterMap& map);
std::unique_ptr<const Chooser> mcrouter_weighted_ch3(const ClusterMap& map);
std::unique_ptr<const Chooser> mcrouter_weighted_ch4(const ClusterMap& map);
/// Crc32: the remainder of the hash is the index.
void mcrouter_crc32_slots(const ClusterMap& map, std::vector<NodeIndex>& owner_of_slot);
/// Rendezvous and WeightedRendezvous: labels are the `tags`.
std::unique_ptr<const Chooser> mcrouter_rendezvous(const ClusterMap& map);
std::unique_ptr<const Chooser> mcrouter_weighted_rendezvous(const ClusterMap& map);

}  // namespace arcwise
