// Lookups allocate nothing: every operator new in this program is counted.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "hash/isa.hpp"
#include "place/testing.hpp"

// Both halves are replaced here, so malloc and free do match.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size ? size : 1);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

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

// Every recipe that can place these nodes without a table of its own, whatever instructions it may use.
TEST(lookup, allocates_nothing_whatever_the_recipe) {
  const std::array<std::string_view, 4> keys{
      "user:1", "user:{2}:cart", "12345678",
      "a key that is a good deal longer than one block of MD5, so that it takes two of them"};
  std::size_t asked = 0;
  for (const Recipe& recipe : recipes()) {
    std::vector<Node> nodes;
    for (int i = 1; i <= 6; ++i) {
      nodes.push_back(testing::node("10.0.0." + std::to_string(i) + ":11211"));
      nodes.back().address = nodes.back().name;
    }
    const auto map =
        ClusterMap::build(testing::parts(recipe.name, nodes, recipe.points == PointRule::table ? 1 : 2));
    if (!map || map->placement().given || recipe.points == PointRule::table) continue;
    const Placement placement = compile(*map);
    ++asked;
    NodeSet down(nodes.size());
    down.insert(0);
    std::array<NodeIndex, 8> out;
    std::array<std::uint64_t, keys.size()> positions{};
    std::array<NodeIndex, keys.size()> firsts;
    for (const Isa isa : {Isa::plain, Isa::vector128, Isa::avx2, Isa::avx512}) {
      limit_isa(isa);
      const long before = allocations;
      placement.hash(keys, positions);
      placement.primary(positions, firsts);
      for (const std::string_view key : keys) {
        const KeyHash hash = placement.hash(key);
        placement.owners({key, hash, {}}, out);
        placement.owners({key, hash, NodeMask(down)}, out);
        placement.primary(hash);
        placement.owner(key);
      }
      EXPECT_EQ(allocations, before) << recipe.name;
    }
  }
  limit_isa(Isa::avx512);
  EXPECT_GE(asked, 45u);
}

}  // namespace
}  // namespace arcwise
