// Stores and partitioners, held against what the programs answered.
#include <functional>

#include "hash/md5.hpp"
#include "place/crush.hpp"
#include "place/partitioners.hpp"
#include "place/tablets.hpp"
#include "place/vectors_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;

std::string bytes_of(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

std::uint64_t slot_of(const Placement& p, std::string_view key) {
  return static_cast<std::uint64_t>(p.hash(key).value);
}

// One owner of everything: for files about positions alone.
ClusterMap::Parts one_range(std::string_view recipe, std::uint64_t slots = 0) {
  auto p = parts(recipe, {node("n")});
  p.placement.slots = slots;
  const TokenSpace space =
      slots ? TokenSpace::slots(slots) : TokenSpace::unsigned_bits(p.placement.recipe->ring_bits);
  if (p.placement.recipe->points == PointRule::table) p.placement.table = {{{space.last}, {0}}};
  if (p.placement.given) p.nodes[0].tokens = {{0}};
  return p;
}

Placement positions(std::string_view recipe, std::uint64_t slots = 0,
                    std::map<std::string, std::string, std::less<>> settings = {}) {
  auto p = one_range(recipe, slots);
  p.placement.settings = std::move(settings);
  return compile(map_of(std::move(p)));
}

std::string token_text(const Placement& p, std::string_view key) {
  return to_text(p.map().space(), {p.hash(key).value});
}

std::size_t expect_murmur3(const Json& file) {
  const Placement cassandra = positions("cassandra-murmur3"), scylladb = positions("scylladb-murmur3");
  for (const Json& v : file["vectors"]) {
    const std::string key = bytes_of(v["key_hex"]);
    EXPECT_EQ(token_text(cassandra, key), v["cassandra_token"].get<std::string>()) << v;
    EXPECT_EQ(token_text(scylladb, key), v["scylla_token"].get<std::string>()) << v;
  }
  return 2 * file["vectors"].size();
}

std::size_t expect_random(const Json& file) {
  const Placement p = positions("cassandra-random");
  for (const Json& v : file["vectors"]) {
    const std::string token = v["token"];
    EXPECT_EQ(token_text(p, bytes_of(v["key_hex"])), token == "-1" ? "0" : token) << v;
  }
  return file["vectors"].size();
}

Placement cassandra_ring(const Json& item, ReplicaPolicy policy) {
  std::vector<Node> nodes;
  for (const auto& [name, place] : item["nodes"].items())
    nodes.push_back(node(name, 1, place["rack"], place["dc"]));
  for (const Json& entry : item["ring"])
    for (Node& n : nodes)
      if (n.name == entry[1].get<std::string>())
        n.tokens.push_back(*from_text(TokenSpace::signed_64(), entry[0].get<std::string>()));
  auto p = parts("cassandra-murmur3", nodes);
  p.replicas = std::move(policy);
  return compile(map_of(p));
}

std::size_t expect_replicas(const Json& file) {
  std::size_t answers = 0;
  for (const Json& item : file["cases"]) {
    ReplicaPolicy topology{0, Across::rack, WhenShort::repeat, {}};
    for (const auto& [zone, count] : item["rf"].items())
      if (count.get<std::uint32_t>()) topology.per_zone.push_back({zone, count});
    const Placement by_rack = cassandra_ring(item, topology);
    const Placement simple = cassandra_ring(item, {3, Across::node, WhenShort::repeat, {}});
    answers += 2 * item["lookups"].size();
    for (const Json& lookup : item["lookups"]) {
      const KeyHash at{from_text(TokenSpace::signed_64(), lookup["token"].get<std::string>())->value};
      EXPECT_EQ(owner_names(by_rack, at), lookup["nts"].get<std::vector<std::string>>()) << lookup;
      EXPECT_EQ(owner_names(simple, at), lookup["simple_rf3"].get<std::vector<std::string>>()) << lookup;
    }
  }
  return answers;
}

std::size_t expect_shards(const Json& file) {
  for (const Json& v : file["vectors"]) {
    const Token token = *from_text(TokenSpace::signed_64(), v["token"].get<std::string>());
    EXPECT_EQ(scylladb_shard(token, v["shards"], v["ignore_msb_bits"]), v["shard"].get<std::uint32_t>()) << v;
  }
  return file["vectors"].size();
}

std::size_t expect_tablets(const Json& file) {
  const TokenSpace space = TokenSpace::signed_64();
  std::size_t answers = 0;
  for (const Json& v : file["vectors"]) {
    const std::vector<Token> last = scylladb_tablets(v["tablet_count"]);
    EXPECT_EQ(last.size(), v["tablet_count"].get<std::size_t>());
    for (std::size_t i = 0; i < v["first_last_tokens"].size(); ++i)
      EXPECT_EQ(to_text(space, last[i]), v["first_last_tokens"][i].get<std::string>());
    EXPECT_EQ(to_text(space, last.back()), v["final_last_token"].get<std::string>());
    auto p = parts("scylladb-tablets", {node("n")});
    for (const Token token : last) p.placement.table.push_back({token, {0}});
    const Placement placement = compile(map_of(p));
    answers += v["lookups"].size();
    for (const Json& lookup : v["lookups"]) {
      const Token token = *from_text(space, lookup["token"].get<std::string>());
      EXPECT_EQ(placement.region_at({token.value}), lookup["tablet"].get<std::size_t>()) << lookup;
    }
  }
  return answers;
}

std::size_t expect_riak_keys(const Json& file) {
  for (const Json& v : file["vectors"]) {
    const std::string type = v["bucket_type"].is_null() ? "default" : v["bucket_type"].get<std::string>();
    const Placement p = positions("riak", 64, {{"bucket_type", type}});
    const std::string key = v["bucket"].get<std::string>() + "/" + bytes_of(v["key_hex"]);
    EXPECT_EQ(slot_of(p, key), v["ring64_first_partition_number"].get<std::uint64_t>()) << v;
    EXPECT_EQ(p.hashed_bytes(key), bytes_of(v["term_to_binary_hex"]));
  }
  return file["vectors"].size();
}

std::vector<Node> swift_devices(const Json& list) {
  std::vector<Node> nodes;
  for (const Json& d : list)
    nodes.push_back(node("d" + d["id"].dump(), 1, "z" + d["zone"].dump(), "r" + d["region"].dump(), d["ip"]));
  return nodes;
}

// Owners, then what takes over as one after another is masked: Swift's handoffs.
std::vector<std::uint32_t> with_handoffs(const Placement& p, std::uint64_t partition, std::size_t most) {
  std::vector<std::uint32_t> out(p.max_owners());
  out.resize(p.owners({{}, {partition}, {}}, out));
  NodeSet down(p.map().nodes().size());
  for (const NodeIndex n : out) down.insert(n);
  const std::size_t handoffs_from = out.size();
  while (out.size() < handoffs_from + most) {
    std::vector<NodeIndex> next(p.max_owners());
    if (p.owners({{}, {partition}, NodeMask(down)}, next) == 0) break;
    out.push_back(next[0]);
    down.insert(next[0]);
  }
  return out;
}

std::vector<std::uint32_t> numbers(const Json& first, const Json& then) {
  auto out = first.get<std::vector<std::uint32_t>>();
  for (const Json& n : then) out.push_back(n);
  return out;
}

std::size_t expect_swift_ring(const Json& file) {
  auto p =
      parts("swift", swift_devices(file["devices"]), static_cast<std::uint32_t>(file["row_lengths"].size()));
  p.placement.slots = std::uint64_t{1} << file["part_power"].get<unsigned>();
  for (std::uint64_t part = 0; part < p.placement.slots; ++part) {
    TableRow row{{part}, {}};
    for (std::uint64_t r = 0; r < file["row_lengths"].size(); ++r)
      if (part < file["row_lengths"][r])
        row.owners.push_back(static_cast<NodeIndex>(
            (part * 7 + r * file["step"].get<std::uint64_t>() + part / 5) % p.nodes.size()));
    p.placement.table.push_back(row);
  }
  const Placement ring = compile(map_of(p));
  for (const Json& v : file["lookups"])
    EXPECT_EQ(with_handoffs(ring, v["partition"], 1000), numbers(v["devices"], v["handoffs"])) << v;
  for (const Json& v : file["keys"]) {
    const Placement keys = positions("swift", p.placement.slots,
                                     {{"hash_path_prefix", v["prefix"]}, {"hash_path_suffix", v["suffix"]}});
    EXPECT_EQ(slot_of(keys, v["path"].get<std::string>()), v["partition"].get<std::uint64_t>()) << v;
    EXPECT_TRUE(keys.reads(v["path"].get<std::string>()));
  }
  return file["lookups"].size() + file["keys"].size();
}

std::size_t expect_swift_paths(const Json& file) {
  const Json ring = Json::parse(file_text(vectors_dir() + "swift-small-ring.json"));
  const std::string table = ring["devices_of_partitions"];
  auto p = parts("swift", swift_devices(ring["devices"]), 3);
  p.placement.slots = 1024;
  for (std::uint64_t part = 0; part < 1024; ++part) {
    TableRow row{{part}, {}};
    for (std::size_t r = 0; r < 3; ++r)
      row.owners.push_back(static_cast<NodeIndex>(table[3 * part + r] - '0'));
    p.placement.table.push_back(row);
  }
  for (const Json& v : file["vectors"]) {
    p.placement.settings = {{"hash_path_prefix", v["prefix"]}, {"hash_path_suffix", v["suffix"]}};
    const Placement placement = compile(map_of(p));
    std::string path = v["account"];
    for (const char* part : {"container", "object"})
      if (!v[part].is_null()) path += "/" + v[part].get<std::string>();
    const auto digest = md5(placement.hashed_bytes(path));
    EXPECT_EQ(std::string(digest.begin(), digest.end()), bytes_of(v["md5"])) << path;
    const std::uint64_t partition = slot_of(placement, path);
    EXPECT_EQ(partition, v["partition"].get<std::uint64_t>()) << path;
    EXPECT_EQ(with_handoffs(placement, partition, 3), numbers(v["device_ids"], v["handoffs_first3"])) << path;
  }
  return file["vectors"].size();
}

std::size_t expect_ceph_objects(const Json& file) {
  const auto groups = file["pg_num"].get<std::uint32_t>();
  const Placement p = positions("ceph", groups);
  for (const Json& v : file["vectors"]) {
    char name[16];
    std::snprintf(name, sizeof name, "1.%llx",
                  static_cast<unsigned long long>(slot_of(p, v["object"].get<std::string>())));
    EXPECT_EQ(name, v["pg"].get<std::string>()) << v;
  }
  return file["vectors"].size();
}

ClusterMap::Parts ceph_parts(const Json& file, std::uint64_t groups) {
  std::vector<Node> nodes;
  for (const Json& n : file["nodes"]) {
    nodes.push_back(node(n["name"], n["weight"], n["rack"], n["zone"], n["host"]));
    nodes.back().bucket = n["bucket"];
  }
  auto p = parts("ceph", nodes, file["count"], *find_across(file["across"].get<std::string>()));
  for (const auto& [zone, count] : file["per_zone"].items()) p.replicas.per_zone.push_back({zone, count});
  p.placement.slots = groups;
  std::string ids, reweights;
  for (const auto& [name, id] : file["bucket_ids"].items()) ids += name + "=" + id.dump() + " ";
  for (const auto& [name, weight] : file["reweight"].items()) reweights += name + "=" + weight.dump() + " ";
  p.placement.settings = {{"bucket_ids", ids}, {"reweight", reweights}};
  return p;
}

std::vector<std::uint64_t> osds(const Placement& p, std::uint64_t group) {
  std::vector<NodeIndex> out(p.max_owners());
  out.resize(p.region_owners(group, {}, out));
  std::vector<std::uint64_t> numbers;
  for (NodeIndex n : out) numbers.push_back(*p.map().nodes()[n].bucket);
  return numbers;
}

// The files give CRUSH's input itself, not a group that is hashed to it: the tree is asked.
std::size_t expect_crush(const Json& file) {
  const ClusterMap map = map_of(ceph_parts(file, 8));
  const CrushTree tree = crush_tree(map);
  const std::map<std::string, CrushType> types{{"node", CrushType::osd},
                                               {"host", CrushType::host},
                                               {"rack", CrushType::rack},
                                               {"zone", CrushType::zone}};
  for (std::uint32_t x = 0; x < file["mappings"].size(); ++x) {
    std::vector<std::uint64_t> found;
    const auto take = [&](std::uint32_t bucket, std::size_t count) {
      std::vector<std::uint32_t> devices(count);
      devices.resize(crush_firstn(tree, bucket, types.at(file["across"]), x, devices));
      for (const std::uint32_t d : devices) found.push_back(static_cast<std::uint64_t>(tree.devices[d].id));
    };
    if (file["per_zone"].empty()) take(0, file["count"]);
    for (const auto& [zone, count] : file["per_zone"].items())
      for (const CrushItem& item : tree.buckets[0].items)
        if (item.id == file["bucket_ids"][zone]) take(item.child, count);
    EXPECT_EQ(found, file["mappings"][x].get<std::vector<std::uint64_t>>()) << "x " << x;
  }
  return file["mappings"].size();
}

std::size_t expect_ceph_pool(const Json& file) {
  auto p = ceph_parts(file, file["pg_num"]);
  p.placement.settings["pool"] = file["pool"].dump();
  p.placement.settings["pgp_num"] = file["pgp_num"].dump();
  const Placement placement = compile(map_of(p));
  for (std::size_t group = 0; group < file["groups"].size(); ++group)
    EXPECT_EQ(osds(placement, group), file["groups"][group].get<std::vector<std::uint64_t>>()) << group;
  for (const auto& [object, v] : file["objects"].items()) {
    EXPECT_EQ(slot_of(placement, object), v["group"].get<std::uint64_t>()) << object;
    EXPECT_EQ(osds(placement, slot_of(placement, object)), v["osds"].get<std::vector<std::uint64_t>>());
  }
  return file["groups"].size() + file["objects"].size();
}

std::size_t expect_redis_slots(const Json& file) {
  const Placement p = positions("redis-cluster", 16384);
  for (const Json& v : file["vectors"])
    EXPECT_EQ(slot_of(p, bytes_of(v["key_hex"])), v["slot"].get<std::uint64_t>()) << v;
  return file["vectors"].size();
}

// Fields whose names end in a number of slots: "vbucket_1024", "partition_of_12".
std::size_t expect_slots(const Json& v, std::string_view key, const std::string& field,
                         const std::string& recipe,
                         std::map<std::string, std::string, std::less<>> settings = {}) {
  std::size_t asked = 0;
  for (const auto& [name, slot] : v.items()) {
    if (!name.starts_with(field)) continue;
    const std::string count = name.substr(field.size());
    if (count.find_first_not_of("0123456789") != std::string::npos) continue;
    EXPECT_EQ(slot_of(positions(recipe, std::stoull(count), settings), key), slot.get<std::uint64_t>()) << v;
    ++asked;
  }
  EXPECT_GT(asked, 0u) << v;
  return asked;
}

std::size_t expect_couchbase(const Json& file) {
  std::size_t answers = 0;
  for (const Json& v : file["vectors"])
    answers += expect_slots(v, v["key"].get<std::string>(), "vbucket_", "couchbase");
  return answers;
}

std::size_t expect_kafka(const Json& file) {
  std::size_t answers = 0;
  for (const Json& v : file["vectors"])
    answers += expect_slots(v, v["key"].get<std::string>(), "partition_of_", "kafka");
  return answers;
}

std::size_t expect_elasticsearch(const Json& file) {
  for (const auto& [shards, routing] : file["routing_num_shards_default"].items())
    EXPECT_EQ(elasticsearch_routing_shards(std::stoull(shards)), routing.get<std::uint64_t>()) << shards;
  std::size_t answers = 0;
  for (const Json& v : file["vectors"]) {
    const std::string routing = v["routing"];
    answers += expect_slots(v, routing, "shard_of_", "elasticsearch");
    Json direct;
    for (const auto& [name, shard] : v.items())
      if (const std::size_t since = name.find("_since_9_4"); since != std::string::npos)
        direct[name.substr(0, since)] = shard;
    answers += expect_slots(direct, routing, "shard_of_", "elasticsearch-modulo");
  }
  return answers;
}

std::size_t expect_citus(const Json& file) {
  std::size_t answers = 0;
  for (const Json& v : file["vectors"]) {
    std::string type = v["type"];
    if (type == "int4") type = "int";
    if (type == "int8") type = "bigint";
    const std::string key = v["value"];
    const std::map<std::string, std::string, std::less<>> settings{{"key_format", type}};
    answers += expect_slots(v, key, "shard_index_of_", "citus", settings);
    EXPECT_EQ(token_text(positions("citus-ranges", 0, settings), key), v["hash"].dump()) << v;
    EXPECT_TRUE(positions("citus-ranges", 0, settings).reads(key));
  }
  return answers;
}

struct Handler {
  std::string pattern, recipes;
  std::function<std::size_t(const Json&)> expect;
};

const std::vector<Handler>& handlers() {
  static const std::vector<Handler> all{
      {"cassandra-murmur3-token", "cassandra-murmur3, scylladb-murmur3", expect_murmur3},
      {"cassandra-random-token", "cassandra-random", expect_random},
      {"cassandra-replica-placement", "cassandra-murmur3", expect_replicas},
      {"scylladb-shard-of-token", "scylladb-murmur3", expect_shards},
      {"scylladb-tablet-of-token", "scylladb-tablets", expect_tablets},
      {"riak-key-hash", "riak", expect_riak_keys},
      {"swift-hash-to-partition", "swift", expect_swift_paths},
      {"swift-ring-*", "swift", expect_swift_ring},
      {"ceph-object-to-pg", "ceph", expect_ceph_objects},
      {"ceph-crush-map-*", "ceph", expect_crush},
      {"ceph-pool-*", "ceph", expect_ceph_pool},
      {"redis-keyslot", "redis-cluster", expect_redis_slots},
      {"couchbase-vbucket", "couchbase", expect_couchbase},
      {"kafka-default-partitioner", "kafka", expect_kafka},
      {"elasticsearch-routing", "elasticsearch, elasticsearch-modulo", expect_elasticsearch},
      {"citus-hash-distribution", "citus, citus-ranges", expect_citus}};
  return all;
}

// Files that say something else than where a key is.
const std::vector<std::pair<std::string, std::string>>& others() {
  static const std::vector<std::pair<std::string, std::string>> all{
      {"cassandra-token-allocator", "which tokens a joining node takes"},
      {"cassandra-generatetokens-doc", "which tokens a joining node takes"},
      {"riak-claim", "which partitions a joining node claims"},
      {"redis-rebalance", "which slots a rebalance moves"},
      {"swift-small-ring", "the table that swift-hash-to-partition was asked with"},
      {"ceph-crush-ln-tables", "the tables of the logarithm, tested beside it"}};
  return all;
}

const Handler* handler_of(const std::string& file) {
  for (const Handler& h : handlers())
    if (fits(h.pattern, file)) return &h;
  return nullptr;
}

const std::vector<std::string> systems{"cassandra", "scylladb", "riak",  "swift",         "ceph",  "redis",
                                       "couchbase", "kafka",    "citus", "elasticsearch", "vitess"};

class vectors_store : public ::testing::TestWithParam<std::string> {};

TEST_P(vectors_store, every_answer_is_the_systems_own) {
  const bool other =
      std::any_of(others().begin(), others().end(), [](const auto& o) { return o.first == GetParam(); });
  if (other) return;
  const Handler* handler = handler_of(GetParam());
  ASSERT_NE(handler, nullptr) << "nothing reads this file, and no reason is given";
  EXPECT_GT(handler->expect(Json::parse(file_text(vectors_dir() + GetParam() + ".json"))), 0u);
}

INSTANTIATE_TEST_SUITE_P(every, vectors_store, ::testing::ValuesIn(vector_files(systems)),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

// What docs/recipes/README.md says. --gtest_filter=vectors.count* prints it.
TEST(vectors, count_of_files_and_answers_of_stores_is_what_the_documents_say) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;
  for (const std::string& name : vector_files(systems)) {
    const Handler* handler = handler_of(name);
    if (!handler) continue;
    auto& [files, answers] = counts[handler->recipes];
    ++files;
    answers += handler->expect(Json::parse(file_text(vectors_dir() + name + ".json")));
  }
  const std::string document = file_text(std::string(ARCWISE_SOURCE) + "/docs/recipes/README.md");
  for (const auto& [recipes, count] : counts) {
    const std::string row =
        "| " + recipes + " | " + std::to_string(count.first) + " | " + std::to_string(count.second) + " |";
    std::printf("%s\n", row.c_str());
    EXPECT_NE(document.find(row + "\n"), std::string::npos) << row;
  }
}

TEST(vectors, every_handler_of_a_store_has_a_file) {
  for (const Handler& h : handlers()) {
    const auto files = vector_files(systems);
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const std::string& f) {
      return fits(h.pattern, f);
    })) << h.pattern;
  }
}

}  // namespace
}  // namespace arcwise
