// Rings whose partitions keep their distance, as Riak's, beside what Riak's own claims move.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "arcwise/assign.hpp"
#include "arcwise/change.hpp"
#include "study/rng.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

void expect_sound(const SpacedAssignment& a, const std::vector<NodeIndex>& previous, std::uint32_t nodes,
                  std::uint32_t spacing) {
  const std::size_t size = previous.size();
  std::vector<std::size_t> held(nodes, 0);
  std::uint64_t moved = 0;
  for (std::size_t p = 0; p < size; ++p) {
    ASSERT_LT(a.owners[p], nodes);
    ++held[a.owners[p]];
    moved += a.owners[p] != previous[p];
    for (std::size_t d = 1; d < spacing; ++d) EXPECT_NE(a.owners[p], a.owners[(p + d) % size]) << p;
  }
  const auto [fewest, most] = std::minmax_element(held.begin(), held.end());
  EXPECT_LE(*most - *fewest, 1U);
  EXPECT_EQ(a.moved, moved);
  EXPECT_LE(a.least, a.moved);
  EXPECT_EQ(a.close, 0U);
}

TEST(AssignSpaced, joins_of_five_nodes_and_more_keep_four_apart_and_move_no_more_than_riaks_claims) {
  std::ifstream file(ARCWISE_TESTDATA "/vectors/riak-claim.json");
  const auto vectors = nlohmann::json::parse(file)["vectors"];
  std::map<std::string, std::vector<NodeIndex>> before;
  std::size_t joins = 0, proven = 0;
  for (const auto& v : vectors) {
    const auto claim = v["claim"].get<std::string>();
    const auto owners = v["owners"].get<std::vector<NodeIndex>>();
    const auto nodes = v["nodes"].get<std::uint32_t>();
    if (v["mode"] != "grow") continue;
    if (nodes >= 5) {
      const auto a = assign_spaced(before.at(claim), nodes, 4);
      ASSERT_TRUE(a.ok());
      expect_sound(*a, before.at(claim), nodes, 4);
      EXPECT_LE(a->moved, v["moved_vs_previous"].get<std::uint64_t>()) << claim << ' ' << nodes;
      proven += a->moved == a->least;
      ++joins;
    }
    before[claim] = owners;
  }
  EXPECT_EQ(joins, 24U);
  EXPECT_EQ(proven, joins) << "the bound of whole numbers alone is reached";
}

TEST(AssignSpaced, a_node_that_leaves_gives_its_partitions_up_and_few_others_move) {
  std::vector<NodeIndex> ring;
  for (std::size_t p = 0; p < 64; ++p) ring.push_back(static_cast<NodeIndex>(p % 8));
  for (NodeIndex& n : ring) n = n == 7 ? no_node : n;
  const auto a = assign_spaced(ring, 7, 4);
  ASSERT_TRUE(a.ok());
  expect_sound(*a, ring, 7, 4);
  EXPECT_EQ(a->least, 8U);
  EXPECT_LE(a->moved, 14U);
}

// Of all rings that keep the spacing and are even; none: nullopt.
std::optional<std::uint64_t> least_of_all(const std::vector<NodeIndex>& previous, std::uint32_t nodes,
                                          std::uint32_t spacing) {
  const std::size_t size = previous.size();
  std::vector<NodeIndex> ring(size, 0);
  std::vector<std::size_t> held(nodes, 0);
  std::optional<std::uint64_t> best;
  const auto near = [&](std::size_t p, std::size_t end) {  // among those set so far, around the end too
    for (std::size_t q = 0; q < end; ++q) {
      const std::size_t apart = p > q ? p - q : q - p;
      if (q != p && std::min(apart, size - apart) < spacing && ring[q] == ring[p]) return true;
    }
    return false;
  };
  const auto fill = [&](auto&& self, std::size_t p, std::uint64_t moved) -> void {
    if (best && moved >= *best) return;
    if (p == size) {
      const auto [fewest, most] = std::minmax_element(held.begin(), held.end());
      if (*most - *fewest <= 1) best = moved;
      return;
    }
    for (NodeIndex n = 0; n < nodes; ++n) {
      ring[p] = n;
      if (held[n] * nodes >= size + nodes - 1 || near(p, p)) continue;
      ++held[n];
      self(self, p + 1, moved + (n != previous[p]));
      --held[n];
      ring[p] = n;
    }
  };
  fill(fill, 0, 0);
  return best;
}

TEST(AssignSpaced, small_rings_move_the_least_of_all_that_keep_the_spacing) {
  Rng rng(5);
  int compared = 0, above_bound = 0;
  while (compared < 30) {
    const auto nodes = static_cast<std::uint32_t>(3 + rng.below(3));
    const auto spacing = static_cast<std::uint32_t>(2 + rng.below(2));
    std::vector<NodeIndex> ring(8 + rng.below(5));
    for (NodeIndex& n : ring) n = static_cast<NodeIndex>(rng.below(nodes));
    for (std::size_t p = 0; rng.below(2) && p < ring.size(); ++p) ring[p] = static_cast<NodeIndex>(p % nodes);
    const auto least = least_of_all(ring, nodes, spacing);
    const auto found = assign_spaced(ring, nodes, spacing);
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->close == 0, least.has_value());
    if (!least) continue;
    ++compared;
    expect_sound(*found, ring, nodes, spacing);
    EXPECT_EQ(found->moved, *least);
    EXPECT_LE(found->least, *least);
    above_bound += *least > found->least;
  }
  EXPECT_GT(above_bound, 2) << "where the bound alone says too little";
}

TEST(AssignSpaced, plan_hands_a_riak_ring_out_anew) {
  auto parts = testing::parts("riak", testing::nodes(5), 3);
  parts.placement.slots = 64;
  for (std::uint64_t p = 0; p < 64; ++p)
    parts.placement.table.push_back({{p}, {static_cast<NodeIndex>(p < 60 ? p % 5 : p - 60)}});
  const ClusterMap before = testing::map_of(parts);
  Change change;
  change.add.push_back({});
  change.add[0].name = "n05";
  std::vector<Finding> notes;
  const auto after = apply(before, change, notes);
  ASSERT_TRUE(after.ok()) << to_string(after.error());
  EXPECT_EQ(notes.back().message,
            "10 of 64 partitions move, and that is the proven least; any 4 in a row lie on different nodes; "
            "nodes hold from 10 to 11");
  change.parts.pins = {{0, 0, "n05"}};
  EXPECT_NE(apply(before, change, notes).error().why.find("keep their distance"), std::string::npos);
}

// Three nodes of a ring of 64 as Riak's three claims have laid it, and a fourth.
TEST(AssignSpaced, the_least_that_keeps_four_apart_from_riaks_own_rings) {
  std::ifstream file(ARCWISE_TESTDATA "/vectors/riak-claim.json");
  const auto vectors = nlohmann::json::parse(file)["vectors"];
  const std::map<std::string, std::uint64_t> least = {{"v2", 21}, {"v3", 46}, {"v4", 21}};
  std::size_t rings = 0;
  for (const auto& v : vectors) {
    if (v["mode"] != "grow" || v["nodes"] != 3) continue;
    const auto a = assign_spaced(v["owners"].get<std::vector<NodeIndex>>(), 4, 4);
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->moved, least.at(v["claim"].get<std::string>()));
    for (std::size_t i = 0; i < 64; ++i)
      for (std::size_t k = 1; k < 4; ++k) EXPECT_NE(a->owners[i], a->owners[(i + k) % 64]);
    ++rings;
  }
  EXPECT_EQ(rings, 3);
}

TEST(AssignSpaced, what_is_not_known_is_refused) {
  EXPECT_NE(assign_spaced(std::vector<NodeIndex>(64, 0), 3, 4).error().why.find("fewer nodes"),
            std::string::npos);
  EXPECT_NE(assign_spaced(std::vector<NodeIndex>(4, 0), 5, 4).error().why.find("fewer partitions"),
            std::string::npos);
}

}  // namespace
}  // namespace arcwise
