// One suite for every placement × decorator. A placement declares its traits; each declared one is proven
// over every scenario here, and for each undeclared one some scenario must show a counter-example.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>

#include "hash/xxh.hpp"
#include "place/testing.hpp"

namespace arcwise {
namespace {

using testing::map_of;
using testing::node;
using testing::owner_names;
using testing::owners_of_key;
using testing::parts;
using Names = std::vector<std::string>;

// How one placement makes a map of these nodes; tokens and tables are functions of the nodes' names alone, as
// a stateful placement would have stored them.
struct Subject {
  std::string name;
  std::function<ClusterMap::Parts(std::vector<Node>)> make;
  std::vector<std::string> tie = {};  // two names that share a point, where list order says who wins it
  bool copies_may_share = true;       // the system knows `when_short: repeat`
};

std::vector<Node> with_given_tokens(std::vector<Node> nodes, unsigned bits) {
  for (Node& n : nodes) {
    for (int i = 0; i < 24; ++i)
      n.tokens.push_back({key_hash(KeyHashId::md5, n.name + "/" + std::to_string(i)) >> (64 - bits)});
    std::sort(n.tokens.begin(), n.tokens.end());
  }
  return nodes;
}

// 256 ranges over a fixed roster; a node that is not in the list is left out of every range.
ClusterMap::Parts table_of(std::string_view recipe, std::vector<Node> nodes, std::uint64_t slots) {
  auto p = parts(recipe, std::move(nodes), max_replicas);
  p.placement.slots = slots;
  const unsigned bits = p.placement.recipe->ring_bits ? p.placement.recipe->ring_bits : 64;
  const std::uint64_t step = slots ? slots / 256 : std::uint64_t{1} << (bits - 8);
  for (std::uint64_t r = 0; r < 256; ++r) {
    TableRow row{{r * step + (step - 1)}, {}};
    std::vector<std::pair<std::uint64_t, NodeIndex>> order;
    for (std::size_t n = 0; n < p.nodes.size(); ++n)
      if (p.nodes[n].name != "newcomer")
        order.emplace_back(key_hash(KeyHashId::xxh64, std::to_string(r) + p.nodes[n].name),
                           static_cast<NodeIndex>(n));
    std::sort(order.begin(), order.end());
    for (const auto& [rank, n] : order) row.owners.push_back(n);
    p.placement.table.push_back(row);
  }
  return p;
}

// The ketama family. Where a system lets list order decide ties, two servers whose points really collide.
std::vector<Subject> ketama_subjects() {
  const std::vector<std::string> md5{"10.20.0.29:11212", "10.20.1.0:11212"};
  const std::vector<std::string> one_at_a_time{"10.20.0.248:11212", "10.20.4.251:11212"};
  const std::vector<std::pair<std::string, std::vector<std::string>>> rows{
      {"libketama", md5},
      {"libmemcached-modula", {}},
      {"libmemcached-consistent", one_at_a_time},
      {"libmemcached-ketama-weighted", md5},
      {"libmemcached-spy", {"mc1553.example.com:11212", "mc1635.example.com:11212"}},
      {"libmemcached-spy-weighted", {"10.20.0.92:11212", "10.20.1.26:11212"}},
      {"twemproxy-ketama", {}},
      {"twemproxy-modula", {}},
      {"memcached-proxy-ketama", md5},
      {"memcached-proxy-twemproxy", md5},
      {"memcached-proxy-evcache", {"10.20.0.76:11212", "10.20.0.149:11212"}},
      {"spymemcached-ketama", md5},
      {"spymemcached-ketama-libmemcached", md5},
      {"spymemcached-ketama-weighted", md5},
      {"spymemcached-arraymod", {}},
      {"xmemcached-ketama", {}},
      {"xmemcached-ketama-nginx", {}},
      {"xmemcached-ketama-gwhalin", {}},
      {"xmemcached-libmemcached", one_at_a_time},
      {"xmemcached-array", {}},
      {"uhashring-ketama", md5},
      {"uhashring", {}},
      {"hashring", md5},
      {"hashring-hash-ring", md5},
      {"npm-memcached", md5},
      {"go-ketama", md5},
      {"gomemcache", {}},
      {"python-memcached", {}},
      {"dalli", {"10.20.0.165:11212", "10.20.3.94:11212"}}};
  std::vector<Subject> out;
  for (const auto& [name, tie] : rows)
    out.push_back({name,
                   [name = name](std::vector<Node> n) {
                     auto p = parts(name, std::move(n));
                     p.placement.tokens = p.placement.recipe->default_tokens;
                     return p;
                   },
                   tie});
  return out;
}

// Proxies and choosers. Weights of mcrouter are parts of 1; Envoy's list order counts where a host's share of
// the points is no whole number.
std::vector<Subject> proxy_subjects() {
  const auto plain = [](const char* name) {
    return Subject{name, [name](std::vector<Node> n) { return parts(name, std::move(n)); }};
  };
  const auto with_setting = [](const char* name, std::map<std::string, std::string, std::less<>> settings) {
    return Subject{name, [name, settings](std::vector<Node> n) {
                     auto p = parts(name, std::move(n));
                     p.placement.settings = settings;
                     return p;
                   }};
  };
  const auto light = [](const char* name) {
    return Subject{name, [name](std::vector<Node> n) {
                     for (Node& each : n) each.weight /= 4;
                     return parts(name, std::move(n));
                   }};
  };
  return {plain("nginx-hash"),
          plain("nginx-consistent"),
          plain("haproxy-map-based"),
          plain("haproxy-consistent"),
          plain("haproxy-consistent-3.0"),
          with_setting("envoy-ring-hash", {{"minimum_ring_size", "1000"}, {"maximum_ring_size", "1000"}}),
          with_setting("envoy-maglev", {{"table_size", "4099"}}),
          plain("mcrouter-ch3"),
          light("mcrouter-weighted-ch3"),
          light("mcrouter-weighted-ch4"),
          plain("mcrouter-crc32"),
          plain("mcrouter-rendezvous"),
          light("mcrouter-weighted-rendezvous"),
          plain("pymemcache-rendezvous")};
}

// Tokens of 128 bits, spread over Cassandra's 0…2^127.
ClusterMap::Parts random_partitioner(std::vector<Node> nodes) {
  for (Node& n : nodes) {
    for (int i = 0; i < 24; ++i)
      n.tokens.push_back({u128{key_hash(KeyHashId::md5, n.name + "/" + std::to_string(i))} << 63});
    std::sort(n.tokens.begin(), n.tokens.end());
  }
  return parts("cassandra-random", std::move(nodes));
}

// A ring as Riak would claim it: nobody has two partitions within any three.
ClusterMap::Parts claimed(std::vector<Node> nodes) {
  auto p = parts("riak", std::move(nodes));
  p.placement.slots = 256;
  std::vector<NodeIndex> owner;
  for (std::uint64_t partition = 0; partition < 256; ++partition) {
    std::vector<std::pair<std::uint64_t, NodeIndex>> order;
    for (std::size_t n = 0; n < p.nodes.size(); ++n) {
      const auto node = static_cast<NodeIndex>(n);
      const bool near =
          std::count(owner.end() - std::min<std::ptrdiff_t>(2, std::ssize(owner)), owner.end(), node) ||
          (partition >= 254 && std::count(owner.begin(), owner.begin() + 2, node));
      if (!near)
        order.emplace_back(key_hash(KeyHashId::xxh64, std::to_string(partition) + p.nodes[n].name), node);
    }
    owner.push_back(std::min_element(order.begin(), order.end())->second);
    p.placement.table.push_back({{partition}, {owner.back()}});
  }
  return p;
}

std::vector<Subject> store_subjects() {
  std::vector<Subject> out{
      {"cassandra-random", random_partitioner},
      {"scylladb-murmur3",
       [](std::vector<Node> n) { return parts("scylladb-murmur3", with_given_tokens(std::move(n), 64)); }},
      {"riak", claimed},
      {"swift",
       [](std::vector<Node> n) {
         auto p = table_of("swift", std::move(n), 256);
         for (TableRow& row : p.placement.table) row.owners.resize(3);
         return p;
       }},
      {"ceph",
       [](std::vector<Node> n) {
         auto p = parts("ceph", std::move(n));
         p.placement.slots = 4096;
         return p;
       },
       {},
       false},
  };
  const std::vector<std::pair<std::string, std::uint64_t>> tables{
      {"scylladb-tablets", 0},   {"ceph-pgs", 256},      {"couchbase", 1024},           {"kafka", 256},
      {"kafka-librdkafka", 256}, {"elasticsearch", 256}, {"elasticsearch-modulo", 256}, {"citus", 256},
      {"citus-ranges", 0},       {"vitess-hash", 0}};
  for (const auto& [name, slots] : tables)
    out.push_back({name, [name = name, slots = slots](std::vector<Node> n) {
                     return table_of(name, std::move(n), slots);
                   }});
  return out;
}

// Buckets in the order of names, shorter ones first: "newcomer" comes after the fleet.
std::vector<Node> numbered(std::vector<Node> nodes) {
  std::vector<Node*> order;
  for (Node& n : nodes) order.push_back(&n);
  std::sort(order.begin(), order.end(), [](const Node* a, const Node* b) {
    return a->name.size() != b->name.size() ? a->name.size() < b->name.size() : a->name < b->name;
  });
  std::uint32_t next = 0;
  for (Node* n : order)
    for (std::uint64_t i = 0; i < token_count(n->weight, 1); ++i) n->buckets.push_back(next++);
  return nodes;
}

// Of 64 buckets "cache-3" has number 3 for ever, and further ones for its weight; "newcomer" takes the lowest
// that was never held. What nobody holds went from the highest down, so that a node of this fleet which is
// not there (none of those has a weight) went last, as if it had just been removed.
ClusterMap::Parts remembering(std::string_view recipe, std::vector<Node> nodes) {
  std::vector<bool> held(64);
  for (Node& n : nodes) {
    const bool fresh = n.name == "newcomer";
    const auto number = static_cast<std::uint32_t>(fresh ? nodes.size() - 1 : std::stoul(n.name.substr(6)));
    n.buckets = {number};
    for (std::uint32_t i = 1; i < token_count(n.weight, 1); ++i) n.buckets.push_back(32 + 2 * number + i - 1);
    for (std::uint32_t bucket : n.buckets) held[bucket] = true;
  }
  auto p = parts(recipe, std::move(nodes), 1, Across::node, 1);
  for (std::uint32_t bucket = 64; bucket-- > 0;)
    if (!held[bucket]) p.placement.removed.push_back(bucket);
  return p;
}

std::vector<Subject> own_subjects() {
  std::vector<Subject> out{
      {"rendezvous", [](std::vector<Node> n) { return parts("rendezvous", std::move(n)); }},
      {"multi-probe",
       [](std::vector<Node> n) { return parts("multi-probe", std::move(n), 1, Across::node, 1); }},
      {"maglev",
       [](std::vector<Node> n) {
         auto p = parts("maglev", std::move(n));
         p.placement.settings = {{"table_size", "4099"}};
         return p;
       }},
  };
  for (const char* name : {"jump", "jump-back"})
    out.push_back({name, [name](std::vector<Node> n) {
                     return parts(name, numbered(std::move(n)), 1, Across::node, 1);
                   }});
  for (const char* name : {"anchor", "memento"})
    out.push_back({name, [name](std::vector<Node> n) { return remembering(name, std::move(n)); }});
  return out;
}

std::vector<Subject> subjects() {
  std::vector<Subject> all{
      {"ring", [](std::vector<Node> n) { return parts("ring", std::move(n), 1, Across::node, 64); }},
      {"ring/given",
       [](std::vector<Node> n) {
         auto p = parts("ring", with_given_tokens(std::move(n), 64));
         p.placement.given = true;
         return p;
       }},
      {"cassandra-murmur3",
       [](std::vector<Node> n) { return parts("cassandra-murmur3", with_given_tokens(std::move(n), 64)); }},
      {"modulo", [](std::vector<Node> n) { return parts("modulo", std::move(n)); }},
      {"ranges", [](std::vector<Node> n) { return table_of("ranges", std::move(n), 0); }},
      {"cassandra-ranges", [](std::vector<Node> n) { return table_of("cassandra-ranges", std::move(n), 0); }},
      {"redis-cluster", [](std::vector<Node> n) { return table_of("redis-cluster", std::move(n), 16384); }},
  };
  for (const auto& family : {own_subjects(), ketama_subjects(), proxy_subjects(), store_subjects()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

// The replica policies that decorate every placement.
struct Decorator {
  std::string name;
  std::function<void(ClusterMap::Parts&)> apply;
};

std::vector<Decorator> decorators(const Subject& subject) {
  std::vector<Decorator> all{
      {"one copy", [](ClusterMap::Parts& p) { p.replicas.count = 1; }},
      {"three nodes", [](ClusterMap::Parts& p) { p.replicas.count = 3; }},
      {"two racks", [](ClusterMap::Parts& p) { p.replicas = {2, Across::rack, WhenShort::refuse, {}}; }},
      {"per zone", [](ClusterMap::Parts& p) { p.replicas.per_zone = {{"eu", 2}, {"us", 1}}; }}};
  if (subject.copies_may_share)
    all.push_back({"three copies, racks repeat",
                   [](ClusterMap::Parts& p) { p.replicas = {3, Across::rack, WhenShort::repeat, {}}; }});
  return all;
}

std::vector<Node> fleet(std::size_t count, double weight_step = 0) {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < count; ++i)
    nodes.push_back(node("cache-" + std::to_string(i), 1 + weight_step * static_cast<double>(i % 3),
                         "r" + std::to_string(i % 2), i % 3 == 2 ? "us" : "eu"));
  return nodes;
}

// Fleets before a change: equal; at a count where ketama's rounding changes; weighted, ending with a light
// one; with two servers that share a point.
std::vector<std::vector<Node>> scenarios(const Subject& s) {
  std::vector<std::vector<Node>> all{fleet(7), fleet(24), fleet(7, 1)};
  if (s.tie.empty()) return all;
  all.push_back(fleet(6));
  for (std::size_t i = 0; i < s.tie.size(); ++i) all.back()[i].name = s.tie[i];
  return all;
}

constexpr int keys = 1500;

std::vector<Names> answers(const Placement& p, const NodeSet& down = NodeSet(0)) {
  std::vector<Names> out;
  for (int k = 0; k < keys; ++k) out.push_back(owners_of_key(p, "user:" + std::to_string(k), NodeMask(down)));
  return out;
}

// Owners other than `changed`, in order; what a change of that node alone may not touch beyond its own place.
bool only_this_node_moves(const std::vector<Names>& with, const std::vector<Names>& without,
                          const std::string& changed) {
  for (std::size_t k = 0; k < with.size(); ++k) {
    const bool holds = std::count(with[k].begin(), with[k].end(), changed) > 0;
    if (!holds && with[k] != without[k]) return false;
  }
  return true;
}

Node newcomer() {
  return node("newcomer", 1, "r0", "eu");
}

bool adds_monotonically(const Subject& s, const Decorator& d, const std::vector<Node>& nodes) {
  auto before = s.make(nodes);
  auto more = nodes;
  more.push_back(newcomer());
  auto after = s.make(more);
  d.apply(before);
  d.apply(after);
  return only_this_node_moves(answers(compile(map_of(after))), answers(compile(map_of(before))), "newcomer");
}

bool removes_monotonically(const Subject& s, const Decorator& d, const std::vector<Node>& nodes,
                           std::size_t victim) {
  auto before = s.make(nodes);
  auto fewer = nodes;
  fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(victim));
  auto after = s.make(fewer);
  d.apply(before);
  d.apply(after);
  return only_this_node_moves(answers(compile(map_of(before))), answers(compile(map_of(after))),
                              nodes[victim].name);
}

bool any_removal_is_monotone(const Subject& s, const Decorator& d, const std::vector<Node>& nodes) {
  return removes_monotonically(s, d, nodes, 0) && removes_monotonically(s, d, nodes, nodes.size() / 2) &&
         removes_monotonically(s, d, nodes, nodes.size() - 1);
}

bool list_order_is_ignored(const Subject& s, const Decorator& d, const std::vector<Node>& nodes) {
  auto forward = s.make(nodes);
  auto backward = s.make({nodes.rbegin(), nodes.rend()});
  d.apply(forward);
  d.apply(backward);
  return answers(compile(map_of(forward))) == answers(compile(map_of(backward)));
}

bool mask_answers_as_removal(const Subject& s, const Decorator& d, const std::vector<Node>& nodes) {
  for (const std::size_t victim : {std::size_t{0}, nodes.size() - 1}) {
    auto all = s.make(nodes);
    auto fewer = nodes;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(victim));
    auto without = s.make(fewer);
    d.apply(all);
    d.apply(without);
    NodeSet down(nodes.size());
    down.insert(static_cast<NodeIndex>(victim));
    if (answers(compile(map_of(all)), down) != answers(compile(map_of(without)))) return false;
  }
  return true;
}

// Twice the weight: twice the share, within six standard deviations of what 64 (ketama: 160) tokens a node
// give.
bool shares_follow_weights(const Subject& s) {
  std::vector<Node> nodes = fleet(12);
  for (std::size_t i = 0; i < 6; ++i) nodes[i].weight = 3;
  const ClusterMap map = map_of(s.make(nodes));
  const Placement p = compile(map);
  double heavy = 0;
  constexpr int sample = 20000;
  for (int k = 0; k < sample && !p.traits().enumerable; ++k) {
    const std::string key = "share:" + std::to_string(k);
    std::array<NodeIndex, 1> owner;
    if (p.owners({key, p.hash(key), {}}, owner) == 1 && owner[0] < 6) heavy += 1.0 / sample;
  }
  for (std::size_t r = 0; r < p.region_count(); ++r) {
    std::array<NodeIndex, 1> owner;
    if (p.region_owners(r, {}, owner) == 1 && owner[0] < 6)
      heavy += share_of(map.domain(), p.region(r)).value();
  }
  return std::abs(heavy - 0.75) < 0.08;
}

struct Claim {
  const char* name;
  bool Traits::* declared;
  std::function<bool(const Subject&, const Decorator&, const std::vector<Node>&)> holds;
};

std::vector<Claim> claims() {
  return {{"monotone_add", &Traits::monotone_add, adds_monotonically},
          {"monotone_remove", &Traits::monotone_remove,
           [](const Subject& s, const Decorator& d, const std::vector<Node>& n) {
             return removes_monotonically(s, d, n, n.size() - 1);
           }},
          {"any_order_removal", &Traits::any_order_removal, any_removal_is_monotone},
          {"order_free", &Traits::order_free, list_order_is_ignored},
          {"mask_is_removal", &Traits::mask_is_removal, mask_answers_as_removal}};
}

class conformance : public ::testing::TestWithParam<std::size_t> {
 protected:
  Subject subject = subjects()[GetParam()];
  Traits traits = compile(map_of(subject.make(fleet(7)))).traits();

  Traits traits_with(const Decorator& decorator) const {
    auto p = subject.make(fleet(7));
    decorator.apply(p);
    return compile(map_of(p)).traits();
  }
};

TEST_P(conformance, declared_traits_hold_and_undeclared_ones_have_a_counter_example) {
  for (const Claim& claim : claims()) {
    bool counter_example = false;
    bool declared_everywhere = true;
    for (const Decorator& d : decorators(subject)) {
      const bool declared = traits_with(d).*claim.declared;
      declared_everywhere &= declared;
      for (const auto& nodes : scenarios(subject)) {
        const bool holds = claim.holds(subject, d, nodes);
        counter_example |= !declared && !holds;
        if (declared) {
          EXPECT_TRUE(holds) << claim.name << " with " << d.name << ", " << nodes.size() << " nodes";
        }
      }
    }
    if (!declared_everywhere) {
      EXPECT_TRUE(counter_example) << claim.name << " holds everywhere here: declare it";
    }
  }
}

TEST_P(conformance, shares_follow_weights_exactly_where_declared) {
  EXPECT_EQ(shares_follow_weights(subject), traits.weighted);
}

TEST_P(conformance, regions_partition_the_circle_and_answer_as_keys_do) {
  for (const Decorator& d : decorators(subject)) {
    auto p = subject.make(fleet(9));
    d.apply(p);
    const ClusterMap map = map_of(p);
    const Placement placement = compile(map);
    if (!traits.enumerable) {
      EXPECT_EQ(placement.region_count() + placement.entry_count(), 0u);
      continue;
    }
    Share sum;
    for (std::size_t r = 0; r < placement.region_count(); ++r)
      sum += share_of(map.domain(), placement.region(r));
    EXPECT_EQ(sum, Share::whole());
    for (int k = 0; k < 500; ++k) {
      const KeyHash hash = placement.hash("k" + std::to_string(k));
      const std::size_t r = placement.region_at(hash);
      const Region region = placement.region(r);
      const Token t{hash.value};
      const bool inside = region.after < region.upto ? region.after < t && t <= region.upto
                                                     : t > region.after || t <= region.upto;
      EXPECT_TRUE(inside);
      Names of_region;
      std::vector<NodeIndex> out(placement.max_owners());
      out.resize(placement.region_owners(r, {}, out));
      for (NodeIndex n : out) of_region.push_back(map.nodes()[n].name);
      EXPECT_EQ(of_region, owner_names(placement, hash));
    }
  }
}

TEST_P(conformance, owners_are_distinct_and_meet_the_policy) {
  for (const Decorator& d : decorators(subject)) {
    auto p = subject.make(fleet(9));
    d.apply(p);
    const Placement placement = compile(map_of(p));
    for (const Names& names : answers(placement)) {
      Names sorted = names;
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
      EXPECT_EQ(names.size(), placement.max_owners()) << d.name;
    }
  }
}

TEST_P(conformance, single_batch_and_first_owner_agree) {
  const Placement p = compile(map_of(subject.make(fleet(9))));
  std::vector<std::uint64_t> hashes;
  for (int k = 0; k < 1000; ++k)
    hashes.push_back(static_cast<std::uint64_t>(p.hash("b" + std::to_string(k)).value));
  std::vector<NodeIndex> batch(hashes.size());
  p.primary(hashes, batch);
  for (std::size_t k = 0; k < hashes.size(); ++k) {
    if (!traits.enumerable) {  // the key itself is needed
      EXPECT_EQ(batch[k], no_node);
      continue;
    }
    std::vector<NodeIndex> out(p.max_owners());
    ASSERT_GE(p.owners({{}, {hashes[k]}, {}}, out), 1u);
    EXPECT_EQ(batch[k], out[0]);
    EXPECT_EQ(p.primary({hashes[k]}), out[0]);
  }
}

TEST_P(conformance, the_hashes_of_many_keys_are_the_hash_of_each) {
  const Placement p = compile(map_of(subject.make(fleet(9))));
  std::vector<std::string> keys{"", "{tag}key", "/a/b/c", "192.0.2.1", "-17"};
  for (int k = 0; k < 70; ++k) keys.push_back("key:" + std::string(static_cast<std::size_t>(k), '0'));
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<std::uint64_t> hashes(keys.size());
  p.hash(views, hashes);
  for (std::size_t k = 0; k < keys.size(); ++k)
    EXPECT_EQ(hashes[k], static_cast<std::uint64_t>(p.hash(keys[k]).value)) << keys[k];
}

INSTANTIATE_TEST_SUITE_P(every, conformance, ::testing::Range<std::size_t>(0, subjects().size()),
                         [](const auto& info) {
                           std::string name = subjects()[info.param].name;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(conformance_suite, covers_every_recipe) {
  std::map<std::string, bool> covered;
  for (const Subject& s : subjects()) covered[s.name.substr(0, s.name.find('/'))] = true;
  for (const Recipe& r : recipes()) {
    EXPECT_TRUE(covered[std::string(r.name)] || !r.no_placement.empty()) << r.name;
  }
}

}  // namespace
}  // namespace arcwise
