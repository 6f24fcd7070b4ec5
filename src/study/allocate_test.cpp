#include "arcwise/allocate.hpp"

#include "arcwise/check.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using namespace testing;

AllocateRequest joining(const std::string& name, const std::string& rack = "") {
  AllocateRequest request;
  request.node.name = name;
  request.node.rack = rack;
  request.allocator = Allocator::random;
  return request;
}

TEST(Allocate, no_token_of_the_map_is_moved) {
  const ClusterMap before = equal_arcs(6, 3);
  const auto allocation = allocate(before, joining("n9"));
  ASSERT_TRUE(allocation) << to_string(allocation.error());
  for (NodeIndex n = 0; n < 6; ++n) EXPECT_EQ(allocation->after.nodes()[n].tokens, before.nodes()[n].tokens);
  EXPECT_EQ(allocation->after.nodes()[6].tokens, allocation->tokens);
  EXPECT_EQ(allocation->tokens.size(), 1U);  // as many as the others
}

TEST(Allocate, the_answer_is_bound_to_the_map_it_was_made_for) {
  auto p = equal_arcs(6, 3).parts();
  p.epoch = 7;
  const ClusterMap map = map_of(p);
  AllocateRequest request = joining("n9");
  const auto first = allocate(map, request);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->fingerprint, fingerprints(compile(map)).fingerprint);
  EXPECT_EQ(first->epoch, 7U);

  request.node.name = "n10";
  request.expected.fingerprint = first->fingerprint;
  request.expected.epoch = 7;
  EXPECT_TRUE(allocate(map, request));
  const auto stale = allocate(first->after, request);
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().kind, ErrorKind::refused);
  request.expected.fingerprint.reset();
  EXPECT_EQ(allocate(first->after, request).error().kind, ErrorKind::refused);
}

TEST(Allocate, a_second_join_at_once_is_refused) {
  auto p = equal_arcs(4, 3).parts();
  p.nodes.push_back(node_at("n8", {5}));
  p.nodes.back().state = NodeState::joining;
  const auto refused = allocate(map_of(p), joining("n9"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_EQ(refused.error().what, "n8");
}

TEST(Allocate, a_hashed_ring_keeps_every_position_and_says_them) {
  const ClusterMap before = hashed_ring(nodes(5), 8, 3);
  const auto allocation = allocate(before, joining("n9"));
  ASSERT_TRUE(allocation) << to_string(allocation.error());
  EXPECT_TRUE(allocation->after.placement().given);
  const Placement was = compile(before);
  for (std::size_t i = 0; i < was.entry_count(); ++i) {
    const auto& held = allocation->after.nodes()[was.entry(i).node].tokens;
    EXPECT_TRUE(std::count(held.begin(), held.end(), was.entry(i).token));
  }
  EXPECT_EQ(allocation->tokens.size(), 8U);
}

TEST(Allocate, a_map_without_tokens_of_its_own_is_refused_with_the_reason) {
  const auto refused = allocate(modulo(4), joining("n9"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().why.find("no tokens to choose"), std::string::npos);
}

TEST(Allocate, tokens_follow_the_weight_and_the_usual_number) {
  AllocateRequest request = joining("n9");
  request.node.weight = 2;
  EXPECT_EQ(allocate(hashed_ring(nodes(5), 8, 3), request)->tokens.size(), 16U);
  request.tokens = 5;
  EXPECT_EQ(allocate(hashed_ring(nodes(5), 8, 3), request)->tokens.size(), 5U);
}

}  // namespace
}  // namespace arcwise
