#include "study/lint_text.hpp"

#include <algorithm>

#include "study/rack_text.hpp"

namespace arcwise {

std::string percent_text(Share share) {
  constexpr std::uint64_t per_percent = 10'000;
  const u128 scaled =
      u128{static_cast<std::uint64_t>(std::max<std::int64_t>(0, share.units))} * (100 * per_percent);
  const auto parts = static_cast<std::uint64_t>((scaled + Share::one / 2) / Share::one);
  if (parts == 0) return share.units > 0 ? "<0.0001 %" : "0 %";
  std::string text = std::to_string(parts / per_percent);
  std::string decimals = std::to_string(per_percent + parts % per_percent).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  if (!decimals.empty()) text += '.' + decimals;
  return text + " %";
}

std::string range_text(const ClusterMap& map, const Region& region) {
  const TokenSpace& space = map.space();
  if (!map.placement().slots)
    return '(' + to_text(space, region.after) + ", " + to_text(space, region.upto) + ']';
  const Token first{region.after.value == space.last ? 0 : region.after.value + 1};
  if (first == region.upto) return to_text(space, first);
  return to_text(space, first) + '-' + to_text(space, region.upto);
}

std::string place_text(const Node& node, Across level) {
  std::string place;
  switch (level) {
    case Across::node:
      place = node.name;
      break;
    case Across::host:
      place = node.host;
      break;
    case Across::rack:
      place = rack_text(node);
      break;
    case Across::zone:
      place = node.zone;
      break;
  }
  return place.empty() ? "(none)" : place;
}

std::string names_text(const ClusterMap& map, std::span<const NodeIndex> nodes) {
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, nodes.size()); ++i)
    text += (i ? ", " : "") + map.nodes()[nodes[i]].name;
  if (nodes.size() > shown) text += " and " + std::to_string(nodes.size() - shown) + " more";
  return text;
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace arcwise
