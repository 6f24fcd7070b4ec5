// Whole fleets: more servers than libmemcached and libketama can hold, views that differ by one, new
// addresses.
#include <cmath>
#include <set>

#include "arcwise/cause.hpp"
#include "study/sample_keys.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;

std::vector<Node> servers(std::size_t count, const std::string& port = ":11300") {
  std::vector<Node> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(node("10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250) + port));
  return out;
}

Placement placed(std::string_view recipe, std::vector<Node> nodes) {
  auto p = parts(recipe, std::move(nodes));
  p.placement.tokens = p.placement.recipe->default_tokens;
  return compile(map_of(std::move(p)));
}

bool takes_plain_servers(const Recipe& recipe) {
  return recipe.no_placement.empty() && recipe.points != PointRule::given &&
         recipe.points != PointRule::table && recipe.slots != SlotCount::listed;
}

TEST(Fleet, of_150_and_of_500_servers_is_answered_by_every_recipe) {
  std::size_t asked = 0;
  for (const Recipe& recipe : recipes()) {
    if (!takes_plain_servers(recipe)) continue;
    ++asked;
    for (std::size_t count : {std::size_t{150}, std::size_t{500}}) {
      SCOPED_TRACE(std::string(recipe.name) + " of " + std::to_string(count));
      const Placement placement = placed(recipe.name, servers(count));
      std::set<NodeIndex> met;
      std::vector<NodeIndex> out(1);
      SampleKeys keys(1);
      for (int i = 0; i < 4000; ++i) {
        const std::string_view key = keys.next();
        ASSERT_EQ(placement.owners({key, placement.hash(key), {}}, out), 1U);
        met.insert(out[0]);
      }
      EXPECT_GT(met.size(), count * 6 / 10);
    }
  }
  EXPECT_GE(asked, 45U);
}

// 40 digests of four points, and the sizes at which single or double precision rounds 40 down to 39.
TEST(Fleet, has_160_points_a_server_and_156_at_the_sizes_that_round_down) {
  const std::vector<std::pair<const char*, std::set<std::size_t>>> rounded{
      {"libketama", {61, 122, 237, 244, 474, 488, 933, 948, 951, 953, 976}},
      {"libmemcached-ketama-weighted", {25, 47, 50, 55, 61, 71, 94, 100, 107, 109, 110, 115}},
      {"twemproxy-ketama", {25, 47, 50, 55, 61, 71, 94, 100, 107, 109, 110, 115}},
      {"hashring", {7, 14, 28, 49, 56, 98, 103, 112}},
      {"uhashring-ketama", {}},
      {"dalli", {}}};
  for (const auto& [recipe, sizes] : rounded)
    for (std::size_t count = 1; count <= 115; ++count)
      EXPECT_EQ(placed(recipe, servers(count)).entry_count(), count * (sizes.contains(count) ? 156 : 160))
          << recipe << " of " << count;
  for (std::size_t count : {122, 237, 244, 474, 488, 933, 948, 951, 953, 976})
    EXPECT_EQ(placed("libketama", servers(count)).entry_count(), count * 156) << count;
}

TEST(Fleet, seen_with_n_and_with_n_plus_1_nodes_differs_on_one_in_n_plus_1) {
  for (const auto& [recipe, count] :
       std::vector<std::pair<const char*, std::size_t>>{{"ring", 12},
                                                        {"ring", 40},
                                                        {"uhashring-ketama", 20},
                                                        {"nginx-consistent", 20},
                                                        {"mcrouter-rendezvous", 20},
                                                        {"pymemcache-rendezvous", 12},
                                                        {"mcrouter-ch3", 20}}) {
    SCOPED_TRACE(recipe);
    const Diff d = diff(placed(recipe, servers(count)), placed(recipe, servers(count + 1)), 1, 40'000);
    const double fair = 1.0 / static_cast<double>(count + 1);
    // Tokens scatter a node's share by about 1/√V of itself; sampled keys add their own error.
    const bool points = std::string_view(recipe).find("rendezvous") == std::string_view::npos &&
                        std::string_view(recipe) != "mcrouter-ch3";
    const double spread =
        (points ? fair / std::sqrt(160.0) : 0) + (d.sampled ? std::sqrt(fair * (1 - fair) / 40'000.0) : 0);
    EXPECT_NEAR(d.differs.value(), fair, 4 * spread);
    for (const Transfer& t : d.transfers) EXPECT_EQ(t.to, servers(count + 1).back().name);
  }
}

// The identity of a ketama server is its address: a new one moves the whole share of the old one away and
// brings in a share of its own. Counted from both sides: as copies that servers give, and as copies that they
// gain.
TEST(Fleet, whose_server_gets_a_new_address_moves_its_old_share_and_its_new_one) {
  const std::vector<Node> before = servers(10);
  std::vector<Node> after = before;
  after[3].name = after[3].address = "10.9.9.9:11300";
  const Placement a = placed("libmemcached-ketama-weighted", before);
  const Placement b = placed("libmemcached-ketama-weighted", after);
  const Diff d = diff(a, b, 1);
  EXPECT_FALSE(d.sampled);
  Share given, gained, old_share, new_share, kept;
  for (const Diff::NodeShare& n : d.nodes) {
    given += n.given;
    gained += n.gained;
    if (n.name == before[3].name) old_share = n.before;
    if (n.name == after[3].name) new_share = n.after;
  }
  for (const Transfer& t : d.transfers) {
    EXPECT_TRUE(t.from == before[3].name || t.to == after[3].name) << t.from << " to " << t.to;
    if (t.from == before[3].name && t.to == after[3].name) kept += t.share;
  }
  EXPECT_EQ(d.moved, given);
  EXPECT_EQ(d.moved, gained);
  // What lies in both shares moves once.
  EXPECT_EQ(d.moved, old_share + new_share - kept);
  // With its old name as the label nothing moves.
  after[3].label = before[3].name;
  const Diff labelled = diff(a, placed("libmemcached-ketama-weighted", after), 1);
  EXPECT_EQ(labelled.moved, old_share);  // all of it from the old name to the new one
  ASSERT_EQ(labelled.transfers.size(), 1U);
}

}  // namespace
}  // namespace arcwise
