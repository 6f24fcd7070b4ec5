// What a map file says, and that a map's own text gives the same map back.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cmath>

#include "arcwise/format.hpp"
#include "format/map_file_testing.hpp"
#include "model/build.hpp"

namespace arcwise {
namespace {

using testing::same_map;

ClusterMap read(std::string text) {
  auto map = parse_map({"test", std::move(text)});
  if (!map) {
    ADD_FAILURE() << to_string(map.error());
    std::abort();
  }
  return *map;
}

constexpr const char* carts = R"(# a comment
arcwise: 1                    # format version
cluster: carts
epoch: 7
placement:
  recipe: ring
  hash: xxh64
  tokens: 16
  allocation: hashed
replicas:
  count: 2
  across: rack
  when_short: refuse
nodes:
  - {name: cache-1, address: "10.0.0.1:11211", host: m1, weight: 1, rack: r1, zone: eu, state: normal}
  - name: cache-2
    label: old-name
    weight: 2.5
    rack: r2
    state: leaving
  - {name: cache-3, state: joining}
)";

TEST(MapFile, buckets_and_those_that_were_removed_arrive_in_their_order) {
  const ClusterMap map = read(R"(arcwise: 1
placement: {recipe: anchor, removed: [3, 1], settings: {capacity: 64}}
nodes:
  - {name: a, buckets: [4, 0], weight: 2}
  - {name: b, buckets: [2]}
)");
  EXPECT_EQ(map.placement().removed, (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(map.nodes()[0].buckets, (std::vector<std::uint32_t>{0, 4}));
  EXPECT_TRUE(same_map(read(write_map(map)), map));
}

TEST(MapFile, every_field_arrives) {
  const ClusterMap map = read(carts);
  EXPECT_EQ(map.cluster(), "carts");
  EXPECT_EQ(map.epoch(), 7u);
  EXPECT_EQ(map.placement().recipe->name, "ring");
  EXPECT_EQ(map.placement().hash, KeyHashId::xxh64);
  EXPECT_EQ(map.placement().tokens, 16u);
  EXPECT_FALSE(map.placement().given);
  EXPECT_EQ(map.replicas().count, 2u);
  EXPECT_EQ(map.replicas().across, Across::rack);
  EXPECT_EQ(map.replicas().when_short, WhenShort::refuse);
  ASSERT_EQ(map.nodes().size(), 3u);
  const Node& first = map.nodes()[0];
  EXPECT_EQ(first.name, "cache-1");
  EXPECT_EQ(first.label, "cache-1");
  EXPECT_EQ(first.address, "10.0.0.1:11211");
  EXPECT_EQ(first.host, "m1");
  EXPECT_EQ(first.rack, "r1");
  EXPECT_EQ(first.zone, "eu");
  EXPECT_EQ(map.nodes()[1].label, "old-name");
  EXPECT_EQ(map.nodes()[1].weight, 2.5);
  EXPECT_EQ(map.nodes()[1].state, NodeState::leaving);
  EXPECT_EQ(map.nodes()[2].state, NodeState::joining);
  EXPECT_EQ(map.nodes()[2].weight, 1);
}

TEST(MapFile, is_written_in_its_own_layout) {
  EXPECT_EQ(write_map(read(carts)),
            R"(arcwise: 1
cluster: carts
epoch: 7
placement:
  recipe: ring
  hash: xxh64
  tokens: 16
  allocation: hashed
replicas:
  count: 2
  across: rack
  when_short: refuse
nodes:
  - {name: cache-1, address: "10.0.0.1:11211", host: m1, weight: 1, rack: r1, zone: eu}
  - {name: cache-2, label: old-name, weight: 2.5, rack: r2, state: leaving}
  - {name: cache-3, weight: 1, state: joining}
)");
}

TEST(MapFile, json_yaml_byte_order_mark_and_crlf_are_the_same_map) {
  const ClusterMap json = read(
      R"({"arcwise": 1, "cluster": "carts", "epoch": 7,
          "placement": {"recipe": "ring", "hash": "xxh64", "tokens": 16, "allocation": "hashed"},
          "replicas": {"count": 2, "across": "rack", "when_short": "refuse"},
          "nodes": [{"name": "cache-1", "address": "10.0.0.1:11211", "host": "m1", "rack": "r1", "zone": "eu"},
                    {"name": "cache-2", "label": "old-name", "weight": 2.5, "rack": "r2", "state": "leaving"},
                    {"name": "cache-3", "state": "joining"}]})");
  EXPECT_TRUE(same_map(json, read(carts)));
  std::string windows = "\xef\xbb\xbf";
  for (const char* c = carts; *c; ++c) {
    if (*c == '\n') windows += '\r';
    windows += *c;
  }
  EXPECT_TRUE(same_map(read(windows), read(carts)));
  EXPECT_TRUE(same_map(read("---\n" + std::string(carts) + "...\n"), read(carts)));
}

TEST(MapFile, names_are_the_text_that_was_written) {
  const ClusterMap map = read(
      "arcwise: 1\nplacement: {recipe: ring}\nnodes:\n"
      "  - {name: 1.0, rack: 007, zone: no}\n  - {name: yes, rack: \"true\"}\n  - {name: '#x''y'}\n"
      "  - {name: a b, address: \"::1\"}\n  - {name: \"caf\\u00e9\"}\n  - {name: caf\u00e9 2}\n");
  EXPECT_EQ(map.nodes()[0].name, "1.0");
  EXPECT_EQ(map.nodes()[0].rack, "007");
  EXPECT_EQ(map.nodes()[0].zone, "no");
  EXPECT_EQ(map.nodes()[1].name, "yes");
  EXPECT_EQ(map.nodes()[1].rack, "true");
  EXPECT_EQ(map.nodes()[2].name, "#x'y");
  EXPECT_EQ(map.nodes()[3].name, "a b");
  EXPECT_EQ(map.nodes()[3].host, "::1");
  EXPECT_EQ(map.nodes()[4].name, "café");
  EXPECT_EQ(map.nodes()[5].name, "café 2");
}

TEST(MapFile, surrogate_pairs_in_json_are_one_character) {
  const ClusterMap map =
      read(R"({"arcwise": 1, "placement": {"recipe": "ring"}, "nodes": [{"name": "\ud83d\ude00"}]})");
  EXPECT_EQ(map.nodes()[0].name, "\xf0\x9f\x98\x80");
  // YAML has another escape for it; the pair is no YAML, and is refused there rather than misread.
  const auto yaml =
      parse_map({"m", "arcwise: 1\nplacement: {recipe: ring}\nnodes:\n  - {name: \"\\ud83d\\ude00\"}\n"});
  ASSERT_FALSE(yaml);
  EXPECT_EQ(yaml.error().where.line, 4u);
  EXPECT_EQ(yaml.error().where.column, 13u);
  EXPECT_NE(yaml.error().why.find("surrogate pair"), std::string::npos) << yaml.error().why;
  EXPECT_EQ(
      read("arcwise: 1\nplacement: {recipe: ring}\nnodes:\n  - {name: \"\\U0001f600\"}\n").nodes()[0].name,
      "\xf0\x9f\x98\x80");
}

TEST(MapFile, a_flow_map_that_only_starts_like_json_is_yaml) {
  EXPECT_EQ(read("{\"arcwise\": 1, placement: {recipe: ring}, nodes: [{name: a}]}").nodes()[0].name, "a");
}

TEST(MapFile, tokens_are_hex_with_or_without_quotes) {
  const ClusterMap map = read(
      "arcwise: 1\nplacement: {recipe: ring, allocation: given}\nnodes:\n"
      "  - {name: a, tokens: [12e4, \"00ff\", 10, ABC, 1e400]}\n  - {name: b, state: joining}\n");
  EXPECT_EQ(map.nodes()[0].tokens, (std::vector<Token>{{0x10}, {0xff}, {0xabc}, {0x12e4}, {0x1e400}}));
}

TEST(MapFile, a_table_lists_its_ranges) {
  const ClusterMap map = read(
      "arcwise: 1\nplacement:\n  recipe: ranges\n  slots: 16\n  ranges:\n    - {upto: 7, owners: [a, b]}\n"
      "    - {upto: 9, owners: []}\n    - {upto: f, owners: [b, a]}\nnodes:\n  - {name: a}\n  - {name: b}\n");
  ASSERT_EQ(map.placement().table.size(), 3u);
  EXPECT_EQ(map.placement().table[0].owners, (std::vector<NodeIndex>{0, 1}));
  EXPECT_TRUE(map.placement().table[1].owners.empty());
  EXPECT_EQ(map.placement().table[2].upto, (Token{15}));
  EXPECT_EQ(map.replicas().count, 2u);
  EXPECT_TRUE(same_map(map, read(write_map(map))));
}

TEST(MapFile, partitions_are_numbers_of_holders_whatever_the_order_of_nodes) {
  const std::string placement =
      "arcwise: 1\nplacement:\n  recipe: partitions\n  hash: crc16\n  holders: [b, a]\n"
      "  partitions:\n    - \"0,1 1,0\"\n    - \" - \"\n";
  const ClusterMap map = read(placement + "nodes:\n  - {name: a}\n  - {name: b}\n");
  ASSERT_EQ(map.placement().table.size(), 3u);
  EXPECT_EQ(map.placement().table[0].owners, (std::vector<NodeIndex>{1, 0}));
  EXPECT_EQ(map.placement().table[1].owners, (std::vector<NodeIndex>{0, 1}));
  EXPECT_TRUE(map.placement().table[2].owners.empty());
  EXPECT_EQ(map.placement().table[0].upto, (Token{21845}));  // 65536 / 3 = 21845.3: the last of part 0
  EXPECT_EQ(map.placement().table[2].upto, (Token{65535}));
  EXPECT_EQ(map.replicas().count, 2u);
  EXPECT_TRUE(same_map(map, read(write_map(map))));
  EXPECT_NE(write_map(map).find("  holders: [a, b]\n  partitions:\n    - \"1,0 0,1 -\"\n"),
            std::string::npos);
}

TEST(MapFile, sixty_five_thousand_partitions_take_a_few_bytes_each) {
  std::string nodes = "nodes:\n";
  for (int i = 0; i < 10; ++i) nodes += "  - {name: n" + std::to_string(i) + "}\n";
  std::string text =
      "arcwise: 1\nplacement:\n  recipe: partitions\n"
      "  holders: [n0, n1, n2, n3, n4, n5, n6, n7, n8, n9]\n  partitions:";
  for (int i = 0; i < 65536; ++i)
    text += (i % 64 ? " "
             : i    ? "\"\n    - \""
                    : "\n    - \"") +
            std::to_string(i % 10) + "," + std::to_string((i + 3) % 10);
  const ClusterMap map = read(text + "\"\n" + nodes);
  EXPECT_EQ(map.placement().table.size(), 65536u);
  const std::string written = write_map(map);
  EXPECT_LT(written.size(), 65536u * 5);
  EXPECT_TRUE(same_map(map, read(written)));
}

TEST(MapFile, copies_per_zone) {
  const ClusterMap map = read(
      "arcwise: 1\nplacement: {recipe: ring}\nreplicas: {per_zone: {us: 2, eu: 1}, across: rack, when_short: "
      "repeat}\n"
      "nodes:\n  - {name: a, zone: eu}\n  - {name: b, zone: us}\n  - {name: c, zone: us}\n");
  EXPECT_EQ(map.replicas().count, 3u);
  ASSERT_EQ(map.replicas().per_zone.size(), 2u);
  EXPECT_EQ(map.replicas().per_zone[0].zone, "eu");
  EXPECT_EQ(map.replicas().per_zone[1].count, 2u);
  EXPECT_TRUE(same_map(map, read(write_map(map))));
}

TEST(MapFile, many_tokens_are_wrapped) {
  const ClusterMap map = read(
      "arcwise: 1\nplacement: {recipe: ring, hash: crc16, allocation: given}\nnodes:\n"
      "  - {name: a, tokens: [1, 2, 3, 4, 5, 6], rack: r}\n");
  EXPECT_NE(write_map(map).find("  - {name: a, weight: 1, rack: r, tokens: [\n"
                                "      \"0001\", \"0002\", \"0003\", \"0004\", \"0005\",\n"
                                "      \"0006\"]}\n"),
            std::string::npos)
      << write_map(map);
}

// Random maps.

std::string utf8(std::uint32_t c) {
  const auto byte = [](std::uint32_t b) { return static_cast<char>(b); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xc0 | c >> 6), byte(0x80 | (c & 63))};
  if (c < 0x10000) return {byte(0xe0 | c >> 12), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
  return {byte(0xf0 | c >> 18), byte(0x80 | (c >> 12 & 63)), byte(0x80 | (c >> 6 & 63)),
          byte(0x80 | (c & 63))};
}

rc::Gen<std::string> printable_text() {
  const auto ascii = rc::gen::inRange<std::uint32_t>(0x20, 0x7f);
  const std::string special = "\"'\\:#{}[],&*!|>%@`?- ~";
  const auto other = rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0xa0, 0xd800),
                                    rc::gen::inRange<std::uint32_t>(0xe000, 0x110000));
  return rc::gen::map(
      rc::gen::container<std::vector<std::uint32_t>>(rc::gen::weightedOneOf<std::uint32_t>(
          {{4, ascii},
           {2, rc::gen::elementOf(std::vector<std::uint32_t>(special.begin(), special.end()))},
           {1, other}})),
      [](const std::vector<std::uint32_t>& points) {
        std::string text;
        for (std::uint32_t c : points) text += utf8(c);
        return text;
      });
}

rc::Gen<std::string> odd_text() {
  return rc::gen::oneOf(printable_text(), rc::gen::element<std::string>(
                                              "yes", "No", "true", "NULL", "~", "1.0", "0x1f", "1e3", ".inf",
                                              "a: b", "#x", " a", "a ", "- a", "'", "\"", "\\", "---", "...",
                                              "\u00e9", "a\u2028b", "\xef\xbb\xbf", "on", "y", "2024-01-01",
                                              "=", "<<", "/var/run/x.sock", "10.0.0.1:11211"));
}

std::vector<Node> random_nodes() {
  std::vector<Node> nodes;
  const auto names = *rc::gen::unique<std::vector<std::string>>(rc::gen::nonEmpty(odd_text()));
  for (const std::string& name : names) {
    Node node;
    node.name = name;
    if (*rc::gen::arbitrary<bool>()) node.label = *odd_text();
    if (*rc::gen::arbitrary<bool>()) node.address = *odd_text();
    if (*rc::gen::arbitrary<bool>()) node.host = *odd_text();
    node.rack = *odd_text();
    node.zone = *odd_text();
    node.weight = static_cast<double>(*rc::gen::inRange(1, 1000)) / *rc::gen::inRange(1, 1000);
    node.state = *rc::gen::element(NodeState::normal, NodeState::leaving, NodeState::joining);
    nodes.push_back(std::move(node));
  }
  if (nodes.empty()) nodes.push_back({});
  if (nodes.front().name.empty()) nodes.front().name = "n";
  nodes.front().state = NodeState::normal;
  return nodes;
}

void random_policy(ClusterMap::Parts& parts) {
  std::map<std::string, std::uint32_t> zones;
  std::uint32_t owners = 0;
  for (const Node& node : parts.nodes)
    if (node.state != NodeState::joining) {
      ++zones[node.zone];
      ++owners;
    }
  parts.replicas.across = *rc::gen::element(Across::node, Across::host, Across::rack, Across::zone);
  const bool refuse = parts.replicas.across == Across::node && *rc::gen::arbitrary<bool>();
  parts.replicas.when_short = refuse ? WhenShort::refuse : WhenShort::repeat;
  if (zones.size() <= max_policy_zones && owners <= max_replicas && *rc::gen::arbitrary<bool>()) {
    for (const auto& [zone, count] : zones) parts.replicas.per_zone.push_back({zone, count});
  } else {
    parts.replicas.count =
        *rc::gen::inRange<std::uint32_t>(1, std::min<std::uint32_t>(owners, max_replicas) + 1);
  }
}

void random_tokens(ClusterMap::Parts& parts) {
  const int bits = info(parts.placement.hash).bits;
  const std::uint64_t step = bits <= 16 ? 50 : bits <= 32 ? 1 << 20 : std::uint64_t{1} << 40;
  std::uint64_t next = 0;
  for (Node& node : parts.nodes)
    for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
      next += *rc::gen::inRange<std::uint64_t>(1, step);
      node.tokens.push_back({next});
    }
}

void random_table(ClusterMap::Parts& parts) {
  std::uint64_t next = 0;
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    next += *rc::gen::inRange<std::uint64_t>(1, 1000);
    TableRow row{{next}, {}};
    for (NodeIndex n = 0; n < parts.nodes.size(); ++n)
      if (row.owners.size() < max_replicas && *rc::gen::arbitrary<bool>()) row.owners.push_back(n);
    parts.placement.table.push_back(std::move(row));
  }
  if (parts.placement.recipe->name == "partitions")
    for (std::size_t i = 0; i < parts.placement.table.size(); ++i)
      parts.placement.table[i].upto = part_end(TokenSpace::unsigned_bits(info(parts.placement.hash).bits),
                                               parts.placement.table.size(), i);
  if (parts.placement.recipe->name == "redis-cluster") parts.placement.slots = 16384;
  if (parts.placement.recipe->name == "ranges" && *rc::gen::arbitrary<bool>())
    parts.placement.slots = next + 1;
  if (parts.placement.slots) parts.placement.table.back().upto = {parts.placement.slots - 1};
}

std::string random_setting(const Recipe& recipe, const SettingInfo& setting) {
  using Kind = SettingInfo::Kind;
  const auto least = static_cast<std::int64_t>(std::ceil(setting.least));
  const auto most = static_cast<std::int64_t>(std::min(setting.most, setting.least + 5000));
  switch (setting.kind) {
    case Kind::integer:
      return std::to_string(*rc::gen::inRange(least, most + 1));
    case Kind::number:
      return std::to_string(*rc::gen::inRange(least, most)) +
             *rc::gen::element<std::string>("", ".5", ".125");
    case Kind::text:
      return *odd_text();
    case Kind::flag:
      return *rc::gen::element<std::string>("true", "false");
    case Kind::choice:
    case Kind::list:
      return std::string(setting.choices.substr(0, setting.choices.find(' ')));
    case Kind::prime:
    case Kind::shares:
      return std::string(setting.preset);
    case Kind::key_hash:
      return recipe.hashes.empty() ? "" : std::string(info(recipe.hashes.back()).name);
  }
  return {};
}

KeyHashId random_hash(const Recipe& recipe) {
  std::vector<KeyHashId> hashes(recipe.hashes.begin(), recipe.hashes.end());
  hashes.push_back(recipe.hash);
  for (const KeyHashInfo& hash : key_hashes())
    if (recipe.hash_open && hash.open) hashes.push_back(hash.id);
  return *rc::gen::elementOf(hashes);
}

ClusterMap::Parts random_parts(const Recipe& recipe) {
  ClusterMap::Parts parts;
  parts.cluster = *odd_text();
  if (*rc::gen::arbitrary<bool>()) parts.epoch = *rc::gen::arbitrary<std::uint64_t>();
  PlacementSettings& placement = parts.placement;
  placement.recipe = &recipe;
  placement.hash = random_hash(recipe);
  if (recipe.default_tokens)
    placement.tokens = *rc::gen::element<std::uint32_t>(1, 16, recipe.default_tokens);
  placement.given =
      recipe.points == PointRule::given || (recipe.given_allowed && *rc::gen::arbitrary<bool>());
  if (recipe.key_prep == KeyPrep::tag_pair)
    placement.hash_tag = *rc::gen::element<std::string>("", "{}", "''", "\\\"");
  for (const SettingInfo& setting : recipe.settings)
    if (*rc::gen::arbitrary<bool>())
      placement.settings[std::string(setting.name)] = random_setting(recipe, setting);
  parts.nodes = random_nodes();
  for (Node& node : parts.nodes) {
    if (recipe.whole_weight) node.weight = std::ceil(node.weight);
    if (recipe.heaviest > 0) node.weight = std::min(node.weight, recipe.heaviest);
    if (numbers_nodes(recipe) && *rc::gen::arbitrary<bool>())
      node.bucket = *rc::gen::inRange<std::uint64_t>(0, 100'000);
  }
  if (placement.given) random_tokens(parts);
  if (recipe.points == PointRule::table) random_table(parts);
  random_policy(parts);
  return parts;
}

// A recipe may refuse some settings or buckets; what it takes must come back.
RC_GTEST_PROP(MapFile, what_is_written_is_read_back, ()) {
  const Recipe& recipe = recipes()[*rc::gen::inRange<std::size_t>(0, recipes().size())];
  RC_PRE(recipe.no_placement.empty());
  auto parts = random_parts(recipe);
  auto map = ClusterMap::build(parts);
  if (!map) {
    parts.placement.settings.clear();
    for (Node& node : parts.nodes) node.bucket.reset();
    map = ClusterMap::build(std::move(parts));
  }
  RC_CLASSIFY(map.ok(), std::string(recipe.name));
  RC_PRE(map.ok());
  const std::string text = write_map(*map);
  const auto again = parse_map({"again", text});
  if (!again) RC_FAIL(to_string(again.error()) + "\n" + text);
  RC_ASSERT(same_map(*map, *again));
  RC_ASSERT(write_map(*again) == text);
}

TEST(MapFile, every_recipe_that_places_keys_is_written_and_read_back) {
  for (const Recipe& recipe : recipes()) {
    if (!recipe.no_placement.empty()) continue;
    ClusterMap::Parts parts;
    parts.placement.recipe = &recipe;
    parts.placement.hash = recipe.hash;
    parts.placement.given = recipe.points == PointRule::given;
    for (std::uint64_t i = 0; i < 3; ++i) {
      Node node;
      node.name = "10.0.0." + std::to_string(i) + ":11211";
      if (parts.placement.given) node.tokens = {{i}};
      parts.nodes.push_back(std::move(node));
    }
    parts.placement.slots = recipe.name == "redis-cluster" ? 16384 : 0;
    if (recipe.points == PointRule::table) parts.placement.table = {{{16383}, {2, 0}}};
    if (recipe.name == "partitions") parts.placement.table.front().upto = {~std::uint64_t{0}};
    auto map = ClusterMap::build(parts);
    if (!map && parts.placement.slots == 0) {  // numbered partitions: say how many, each with its owner
      parts.placement.slots = 8;
      if (recipe.points == PointRule::table) {
        parts.placement.table.clear();
        for (std::uint64_t slot = 0; slot < 8; ++slot)
          parts.placement.table.push_back({{slot}, {static_cast<NodeIndex>(slot % 3)}});
      }
      map = ClusterMap::build(parts);
    }
    ASSERT_TRUE(map) << recipe.name << ": " << to_string(map.error());
    EXPECT_TRUE(same_map(*map, read(write_map(*map)))) << write_map(*map);
  }
}

RC_GTEST_PROP(MapFile, weights_are_read_back_to_the_last_bit, ()) {
  const auto bits = *rc::gen::inRange<std::uint64_t>(0, 9'000'000'000'000'000'000u);
  const double weight = 1e-9 + static_cast<double>(bits) * 1.1e-10;
  ClusterMap::Parts parts;
  parts.placement.recipe = find_recipe("ring");
  parts.placement.given = true;
  parts.nodes.push_back({});
  parts.nodes[0].name = "a";
  parts.nodes[0].weight = weight;
  parts.nodes[0].tokens = {{1}};
  const auto map = ClusterMap::build(std::move(parts));
  RC_PRE(static_cast<bool>(map));
  const auto again = parse_map({"again", write_map(*map)});
  if (!again) RC_FAIL(to_string(again.error()));
  RC_ASSERT(again->nodes()[0].weight == weight);
}

}  // namespace
}  // namespace arcwise
