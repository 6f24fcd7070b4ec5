#include "arcwise/cause.hpp"

#include <gmock/gmock.h>

#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::HasSubstr;

using Settings = std::vector<std::pair<std::string, std::string>>;

Placement servers(std::string_view recipe, std::vector<Node> nodes, const Settings& settings = {}) {
  auto p = parts(recipe, std::move(nodes));
  p.placement.tokens = p.placement.recipe->default_tokens;
  set_all(p.placement, settings);
  return compile(map_of(std::move(p)));
}

std::vector<Node> three(double third = 1) {
  return {node("10.0.0.1:11211"), node("10.0.0.2:11211"), node("10.0.0.3:11211", third)};
}

std::vector<Cause> found(const Placement& a, const Placement& b) {
  return causes(a, b, diff(a, b, 1, 20'000), 20'000);
}

std::vector<CauseKind> kinds(const std::vector<Cause>& causes) {
  std::vector<CauseKind> out;
  for (const Cause& c : causes) out.push_back(c.kind);
  return out;
}

using Kinds = std::vector<CauseKind>;

TEST(Causes, give_the_bytes_of_a_point_on_both_sides) {
  const auto list = found(servers("libketama", three()), servers("twemproxy-ketama", three()));
  ASSERT_EQ(kinds(list), Kinds{CauseKind::identity});
  EXPECT_EQ(list[0].subject, "10.0.0.1:11211");
  EXPECT_EQ(list[0].bytes_before, "10.0.0.1:11211-0");
  EXPECT_EQ(list[0].bytes_after, "10.0.0.1-0");
  EXPECT_EQ(list[0].before, "its text 10.0.0.1:11211");
  EXPECT_THAT(list[0].advice, HasSubstr("name the server in nutcracker.yml"));
  ASSERT_TRUE(list[0].remaining);
  EXPECT_EQ(list[0].remaining->units, 0);
}

TEST(Causes, advise_a_recipe_of_the_same_software_that_agrees) {
  const auto list = found(servers("twemproxy-ketama", three()), servers("libmemcached-consistent", three()));
  EXPECT_EQ(kinds(list), (Kinds{CauseKind::points, CauseKind::hash}));
  EXPECT_THAT(list[0].advice, HasSubstr("run the second as `libmemcached-ketama-weighted`"));
  const auto other = found(servers("spymemcached-ketama", three()), servers("twemproxy-ketama", three()));
  EXPECT_THAT(other[0].advice, HasSubstr("run the first as `spymemcached-ketama-libmemcached`"));
}

TEST(Causes, are_none_where_two_recipes_place_alike) {
  EXPECT_TRUE(found(servers("libketama", three()), servers("go-ketama", three())).empty());
  EXPECT_TRUE(
      found(servers("twemproxy-ketama", three()), servers("libmemcached-ketama-weighted", three())).empty());
}

TEST(Causes, of_25_servers_are_the_points_that_single_precision_loses) {
  std::vector<Node> many;
  for (int i = 0; i < 25; ++i) many.push_back(node("10.0.0." + std::to_string(i) + ":11300"));
  const auto list = found(servers("libketama", many), servers("libmemcached-ketama-weighted", many));
  ASSERT_EQ(kinds(list), Kinds{CauseKind::points});
  EXPECT_THAT(list[0].before, HasSubstr("160 points a server"));
  EXPECT_THAT(list[0].after, HasSubstr("156 points a server"));
}

TEST(Causes, of_weights_say_who_ignores_them) {
  const auto list =
      found(servers("spymemcached-ketama", three(2)), servers("xmemcached-ketama-gwhalin", three(2)));
  ASSERT_EQ(kinds(list), Kinds{CauseKind::weights});
  EXPECT_EQ(list[0].subject, "10.0.0.3:11211");
  EXPECT_EQ(list[0].before, "weights 1, 1, 2: ignored");
  EXPECT_EQ(list[0].after,
            "weights 1, 1, 2: a weight multiplies a server's points, here 160, 160, 320 points");
  EXPECT_EQ(list[0].advice, "the first ignores weights: give every server the same weight in the other");
}

TEST(Causes, of_other_weights_are_not_other_points) {
  const auto list = found(servers("libketama", three()), servers("libketama", three(5)));
  ASSERT_EQ(kinds(list), Kinds{CauseKind::weights});
  EXPECT_EQ(list[0].advice, "give the servers the same weights in both");
  EXPECT_EQ(list[0].remaining, Share{});
}

TEST(Causes, come_in_order_and_each_leaves_less) {
  const auto list = found(servers("libketama", three()), servers("dalli", three()));
  EXPECT_EQ(kinds(list), (Kinds{CauseKind::points, CauseKind::hash, CauseKind::successor}));
  EXPECT_EQ(list[0].bytes_before, "10.0.0.1:11211-0");
  EXPECT_EQ(list[0].bytes_after, "10.0.0.1:11211:0");
  EXPECT_EQ(list[2].after, "the last point at or before the hash");
  EXPECT_GT(list[0].remaining->value(), 0.3);
  EXPECT_EQ(list[2].remaining->units, 0);
}

TEST(Causes, of_a_hash_tag_are_found_though_no_sampled_key_has_one) {
  const Placement plain = servers("twemproxy-ketama", three());
  const Placement tagged = servers("twemproxy-ketama", three(), {{"hash_tag", "{}"}});
  const Diff d = diff(plain, tagged, 1, 20'000);
  EXPECT_EQ(d.differs.units, 0);
  const auto list = causes(plain, tagged, d);
  ASSERT_EQ(kinds(list), Kinds{CauseKind::hash_tag});
  EXPECT_EQ(list[0].before, "the whole key");
  EXPECT_EQ(list[0].after, "what stands between { and }");
  EXPECT_THAT(list[0].bytes_before, HasSubstr("user:{"));
  EXPECT_EQ(list[0].bytes_before, list[0].subject);
  EXPECT_EQ("user:{" + list[0].bytes_after + "}:profile", list[0].subject);
}

TEST(Causes, of_a_hash_that_changes_one_value_of_32768_are_found) {
  const auto nodes = three();
  const Placement a = servers("nginx-hash", nodes), b = servers("python-memcached", nodes);
  const Diff d = diff(a, b, 1, 400'000);
  EXPECT_GT(d.differs.units, 0);
  EXPECT_EQ(kinds(causes(a, b, d, 0)), Kinds{CauseKind::hash});
}

TEST(Causes, of_a_prefix_show_it_before_the_key) {
  const auto list = found(servers("libmemcached-ketama-weighted", three()),
                          servers("libmemcached-ketama-weighted", three(), {{"prefix", "app:"}}));
  ASSERT_EQ(kinds(list), Kinds{CauseKind::key_prep});
  EXPECT_EQ(list[0].bytes_after, "app:" + list[0].bytes_before);
}

TEST(Causes, of_a_key_hash_name_it_and_say_who_can_change) {
  const auto list = found(servers("twemproxy-ketama", three()),
                          servers("twemproxy-ketama", three(), {{"hash", "fnv1a_64_low32"}}));
  ASSERT_EQ(kinds(list), Kinds{CauseKind::hash});
  EXPECT_THAT(list[0].before, HasSubstr("md5_ketama, which gives "));
  EXPECT_EQ(list[0].advice, "set the key hash of the second to `md5_ketama`");
  EXPECT_EQ(list[0].bytes_before, list[0].bytes_after);
}

TEST(Causes, of_hashes_that_make_the_points_too_are_the_hash_alone) {
  const auto list = found(servers("libmemcached-consistent", three()),
                          servers("libmemcached-consistent", three(), {{"hash", "md5_ketama"}}));
  ASSERT_EQ(kinds(list), Kinds{CauseKind::hash});
  EXPECT_EQ(list[0].remaining, Share{});
}

TEST(Causes, match_renamed_servers_by_their_address) {
  auto named = three();
  auto plain = three();
  for (std::size_t i = 0; i < 3; ++i) {
    named[i].address = plain[i].address = plain[i].name;
    named[i].name = "cache-" + std::to_string(i);
  }
  const Placement a = servers("twemproxy-ketama", plain), b = servers("twemproxy-ketama", named);
  const auto list = found(a, b);
  ASSERT_EQ(kinds(list), Kinds{CauseKind::identity});
  EXPECT_EQ(list[0].bytes_before, "10.0.0.1-0");
  EXPECT_EQ(list[0].bytes_after, "cache-0-0");
  const auto alike = named_alike(a, b);
  ASSERT_TRUE(alike);
  EXPECT_EQ(alike->nodes()[2].name, plain[2].name);
  EXPECT_EQ(alike->nodes()[2].label, "cache-2");
  EXPECT_FALSE(named_alike(a, a));
  const auto renamed = found(a, compile(*alike));
  ASSERT_EQ(kinds(renamed), Kinds{CauseKind::identity});
  EXPECT_EQ(renamed[0].remaining, Share{});
}

TEST(Causes, of_two_views_name_the_servers_that_only_one_has) {
  const auto list = found(compile(hashed_ring(nodes(4), 16)), compile(hashed_ring(nodes(5), 16)));
  ASSERT_EQ(kinds(list), Kinds{CauseKind::members});
  EXPECT_EQ(list[0].before, "no server of its own");
  EXPECT_EQ(list[0].after, "only here: n04");
  EXPECT_FALSE(list[0].remaining);
}

TEST(Causes, of_replica_policies_come_last) {
  const auto list = found(compile(hashed_ring(nodes(4), 16, 1)), compile(hashed_ring(nodes(4), 16, 2)));
  ASSERT_EQ(kinds(list), Kinds{CauseKind::replicas});
  EXPECT_EQ(list[0].before, "1 copy");
  EXPECT_EQ(list[0].after, "2 copies");
}

TEST(Causes, of_given_tokens_are_points) {
  const std::uint64_t quarter = std::uint64_t{1} << 62;
  const std::vector<Node> a{node_at("a", {quarter}), node_at("b", {2 * quarter})};
  const std::vector<Node> b{node_at("a", {quarter}), node_at("b", {3 * quarter})};
  EXPECT_EQ(kinds(found(compile(given_ring(a)), compile(given_ring(b)))), Kinds{CauseKind::points});
}

TEST(Causes, of_buckets_are_who_holds_them_and_the_order_in_which_others_went) {
  const auto map = [](std::vector<std::vector<std::uint32_t>> held, std::vector<std::uint32_t> removed) {
    auto p = parts("anchor", nodes(held.size()), 1, Across::node, 1);
    for (std::size_t i = 0; i < held.size(); ++i) p.nodes[i].buckets = held[i];
    p.placement.removed = std::move(removed);
    return compile(map_of(std::move(p)));
  };
  const auto order = found(map({{0}, {2}, {4}}, {1, 3}), map({{0}, {2}, {4}}, {3, 1}));
  ASSERT_EQ(kinds(order), Kinds{CauseKind::points});
  EXPECT_THAT(order[0].before, HasSubstr("removed 1, 3"));
  EXPECT_THAT(order[0].after, HasSubstr("removed 3, 1"));
  EXPECT_THAT(order[0].advice, HasSubstr("`removed`"));
  const auto held = found(map({{0, 3}, {1}, {2}}, {}), map({{0, 1}, {3}, {2}}, {}));
  ASSERT_EQ(kinds(held), Kinds{CauseKind::identity});
  EXPECT_EQ(held[0].before, "its buckets 0, 3");
  EXPECT_THAT(held[0].advice, HasSubstr("same `buckets`"));
}

}  // namespace
}  // namespace arcwise
