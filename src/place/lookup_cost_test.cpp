// Lookups allocate nothing: every operator new in this program is counted.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "arcwise/bounded.hpp"
#include "hash/isa.hpp"
#include "place/allocations_testing.hpp"
#include "place/conformance_subjects.hpp"

namespace arcwise {
namespace {

TEST(lookup, allocates_nothing_with_racks_masks_and_tags) {
  std::vector<Node> nodes;
  for (int i = 0; i < 9; ++i)
    nodes.push_back(testing::node("n" + std::to_string(i), 1, "r" + std::to_string(i % 3)));
  auto p = testing::parts("ring", nodes, 3, Across::rack, 64);
  p.replicas.when_short = WhenShort::repeat;
  const Placement placement = compile(testing::map_of(p));
  NodeSet down(9);
  down.insert(4);
  std::array<NodeIndex, 8> out;
  std::array<std::uint64_t, 64> hashes{};
  std::array<NodeIndex, 64> firsts;
  const long before = allocations;
  std::size_t found = 0;
  for (char c = 'a'; c <= 'z'; ++c) {
    const std::string_view key(&c, 1);
    const KeyHash hash = placement.hash(key);
    found += placement.owners({key, hash, {}}, out);
    found += placement.owners({key, hash, NodeMask(down)}, out);
    found += placement.primary(hash) != no_node;
  }
  placement.primary(hashes, firsts);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(found, 26u * 7u);
}

TEST(lookup, hashes_of_many_keys_allocate_nothing) {
  const std::vector<Node> nodes{testing::node("10.0.0.1:11211"), testing::node("10.0.0.2:11211")};
  std::vector<std::string_view> keys(150, "a key of one block");
  for (std::size_t i = 0; i < keys.size(); i += 7)
    keys[i] = "a key of two blocks, for it is too long to leave room for its own length in one of them";
  std::vector<std::uint64_t> hashes(keys.size());
  for (const char* recipe : {"libmemcached-ketama-weighted", "ring", "redis-cluster"}) {
    auto p = testing::parts(recipe, nodes);
    if (p.placement.recipe->points == PointRule::table) p.placement.table = {{{16383}, {0}}};
    if (p.placement.recipe->points == PointRule::table) p.placement.slots = 16384;
    const Placement placement = compile(testing::map_of(p));
    const long before = allocations;
    placement.hash(keys, hashes);
    EXPECT_EQ(allocations, before) << recipe;
  }
}

constexpr std::array<std::string_view, 4> keys_of_each_size{
    "user:1", "user:{2}:cart", "12345678",
    "a key that is a good deal longer than one block of MD5, so that it takes two of them"};

// Whatever a lookup can be asked, once each.
void ask_all(const Placement& placement, const Bounded& bounded, const NodeSet& down,
             std::span<const std::uint64_t> loads) {
  std::array<NodeIndex, max_replicas> out;
  std::array<std::uint64_t, keys_of_each_size.size()> positions{};
  std::array<NodeIndex, keys_of_each_size.size()> firsts;
  placement.hash(keys_of_each_size, positions);
  placement.primary(positions, firsts);
  for (const std::string_view key : keys_of_each_size) {
    const KeyHash hash = placement.hash(key);
    const Query whole{key, hash, {}}, masked{key, hash, NodeMask(down)};
    placement.owners(whole, out);
    placement.owners(masked, out);
    placement.primary(hash);
    placement.owner(key);
    std::size_t candidates = 0;
    placement.walk(
        masked, [](void* count, NodeIndex) noexcept { return ++*static_cast<std::size_t*>(count) < 20; },
        &candidates);
    bounded.pick(whole, loads);
    bounded.pick(masked, loads);
    bounded.cap(0, loads, masked.mask);
  }
  for (std::size_t r = 0; r < std::min<std::size_t>(4, placement.region_count()); ++r)
    placement.region_owners(r, NodeMask(down), out);
}

// Every placement of the conformance suite, tables too, whatever instructions it may use.
TEST(lookup, allocates_nothing_whatever_the_recipe) {
  std::set<std::string_view> asked;
  NodeSet down(9);
  down.insert(0);
  const std::vector<std::uint64_t> loads{9, 0, 9, 0, 9, 9, 0, 9, 0};  // with some of them full
  for (const testing::Subject& subject : testing::subjects()) {
    auto parts = subject.make(testing::fleet(9));
    parts.replicas.count = 2;
    const ClusterMap map = testing::map_of(std::move(parts));
    for (const Isa isa : {Isa::plain, Isa::vector128, Isa::avx2, Isa::avx512}) {
      limit_isa(isa);
      const Placement placement = compile(map);
      for (const BoundRule rule : {BoundRule::arcwise, BoundRule::haproxy, BoundRule::envoy}) {
        const Bounded bounded(placement, {rule, 110, {}});
        const long before = allocations;
        ask_all(placement, bounded, down, loads);
        EXPECT_EQ(allocations, before) << subject.name << ", rule " << static_cast<int>(rule);
      }
    }
    asked.insert(map.placement().recipe->name);
  }
  limit_isa(Isa::avx512);
  for (const Recipe& recipe : recipes())
    EXPECT_TRUE(asked.contains(recipe.name) || !recipe.no_placement.empty()) << recipe.name;
}

}  // namespace
}  // namespace arcwise
