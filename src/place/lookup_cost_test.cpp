// Lookups allocate nothing: every operator new in this program is counted.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

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

}  // namespace
}  // namespace arcwise
