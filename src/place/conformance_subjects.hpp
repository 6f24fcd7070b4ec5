// Every placement as a subject of the conformance suite, and the fleets that it is shown.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hash/xxh.hpp"
#include "place/testing.hpp"

namespace arcwise::testing {

// How one placement makes a map of these nodes; tokens and tables are functions of the nodes' names alone, as
// a stateful placement would have stored them.
struct Subject {
  std::string name;
  std::function<ClusterMap::Parts(std::vector<Node>)> make;
  std::vector<std::string> tie = {};  // two names that share a point, where list order says who wins it
  bool copies_may_share = true;       // the system knows `when_short: repeat`
  int cost = 1;                       ///< of a lookup: where it is high fewer requests are replayed
};

inline std::vector<Node> with_given_tokens(std::vector<Node> nodes, unsigned bits) {
  for (Node& n : nodes) {
    for (int i = 0; i < 24; ++i)
      n.tokens.push_back({key_hash(KeyHashId::md5, n.name + "/" + std::to_string(i)) >> (64 - bits)});
    std::sort(n.tokens.begin(), n.tokens.end());
  }
  return nodes;
}

// 256 ranges over a fixed roster; a node that is not in the list is left out of every range.
inline ClusterMap::Parts table_of(std::string_view recipe, std::vector<Node> nodes, std::uint64_t slots) {
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
inline std::vector<Subject> ketama_subjects() {
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
inline std::vector<Subject> proxy_subjects() {
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
inline ClusterMap::Parts random_partitioner(std::vector<Node> nodes) {
  for (Node& n : nodes) {
    for (int i = 0; i < 24; ++i)
      n.tokens.push_back({u128{key_hash(KeyHashId::md5, n.name + "/" + std::to_string(i))} << 63});
    std::sort(n.tokens.begin(), n.tokens.end());
  }
  return parts("cassandra-random", std::move(nodes));
}

// A ring as Riak would claim it: nobody has two partitions within any three.
inline ClusterMap::Parts claimed(std::vector<Node> nodes) {
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

inline std::vector<Subject> store_subjects() {
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
       false,
       10},
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

// Buckets in the order of names, shorter ones first: "newcomer" comes after the fleet. The first two change
// places, or the numbers would be those that the list itself gives.
inline std::vector<Node> numbered(std::vector<Node> nodes) {
  std::vector<Node*> order;
  for (Node& n : nodes) order.push_back(&n);
  std::sort(order.begin(), order.end(), [](const Node* a, const Node* b) {
    return a->name.size() != b->name.size() ? a->name.size() < b->name.size() : a->name < b->name;
  });
  if (order.size() > 1) std::swap(order[0], order[1]);
  std::uint32_t next = 0;
  for (Node* n : order)
    for (std::uint64_t i = 0; i < token_count(n->weight, 1); ++i) n->buckets.push_back(next++);
  return nodes;
}

// Of 64 buckets "cache-3" has number 3 for ever, and further ones for its weight; "newcomer" takes the lowest
// that was never held. What nobody holds went from the highest down, so that a node of this fleet which is
// not there (none of those has a weight) went last, as if it had just been removed.
inline ClusterMap::Parts remembering(std::string_view recipe, std::vector<Node> nodes) {
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

inline std::vector<Subject> own_subjects() {
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
  for (const std::string name : {"jump", "jump-back", "anchor", "memento"})
    out.push_back({name + "/numbered by the list",
                   [name](std::vector<Node> n) { return parts(name, std::move(n), 1, Across::node, 1); }});
  return out;
}

inline std::vector<Subject> make_subjects() {
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
      {"ranges/slots", [](std::vector<Node> n) { return table_of("ranges", std::move(n), 1024); }},
      {"partitions", [](std::vector<Node> n) { return table_of("partitions", std::move(n), 0); }},
      {"cassandra-ranges", [](std::vector<Node> n) { return table_of("cassandra-ranges", std::move(n), 0); }},
      {"redis-cluster", [](std::vector<Node> n) { return table_of("redis-cluster", std::move(n), 16384); }},
  };
  for (const auto& family : {own_subjects(), ketama_subjects(), proxy_subjects(), store_subjects()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

/// Made once: every test of every placement takes its own from them.
inline const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = make_subjects();
  return all;
}

inline std::vector<Node> fleet(std::size_t count, double weight_step = 0) {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < count; ++i)
    nodes.push_back(node("cache-" + std::to_string(i), 1 + weight_step * static_cast<double>(i % 3),
                         "r" + std::to_string(i % 2), i % 3 == 2 ? "us" : "eu"));
  return nodes;
}

// Fleets before a change: equal; at a count where ketama's rounding changes; weighted, ending with a light
// one; with two servers that share a point.
inline std::vector<std::vector<Node>> scenarios(const Subject& s) {
  std::vector<std::vector<Node>> all{fleet(7), fleet(24), fleet(7, 1)};
  if (s.tie.empty()) return all;
  all.push_back(fleet(6));
  for (std::size_t i = 0; i < s.tie.size(); ++i) all.back()[i].name = s.tie[i];
  return all;
}

}  // namespace arcwise::testing
