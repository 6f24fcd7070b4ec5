// Moves carried out in part, and whole runs of neighbours.
#include "study/assign_partly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "study/assign_testing.hpp"

namespace arcwise {
namespace {

using Rows = std::vector<std::vector<NodeIndex>>;

std::uint64_t newly_held(const Rows& before, const Rows& after) {
  std::uint64_t out = 0;
  for (std::size_t p = 0; p < before.size(); ++p)
    for (NodeIndex n : after[p]) out += std::count(before[p].begin(), before[p].end(), n) == 0;
  return out;
}

AssignRequest joined_fleet(std::uint32_t partitions, std::uint32_t nodes, std::uint32_t zones) {
  AssignRequest request = fleet(partitions, 3, nodes, zones);
  request = after(request, *assign(request));
  request.nodes.push_back({"joiner", 1, "", "", "z0"});
  return request;
}

TEST(AssignPartly, no_more_copies_move_than_asked_for_and_the_rest_is_the_proven_least_from_there) {
  const AssignRequest request = joined_fleet(1024, 30, 5);
  const Assignment whole = *assign(request);
  for (std::uint64_t at_most : {1U, 10U, 50U, 99U, 1000U}) {
    Rows owners = whole.owners;
    const std::uint64_t moved = carry_out_partly(request, {at_most, {}}, owners);
    EXPECT_EQ(moved, std::min(at_most, whole.moved));
    EXPECT_EQ(newly_held(request.previous, owners), moved);
    AssignRequest next = request;
    next.previous = owners;
    const Assignment rest = *assign(next);
    EXPECT_EQ(rest.moved, whole.moved - moved);
    EXPECT_EQ(rest.least, rest.moved);
  }
}

TEST(AssignPartly, a_node_gives_up_a_quarter_and_the_others_hold_no_more_than_their_targets) {
  AssignRequest request = fleet(1024, 3, 30, 5);
  request = after(request, *assign(request));
  request.nodes[7].draining = true;
  Assignment whole = *assign(request);
  std::uint64_t held = whole.nodes[7].given;
  Rows owners = whole.owners;
  EXPECT_EQ(carry_out_partly(request, {~std::uint64_t{0}, {{7, held / 4}}}, owners), held / 4);
  std::vector<std::uint64_t> copies(30, 0);
  for (const auto& row : owners)
    for (NodeIndex n : row) ++copies[n];
  EXPECT_EQ(copies[7], held - held / 4);
  for (NodeIndex n = 0; n < 30; ++n)
    if (n != 7) {
      EXPECT_LE(copies[n], whole.nodes[n].copies) << n;
    }
}

TEST(AssignPartly, copies_stay_in_different_zones_after_every_part) {
  AssignRequest request = joined_fleet(300, 12, 3);
  for (AssignNode& node : request.nodes) node.rack = "r";
  request.nodes[3].draining = true;
  const Assignment whole = *assign(request);
  for (std::uint64_t at_most = 0; at_most <= whole.moved; ++at_most) {
    Rows owners = whole.owners;
    EXPECT_LE(carry_out_partly(request, {at_most, {}}, owners), at_most);
    for (const auto& row : owners) {
      std::set<std::string> zones;
      for (NodeIndex n : row) zones.insert(request.nodes[n].zone);
      ASSERT_EQ(zones.size(), 3U);
    }
  }
}

TEST(AssignPartly, missing_copies_and_pinned_partitions_come_first) {
  AssignRequest request = joined_fleet(256, 9, 3);
  request.previous[200][1] = no_node;
  request.pins = {{250, 9}};
  const Assignment whole = *assign(request);
  ASSERT_GT(whole.moved, 10U);
  Rows owners = whole.owners;
  EXPECT_EQ(carry_out_partly(request, {2, {}}, owners), 2U);
  EXPECT_EQ(owners[200], whole.owners[200]);
  EXPECT_EQ(owners[250], whole.owners[250]);
}

std::size_t ranges(const Rows& owners) {
  std::size_t out = 0;
  for (std::size_t p = 0; p < owners.size(); ++p) out += p == 0 || owners[p] != owners[p - 1];
  return out;
}

std::map<std::pair<NodeIndex, NodeIndex>, std::size_t> pairs(const Rows& before, const Rows& after) {
  std::map<std::pair<NodeIndex, NodeIndex>, std::size_t> out;
  for (std::size_t p = 0; p < before.size(); ++p)
    if (before[p] != after[p]) ++out[{before[p][0], after[p][0]}];
  return out;
}

TEST(WholeRuns, tables_in_many_fragments_grow_by_no_more_than_a_range_a_pair_and_mostly_shrink) {
  Rng rng(3);
  std::size_t shrunk = 0;
  for (int round = 0; round < 100; ++round) {
    AssignRequest request;
    request.partitions = 2048;
    const auto nodes = static_cast<NodeIndex>(2 + rng.below(6));
    for (NodeIndex n = 0; n < nodes; ++n) request.nodes.push_back({"n" + std::to_string(n)});
    while (request.previous.size() < request.partitions) {
      const auto owner = static_cast<NodeIndex>(rng.below(2) ? rng.below(nodes) : 0);
      for (std::uint64_t i = 1 + rng.below(40); i && request.previous.size() < request.partitions; --i)
        request.previous.push_back({owner});
    }
    for (std::uint64_t i = rng.below(3); i > 0; --i)
      request.pins.emplace_back(static_cast<std::uint32_t>(rng.below(2048)),
                                static_cast<NodeIndex>(rng.below(nodes)));
    const auto done = assign(request);
    if (!done) continue;  // two pins of one partition
    Rows owners = done->owners;
    move_whole_runs(request, owners);
    const auto moves = pairs(request.previous, owners);
    ASSERT_EQ(moves, pairs(request.previous, done->owners));
    ASSERT_LE(ranges(owners), ranges(request.previous) + moves.size() + 2 * request.pins.size());
    for (const auto& [p, n] : request.pins) ASSERT_EQ(owners[p][0], n);
    shrunk += ranges(owners) < ranges(request.previous);
  }
  EXPECT_GT(shrunk, 90U);
}

TEST(WholeRuns, a_run_between_two_of_the_new_node_goes_first_and_the_rest_from_the_end_beside_it) {
  AssignRequest request;
  const std::string before = "aaaabbaaaaabbcaaac";
  request.partitions = static_cast<std::uint32_t>(before.size());
  request.nodes = {{"a"}, {"b"}, {"c"}};
  for (char c : before) request.previous.push_back({static_cast<NodeIndex>(c - 'a')});
  Rows owners = request.previous;
  for (std::size_t p : {0U, 1U, 2U, 3U, 6U, 7U, 8U}) owners[p] = {1};
  move_whole_runs(request, owners);
  std::string after;
  for (const auto& row : owners) after += static_cast<char>('a' + row[0]);
  EXPECT_EQ(after, "aabbbbbbbbbbbcaaac");
}

}  // namespace
}  // namespace arcwise
