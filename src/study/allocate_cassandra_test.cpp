// Cassandra's allocators, held against tokens that its own classes chose.
#include <map>

#include "arcwise/allocate.hpp"
#include "place/vectors_testing.hpp"
#include "study/allocate_cassandra.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using namespace testing;

const TokenSpace murmur3 = TokenSpace::signed_64();

std::vector<Token> tokens_of(const Json& texts) {
  std::vector<Token> out;
  for (const Json& text : texts) out.push_back(*from_text(murmur3, text.get<std::string>()));
  return out;
}

Json vectors_of(const std::string& name) {
  return Json::parse(file_text(vectors_dir() + name + ".json"));
}

ClusterMap::Parts cassandra_ring(std::uint32_t replicas) {
  ClusterMap::Parts p = parts("cassandra-murmur3", {}, replicas, Across::rack);
  p.replicas.when_short = WhenShort::repeat;
  return p;
}

std::vector<Token> first_node(const Json& first, std::uint32_t replicas, std::uint32_t count) {
  AllocationRing empty;
  empty.replicas = replicas;
  const auto at = static_cast<std::uint64_t>(from_text(murmur3, first.get<std::string>())->value);
  std::vector<Token> out;
  for (std::uint64_t t : cassandra_tokens(empty, {0, 1, count, at})) out.push_back({t});
  return out;
}

// Every node joins those before it; `rack_of` says where.
template <class RackOf>
std::size_t expect_joins(const Json& nodes, const Json& first, std::uint32_t replicas, std::uint32_t count,
                         const char* key, RackOf rack_of) {
  ClusterMap::Parts p = cassandra_ring(replicas);
  std::size_t checked = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Node joined = node(numbered("n", i), 1, rack_of(nodes[i]));
    joined.tokens = tokens_of(nodes[i][key]);
    if (i == 0) {
      EXPECT_EQ(first_node(first, replicas, count), joined.tokens);
    } else {
      AllocateRequest request;
      request.node.name = joined.name;
      request.node.rack = joined.rack;
      request.tokens = count;
      request.allocator = Allocator::cassandra;
      const auto allocation = allocate(map_of(p), request);
      if (!allocation) return ADD_FAILURE() << to_string(allocation.error()), checked;
      EXPECT_EQ(allocation->tokens, joined.tokens) << "node " << i;
    }
    checked += joined.tokens.size();
    p.nodes.push_back(std::move(joined));
  }
  return checked;
}

TEST(CassandraAllocator, every_token_is_the_systems_own) {
  std::size_t checked = 0;
  const Json file = vectors_of("cassandra-token-allocator");
  for (const Json& c : file["cases"]) {
    SCOPED_TRACE(c["racks"].dump() + " racks, " + c["num_tokens"].dump() + " tokens");
    checked += expect_joins(c["nodes"], c["first_token"], c["rf"], c["num_tokens"], "tokens_sorted",
                            [](const Json& n) { return "r" + n["rack"].dump(); });
  }
  EXPECT_EQ(checked, 2160U);
}

// generatetokens -n 9 -t 4 --rf 3 --racks 3,3,3 takes no notice of the racks.
TEST(CassandraAllocator, the_documented_example_of_generatetokens_is_one_rack) {
  const Json file = vectors_of("cassandra-generatetokens-doc");
  EXPECT_EQ(expect_joins(file["nodes"], file["first_token"], file["rf"], file["num_tokens"], "tokens",
                         [](const Json&) { return std::string("r"); }),
            36U);
}

TEST(CassandraAllocator, racks_fewer_than_copies_are_refused_as_cassandra_does) {
  ClusterMap::Parts p = cassandra_ring(3);
  p.nodes = {node_at("a", {1}, "r1"), node_at("b", {1ULL << 62}, "r2")};
  AllocateRequest request;
  request.node.name = "c";
  request.node.rack = "r1";
  request.allocator = Allocator::cassandra;
  const auto refused = allocate(map_of(p), request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().why.find("2 racks, 3 copies"), std::string::npos) << to_string(refused.error());
}

// The wrapping range is treated as 2^64 - 1 long, so a split of it is off by one from a true ring.
TEST(CassandraArithmetic, sizes_midpoints_and_splits_are_javas) {
  using namespace cassandra;
  EXPECT_EQ(size_of(5, 5), 1.0);
  EXPECT_EQ(size_of(0, std::int64_t{1} << 62), 0.25);
  EXPECT_EQ(size_of(std::int64_t{1} << 62, -(std::int64_t{1} << 62)), 0.5);
  EXPECT_EQ(midpoint(-3, 0), -2);
  EXPECT_EQ(midpoint(10, 0), INT64_MIN + 5);
  EXPECT_EQ(split(-10, 0, 0.25), -7);
  EXPECT_EQ(split(0, 1000, 0.9), 900);
  EXPECT_EQ(split(std::int64_t{1} << 62, -(std::int64_t{1} << 62), 0.75),
            INT64_MIN + (std::int64_t{1} << 61));
}

TEST(JavaQueue, equal_weights_leave_in_the_order_of_its_heap) {
  cassandra::JavaQueue<int> queue;
  for (int i = 0; i < 5; ++i) queue.push({1, i});
  std::vector<int> order;
  while (!queue.empty()) order.push_back(queue.pop().value);
  EXPECT_EQ(order, (std::vector<int>{0, 4, 3, 2, 1}));
}

}  // namespace
}  // namespace arcwise
