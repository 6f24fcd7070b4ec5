// What makes a map: each rule with a map that breaks it and one that nearly does.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "arcwise/map.hpp"

namespace arcwise {
namespace {

// A spec in which every field has a line of its own, so that an error shows which field it blames.
class Spec {
 public:
  explicit Spec(std::string recipe = "ring") {
    spec_.at = mark();
    spec_.recipe = {std::move(recipe), mark()};
  }
  Spec& node(std::string name, std::string rack = "", std::string zone = "", std::string state = "normal") {
    ClusterSpec::NodeSpec n;
    n.at = mark();
    n.name = text(std::move(name));
    n.rack = text(std::move(rack));
    n.zone = text(std::move(zone));
    n.state = text(std::move(state));
    spec_.nodes.push_back(std::move(n));
    return *this;
  }
  Spec& weight(double value) {
    spec_.nodes.back().weight = Marked<double>{value, mark()};
    return *this;
  }
  Spec& address(std::string value) {
    spec_.nodes.back().address = text(std::move(value));
    return *this;
  }
  Spec& tokens(std::vector<std::string> values) {
    for (auto& value : values) spec_.nodes.back().tokens.push_back(text(std::move(value)));
    spec_.nodes.back().tokens_present = true;
    return *this;
  }
  Spec& given() {
    spec_.allocation = text("given");
    return *this;
  }
  Spec& replicas(std::uint64_t count, std::string across = "node", std::string when_short = "refuse") {
    spec_.count = Marked<std::uint64_t>{count, mark()};
    spec_.across = text(std::move(across));
    spec_.when_short = text(std::move(when_short));
    return *this;
  }
  Spec& per_zone(std::string zone, std::uint64_t count) {
    spec_.per_zone.push_back({text(std::move(zone)), {count, mark()}});
    return *this;
  }
  Spec& range(std::string upto, std::vector<std::string> owners) {
    ClusterSpec::RangeSpec range{text(std::move(upto)), {}};
    for (auto& owner : owners) range.owners.push_back(text(std::move(owner)));
    spec_.ranges.push_back(std::move(range));
    return *this;
  }
  ClusterSpec* operator->() { return &spec_; }

  ClusterMap map() const {
    auto made = validate(spec_);
    if (!made) {
      ADD_FAILURE() << to_string(made.error());
      std::abort();
    }
    return *made;
  }
  /// The error, as "what: why".
  std::string error(const Mark& at) const {
    const auto made = validate(spec_);
    if (made) return "accepted";
    EXPECT_EQ(made.error().where.line, at.line) << to_string(made.error());
    EXPECT_EQ(made.error().kind, ErrorKind::input);
    EXPECT_FALSE(made.error().advice.empty());
    return made.error().what + ": " + made.error().why;
  }

 private:
  Mark mark() { return {"spec", ++line_, 1}; }
  Marked<std::string> text(std::string value) { return {std::move(value), mark()}; }

  ClusterSpec spec_;
  std::uint32_t line_ = 0;
};

TEST(Validate, three_copies_need_three_nodes) {
  Spec two;
  two.node("a").node("b").replicas(3);
  EXPECT_EQ(two.error(two->count->at), "3: more replicas than nodes: 2 can hold one");
  two.node("c", "", "", "joining");
  EXPECT_EQ(two.error(two->count->at), "3: more replicas than nodes: 2 can hold one");
  two.node("d", "", "", "leaving");
  EXPECT_EQ(two.map().replicas().count, 3u);
}

TEST(Validate, three_nodes_in_two_racks_are_refused_or_repeat) {
  Spec refuse;
  refuse.node("a", "r1").node("b", "r2").node("c", "r2").replicas(3, "rack", "refuse");
  EXPECT_EQ(refuse.error(refuse->count->at), "3: fewer racks than replicas: there are 2");
  Spec repeat;
  repeat.node("a", "r1").node("b", "r2").node("c", "r2").replicas(3, "rack", "repeat");
  EXPECT_EQ(repeat.map().replicas().when_short, WhenShort::repeat);
  Spec enough;
  enough.node("a", "r1").node("b", "r2").node("c", "r3").replicas(3, "rack", "refuse");
  EXPECT_EQ(enough.map().replicas().count, 3u);
}

TEST(Validate, repeat_does_not_make_two_nodes_three) {
  Spec spec;
  spec.node("a", "r1").node("b", "r2").replicas(3, "rack", "repeat");
  EXPECT_EQ(spec.error(spec->count->at), "3: more replicas than nodes: 2 can hold one");
  // An importer reports what a running cluster has; there it is a finding, not an error.
  ClusterMap::Parts parts = Spec().node("a", "r1").node("b", "r2").map().parts();
  parts.replicas = {3, Across::rack, WhenShort::repeat, {}};
  EXPECT_TRUE(ClusterMap::build(parts));
  parts.replicas.when_short = WhenShort::refuse;
  EXPECT_FALSE(ClusterMap::build(parts));
}

TEST(Validate, a_rack_is_named_within_its_zone) {
  Spec same_names;
  same_names.node("a", "r1", "eu").node("b", "r1", "us").replicas(2, "rack");
  EXPECT_EQ(same_names.map().replicas().count, 2u);
  Spec same_rack;
  same_rack.node("a", "r1", "eu").node("b", "r1", "eu").replicas(2, "rack");
  EXPECT_EQ(same_rack.error(same_rack->count->at), "2: fewer racks than replicas: there are 1");
}

TEST(Validate, two_instances_on_a_machine_are_one_host) {
  Spec spec;
  spec.node("a").address("10.0.0.1:1").node("b").address("10.0.0.1:2").node("c").address("10.0.0.2:1");
  spec.replicas(3, "host");
  EXPECT_EQ(spec.error(spec->count->at), "3: fewer hosts than replicas: there are 2");
  spec->count->value = 2;
  EXPECT_EQ(spec.map().nodes()[1].host, "10.0.0.1");
}

TEST(Validate, copies_per_zone_need_nodes_in_that_zone) {
  Spec unknown;
  unknown.node("a", "", "eu").per_zone("eu", 1).per_zone("us", 1);
  EXPECT_EQ(unknown.error(unknown->per_zone[1].count.at), "us: no node that can hold a copy is in this zone");
  Spec few;
  few.node("a", "", "eu").node("b", "", "us").per_zone("us", 2).per_zone("eu", 1);
  EXPECT_EQ(few.error(few->per_zone[0].count.at), "2: more replicas than nodes in zone 'us': 1 can hold one");
  Spec racks;
  racks.node("a", "r1", "eu").node("b", "r1", "eu").per_zone("eu", 2);
  racks->across = Marked<std::string>{"rack", {}};
  EXPECT_EQ(racks.error(racks->per_zone[0].count.at),
            "2: fewer racks than replicas in zone 'eu': there are 1");
  Spec twice;
  twice.node("a", "", "eu").per_zone("eu", 1).per_zone("eu", 1);
  EXPECT_EQ(twice.error(twice->per_zone[0].count.at), "eu: a zone is counted twice");
}

TEST(Validate, copies_per_zone_are_sorted_and_summed) {
  Spec spec;
  spec.node("a", "", "us").node("b", "", "eu").node("c", "", "eu").node("d", "", "asia");
  spec.per_zone("us", 1).per_zone("eu", 2);
  const ReplicaPolicy policy = spec.map().replicas();
  EXPECT_EQ(policy.count, 3u);
  ASSERT_EQ(policy.per_zone.size(), 2u);
  EXPECT_EQ(policy.per_zone[0].zone, "eu");
  EXPECT_EQ(policy.per_zone[0].count, 2u);
  EXPECT_EQ(policy.per_zone[1].zone, "us");
}

TEST(Validate, a_zone_of_parts_with_no_copy_is_as_good_as_not_listed) {
  ClusterMap::Parts parts = Spec().node("a", "", "eu").node("b", "", "us").map().parts();
  parts.replicas.per_zone = {{"us", 0}, {"eu", 1}};
  const auto map = ClusterMap::build(parts);
  ASSERT_TRUE(map);
  ASSERT_EQ(map->replicas().per_zone.size(), 1u);
  EXPECT_EQ(map->replicas().per_zone[0].zone, "eu");
  parts.replicas.per_zone = {{"us", 0}};
  EXPECT_FALSE(ClusterMap::build(parts));
}

TEST(Validate, copies_are_counted_from_1_to_64) {
  Spec spec;
  for (int i = 0; i < 70; ++i) spec.node("n" + std::to_string(i), "", "eu");
  spec.replicas(64);
  EXPECT_EQ(spec.map().replicas().count, 64u);
  for (std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{65}, ~std::uint64_t{0}, std::uint64_t{1} << 32 | 3}) {
    spec->count->value = count;
    EXPECT_EQ(spec.error(spec->count->at),
              std::to_string(count) + ": the replica count is not between 1 and 64");
  }
  Spec zones;
  for (const char* zone : {"eu", "us"})
    for (int i = 0; i < 40; ++i) zones.node(zone + std::to_string(i), "", zone);
  zones.per_zone("eu", 32).per_zone("us", 33);
  EXPECT_EQ(zones.error(zones->per_zone[0].count.at), "65: the replica count is not between 1 and 64");
  zones->per_zone[1].count.value = 32;
  EXPECT_EQ(zones.map().replicas().count, 64u);
}

TEST(Validate, per_zone_lists_at_most_32_zones) {
  Spec spec;
  for (int i = 0; i < 33; ++i) spec.node("n" + std::to_string(i), "", "z" + std::to_string(i));
  for (int i = 0; i < 33; ++i) spec.per_zone("z" + std::to_string(i), 1);
  EXPECT_EQ(spec.error(spec->per_zone[0].count.at), "33: too many zones in per_zone");
  spec->per_zone.pop_back();
  EXPECT_EQ(spec.map().replicas().count, 32u);
}

TEST(Validate, a_weight_is_finite_and_positive) {
  const double inf = std::numeric_limits<double>::infinity();
  for (double bad : {0.0, -0.0, -1.0, inf, -inf, std::nan(""), 1e300, 4294967296.0, 1e-300, 0.99e-9}) {
    Spec spec;
    spec.given().node("a").tokens({"1"}).weight(bad);
    EXPECT_NE(spec.error(spec->nodes[0].weight->at)
                  .find(": node 'a' has a weight that is not a finite positive number"),
              std::string::npos)
        << bad;
  }
  for (double good : {1e-9, 0.5, 1.0, 1e9, 4294967295.0}) {
    Spec spec;
    spec.given().node("a").tokens({"1"}).weight(good);
    EXPECT_EQ(spec.map().nodes()[0].weight, good);
  }
}

TEST(Validate, weights_may_not_ask_for_more_ring_entries_than_fit) {
  Spec spec;
  spec->tokens = Marked<std::uint64_t>{256, {}};
  spec.node("a").weight(131072).node("b").weight(131072);
  EXPECT_EQ(spec.map().nodes().size(), 2u);  // 2 × 131,072 × 256 = 2^26
  spec.node("c").weight(0.001);
  EXPECT_EQ(spec.error(spec->nodes[2].weight->at),
            "0.001: weight × tokens, summed up to node 'c', makes more than 67108864 ring entries");
}

TEST(Validate, weights_that_divide_a_fixed_number_of_entries_may_be_large) {
  for (const char* recipe : {"hashring", "npm-memcached", "uhashring-ketama", "dalli", "libketama"}) {
    Spec spec(recipe);
    spec.node("a:1").weight(1e9).node("b:1").weight(1);
    EXPECT_EQ(spec.map().nodes().size(), 2u) << recipe;
  }
}

TEST(Validate, tokens_per_unit_of_weight_are_1_to_a_million) {
  for (std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{1'000'001}, ~std::uint64_t{0}}) {
    Spec spec;
    spec.node("a");
    spec->tokens = Marked<std::uint64_t>{bad, {"spec", 99, 1}};
    EXPECT_EQ(spec.error({"spec", 99, 1}), std::to_string(bad) + ": `tokens` is not between 1 and 1000000");
  }
  Spec spec;
  EXPECT_EQ(spec.node("a").map().placement().tokens, 256u);
}

TEST(Validate, a_given_token_has_one_owner) {
  Spec two;
  two.given().node("a").tokens({"01", "02"}).node("b").tokens({"3", "0002"});
  EXPECT_EQ(two.error(two->nodes[1].tokens[1].at), "0002: a token is given to both 'a' and 'b'");
  Spec one;
  one.given().node("a").tokens({"02", "01", "2"});
  EXPECT_EQ(one.error(one->nodes[0].tokens[2].at), "2: node 'a' lists a token twice");
}

TEST(Validate, given_tokens_are_sorted) {
  Spec spec;
  spec.given().node("a").tokens({"ff", "0", "FFFFFFFFFFFFFFFF", "10"});
  EXPECT_EQ(spec.map().nodes()[0].tokens, (std::vector<Token>{{0}, {0x10}, {0xff}, {~std::uint64_t{0}}}));
}

TEST(Validate, a_token_lies_within_the_ring) {
  for (const char* bad : {"10000", "", "-1", "0x1", "g", " 1", "1 "}) {
    Spec spec;
    spec->hash = Marked<std::string>{"crc16", {}};
    spec.given().node("a").tokens({"ffff", bad});
    EXPECT_EQ(spec.error(spec->nodes[0].tokens[1].at), std::string(bad) + ": not a token of this ring");
  }
}

TEST(Validate, a_token_of_parts_lies_within_the_ring_too) {
  Spec spec;
  spec->hash = Marked<std::string>{"crc16", {}};
  ClusterMap::Parts parts = spec.given().node("a").tokens({"ffff"}).map().parts();
  EXPECT_TRUE(ClusterMap::build(parts));
  parts.nodes[0].tokens[0].value = 0x10000;
  EXPECT_FALSE(ClusterMap::build(parts));
}

TEST(Validate, a_range_of_parts_lies_within_the_ring_too) {
  Spec spec("ranges");
  spec->hash = Marked<std::string>{"crc16", {}};
  ClusterMap::Parts parts = spec.node("a").range("ffff", {"a"}).map().parts();
  EXPECT_TRUE(ClusterMap::build(parts));
  parts.placement.table[0].upto.value = 0x10000;
  EXPECT_FALSE(ClusterMap::build(parts));
}

TEST(Validate, given_and_hashed_tokens_do_not_mix) {
  Spec missing;
  missing.given().node("a").tokens({"1"}).node("b");
  EXPECT_EQ(missing.error(missing->nodes[1].name.at),
            "b: the allocation is given, but this node lists no token");
  missing->nodes[1].state->value = "joining";
  EXPECT_TRUE(missing.map().nodes()[1].tokens.empty());
  Spec unwanted;
  unwanted.node("a").tokens({"1"});
  EXPECT_EQ(unwanted.error(unwanted->nodes[0].tokens[0].at),
            "1: node 'a' lists tokens, but this allocation makes its own");
}

TEST(Validate, somebody_must_own_something) {
  Spec joining;
  joining.node("a", "", "", "joining").node("b", "", "", "joining");
  EXPECT_EQ(joining.error(joining->nodes[0].state->at),
            "joining: every node is joining, so nobody owns anything");
  joining.node("c", "", "", "leaving");
  EXPECT_EQ(joining.map().nodes().size(), 3u);
  Spec nobody;
  EXPECT_EQ(nobody.error(nobody->at), ": the map has no node");
}

TEST(Validate, a_name_is_an_identity) {
  Spec spec;
  spec.node("a").node("b").node("a");
  EXPECT_EQ(spec.error(spec->nodes[2].name.at), "a: two nodes have the same name");
  spec->nodes[2].name.value = "A";
  EXPECT_EQ(spec.map().find("A"), NodeIndex{2});
  EXPECT_EQ(spec.map().find("B"), std::nullopt);
}

TEST(Validate, texts_are_printable_utf8) {
  for (const char* bad : {"a\nb", "a\x7f", "\xc2\x85", "\x1b[31m"}) {
    Spec name, rack;
    name.node(bad);
    EXPECT_EQ(name.error(name->nodes[0].name.at),
              std::string(bad) + ": a control character in a node's field");
    rack.node("a", bad);
    EXPECT_EQ(rack.error(rack->nodes[0].name.at),
              std::string(bad) + ": a control character in a node's field");
  }
  for (const char* bad :
       {"\xe9", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x8f\xbf\xbf", "\xe2\x82", "\x80"}) {
    Spec spec;
    spec.node(bad);
    EXPECT_EQ(spec.error(spec->nodes[0].name.at),
              std::string(bad) + ": bytes that are not UTF-8 in a node's field");
  }
  Spec cluster;
  cluster.node("a");
  cluster->cluster = Marked<std::string>{"c\x01", {}};
  EXPECT_EQ(cluster.error(cluster->at), "c\x01: a control character in the cluster's name");
  for (const char* good : {"\xc2\xa0", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xf0\x90\x80\x80", "a b", "é"})
    EXPECT_EQ(Spec().node(good).map().nodes()[0].name, good);
}

TEST(Validate, the_host_is_the_address_without_its_port_or_the_name) {
  const auto host = [](std::string address) {
    return Spec().node("n").address(std::move(address)).map().nodes()[0].host;
  };
  EXPECT_EQ(host("10.0.0.1:11211"), "10.0.0.1");
  EXPECT_EQ(host("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(host("[::1]:80"), "::1");
  EXPECT_EQ(host("2001:db8::1"), "2001:db8::1");
  EXPECT_EQ(host("/var/run/cache.sock"), "/var/run/cache.sock");
  EXPECT_EQ(host("[::1"), "[::1");
  EXPECT_EQ(host(""), "n");
}

TEST(Validate, a_table_lists_ranges_in_order_with_distinct_owners) {
  Spec none("ranges");
  none.node("a");
  EXPECT_EQ(none.error(none->recipe.at), "ranges: this recipe needs a list of ranges, and the map has none");
  Spec order("ranges");
  order.node("a").range("0f", {"a"}).range("f", {"a"});
  EXPECT_EQ(order.error(order->ranges[1].upto.at),
            "f: ranges are not in ascending order of `upto`, or one is listed twice");
  Spec twice("ranges");
  twice.node("a").range("f", {"a", "a"});
  EXPECT_EQ(twice.error(twice->ranges[0].upto.at), "a: a range lists an owner twice");
  Spec stranger("ranges");
  stranger.node("a").range("f", {"a", "b"});
  EXPECT_EQ(stranger.error(stranger->ranges[0].owners[1].at), "b: a range names an owner that is not a node");
  Spec elsewhere;
  elsewhere.node("a").range("f", {"a"});
  EXPECT_EQ(elsewhere.error(elsewhere->ranges[0].upto.at), "f: recipe 'ring' takes no list of ranges");
}

TEST(Validate, a_table_of_parts_names_nodes_that_there_are) {
  ClusterMap::Parts parts = Spec("ranges").node("a").node("b").range("f", {"a"}).map().parts();
  parts.placement.table[0].owners = {9};
  const auto map = ClusterMap::build(std::move(parts));
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().what, "9");
  EXPECT_EQ(map.error().why, "a range names a node by a number that none of the 2 nodes has");
}

TEST(Validate, a_missing_list_of_partitions_is_asked_for_by_its_own_name) {
  Spec none("partitions");
  none.node("a");
  const auto map = validate(*none.operator->());
  ASSERT_FALSE(map);
  EXPECT_NE(map.error().advice.find("`partitions`"), std::string::npos) << map.error().advice;
}

TEST(Validate, whole_number_weights_are_refused_only_where_they_would_be_off) {
  for (const char* recipe : {"rendezvous", "maglev"}) {
    Spec spec(recipe);
    spec.node("a").weight(4.9e-8).node("b");
    EXPECT_NE(spec.error(spec->nodes[0].weight->at).find("has a weight below 5e-8"), std::string::npos);
    spec->nodes[0].weight->value = 5e-8;
    EXPECT_EQ(spec.map().nodes().size(), 2u);
  }
}

TEST(Validate, slots_are_all_listed) {
  Spec spec("ranges");
  spec->slots = Marked<std::uint64_t>{16, {}};
  spec.node("a").range("7", {"a"}).range("e", {"a"});
  EXPECT_EQ(spec.error(spec->ranges[1].upto.at), "e: the slots end before the last one");
  spec->ranges[1].upto.value = "10";
  EXPECT_EQ(spec.error(spec->ranges[1].upto.at), "10: not a position of this space");
  spec->ranges[1].upto.value = "f";
  EXPECT_EQ(spec.map().space(), TokenSpace::slots(16));
  for (std::uint64_t bad : {std::uint64_t{0}, max_ring_tokens + 1, ~std::uint64_t{0}}) {
    spec->slots->value = bad;
    EXPECT_EQ(spec.error(spec->slots->at),
              std::to_string(bad) + ": not a possible number of slots for this recipe");
  }
}

TEST(Validate, the_owners_of_a_table_are_its_copies_unless_fewer_are_asked_for) {
  Spec spec("ranges");
  spec.node("a").node("b").node("c").range("f", {"a"}).range("ff", {"a", "b", "c"});
  EXPECT_EQ(spec.map().replicas().count, 3u);
  spec.replicas(2);
  EXPECT_EQ(spec.map().replicas().count, 2u);
}

TEST(Validate, unknown_words_are_named_where_they_stand) {
  Spec recipe("rings");
  recipe.node("a");
  EXPECT_EQ(recipe.error(recipe->recipe.at), "rings: unknown recipe");
  const auto blamed = [](auto change) {
    Spec spec;
    spec.node("a");
    change(spec);
    return spec.error({"spec", 99, 1});
  };
  const Mark at{"spec", 99, 1};
  EXPECT_EQ(blamed([&](Spec& s) { s->hash = Marked<std::string>{"md6", at}; }),
            "md6: recipe 'ring' has no such key hash");
  EXPECT_EQ(blamed([&](Spec& s) { s->across = Marked<std::string>{"shelf", at}; }),
            "shelf: unknown level for `across`");
  EXPECT_EQ(blamed([&](Spec& s) { s->when_short = Marked<std::string>{"wait", at}; }),
            "wait: unknown value of `when_short`");
  EXPECT_EQ(blamed([&](Spec& s) { s->allocation = Marked<std::string>{"", at}; }),
            ": recipe 'ring' has no such allocation");
  EXPECT_EQ(blamed([&](Spec& s) { s->hash_tag = Marked<std::string>{"{}", at}; }),
            "{}: a hash tag is two characters, for a recipe that takes one");
  EXPECT_EQ(blamed([&](Spec& s) { s->nodes[0].state = Marked<std::string>{"down", at}; }),
            "down: unknown node state");
}

TEST(ErrorText, shows_file_line_column_reason_text_and_advice) {
  EXPECT_EQ(to_string(Error{ErrorKind::input, {"m.yaml", 3, 7}, "3", "too many", "lower it"}),
            "m.yaml:3:7: too many: \"3\"; lower it");
  EXPECT_EQ(to_string(Error{ErrorKind::input, {"m.yaml", 3, 0}, "", "too many", ""}), "m.yaml:3: too many");
  EXPECT_EQ(to_string(Error{ErrorKind::io, {"m.yaml"}, "", "gone", ""}), "m.yaml: gone");
  EXPECT_EQ(to_string(Error{ErrorKind::input, {}, "", "bad", ""}), "bad");
}

TEST(ErrorText, holds_nothing_that_acts_on_a_terminal_and_stays_short) {
  EXPECT_EQ(to_string(Error{ErrorKind::input,
                            {},
                            "\x1b[31m\xc2\x9b\xff"
                            "é",
                            "bad",
                            ""}),
            "bad: \"\\x1b[31m\\xc2\\x9b\\xffé\"");
  EXPECT_EQ(to_string(Error{ErrorKind::input, {}, std::string(80, 'a'), "bad", ""}),
            "bad: \"" + std::string(80, 'a') + "\"");
  EXPECT_EQ(to_string(Error{ErrorKind::input, {}, std::string(79, 'a') + "é", "bad", ""}),
            "bad: \"" + std::string(79, 'a') + "…\"");
}

}  // namespace
}  // namespace arcwise
