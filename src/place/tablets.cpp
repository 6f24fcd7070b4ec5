#include "place/tablets.hpp"

namespace arcwise {

std::uint32_t scylladb_shard(Token token, std::uint32_t shards, std::uint32_t ignore_msb) noexcept {
  if (shards == 1) ignore_msb = 0;
  const std::uint64_t rest = static_cast<std::uint64_t>(token.value) << ignore_msb;
  return static_cast<std::uint32_t>(u128{rest} * shards >> 64);
}

std::optional<std::uint32_t> scylladb_shard(const ClusterMap& map, KeyHash position) {
  const PlacementSettings& placement = map.placement();
  if (placement.text("shards").empty()) return std::nullopt;
  return scylladb_shard(Token{position.value}, static_cast<std::uint32_t>(placement.integer("shards")),
                        static_cast<std::uint32_t>(placement.integer("ignore_msb")));
}

std::vector<Token> scylladb_tablets(std::uint64_t count) {
  // Powers of two cut the 2^64 positions. Any other count cuts 2^64 - 1 of them, so that three tablets end at
  // a third of that, not of 2^64.
  const bool power = (count & (count - 1)) == 0;
  const u128 whole = (u128{1} << 64) - (power ? 0 : 1);
  std::vector<Token> last;
  for (std::uint64_t i = 1; i <= count; ++i) last.push_back({whole * i / count - (power ? 1 : 0)});
  return last;
}

}  // namespace arcwise
