// A scheme's word is held against the compiled placement: the bytes that it says are hashed give the points.
#include "place/scheme.hpp"

#include <set>

#include "place/testing.hpp"

namespace arcwise {
namespace {

using testing::map_of;
using testing::node;
using testing::parts;

std::vector<Node> three_servers() {
  return {node("10.0.0.1:11211"), node("10.0.0.2:11211"), node("10.0.0.3:11311")};
}

TEST(scheme, every_method_of_the_recipe_table_has_one) {
  for (const Recipe& recipe : recipes()) {
    ASSERT_NE(find_scheme(recipe.method), nullptr) << recipe.name;
    EXPECT_EQ(find_scheme(recipe.method)->method, recipe.method);
  }
}

TEST(scheme, the_bytes_it_gives_hash_to_the_points_of_the_ring) {
  std::size_t rings = 0;
  for (const Recipe& recipe : recipes()) {
    if (!recipe.no_placement.empty() || recipe.points == PointRule::given ||
        recipe.points == PointRule::table || recipe.slots == SlotCount::listed)
      continue;
    const ClusterMap map = map_of(parts(recipe.name, three_servers()));
    const Scheme& scheme = scheme_of(map);
    if (scheme.finds != finds_on_ring || !scheme.hash(map).id) continue;
    ++rings;
    std::set<std::pair<u128, NodeIndex>> left;
    const Placement placement = compile(map);
    for (std::size_t i = 0; i < placement.entry_count(); ++i)
      left.insert({placement.entry(i).token.value, placement.entry(i).node});
    for (NodeIndex n = 0; n < 3; ++n) {
      std::size_t mine = 0;
      for (const auto& [token, owner] : left) mine += owner == n;
      const PointHash hash = scheme.hash(map);
      for (std::uint64_t i = 0; i < mine / hash.words; ++i)
        for (const Token& t : point_positions(map, hash, scheme.point(map, n, i)))
          EXPECT_TRUE(left.contains({t.value, n})) << recipe.name << " " << scheme.point(map, n, i);
    }
  }
  EXPECT_GE(rings, 20U);
}

TEST(scheme, the_winning_points_bytes_are_found_again) {
  const ClusterMap map = map_of(parts("libketama", three_servers()));
  const Placement placement = compile(map);
  const Placement::Entry entry = placement.entry(17);
  const auto bytes = point_bytes_at(map, entry.node, entry.token);
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(bytes->starts_with(map.nodes()[entry.node].name + "-"));
  EXPECT_EQ(point_bytes_at(map, entry.node, Token{entry.token.value + 1}), std::nullopt);
}

TEST(scheme, nginx_hashes_a_zero_byte_and_the_point_before) {
  const ClusterMap map = map_of(parts("nginx-consistent", three_servers()));
  const Scheme& scheme = scheme_of(map);
  EXPECT_EQ(scheme.identity(map, 0).bytes, std::string("10.0.0.1\0"
                                                       "11211",
                                                       14));
  EXPECT_EQ(scheme.point(map, 0, 0), std::string("10.0.0.1\0"
                                                 "11211\0\0\0\0",
                                                 18));
}

TEST(scheme, haproxy_numbers_servers_or_hashes_their_addresses) {
  auto p = parts("haproxy-consistent", three_servers());
  const ClusterMap by_number = map_of(p);
  EXPECT_EQ(scheme_of(by_number).identity(by_number, 1), (Identity{"number", "2"}));
  EXPECT_EQ(scheme_of(by_number).point(by_number, 1, 3), "8195");
  p.placement.settings["hash_key"] = "addr";
  const ClusterMap by_address = map_of(p);
  EXPECT_EQ(scheme_of(by_address).identity(by_address, 1),
            (Identity{"address", std::string("\x0a\0\0\x02", 4)}));
}

}  // namespace
}  // namespace arcwise
