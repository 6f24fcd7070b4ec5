// One suite for every placement × decorator. A placement declares its traits; each declared one is proven
// over every scenario here, and for each undeclared one some scenario must show a counter-example.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "arcwise/bounded.hpp"
#include "place/conformance_subjects.hpp"

namespace arcwise {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

// What stands around a placement: a replica policy, or bounded loads.
struct Decorator {
  std::string name;
  std::function<void(ClusterMap::Parts&)> apply;
  std::optional<Bound> bound = {};
  int requests = 0;

  Traits traits(const Placement& p) const { return bound ? traits_under(*bound, p.traits()) : p.traits(); }
};

std::vector<Decorator> policies(const Subject& subject) {
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

// A shared point is one of a thousand, so that many requests are needed to meet it.
std::vector<Decorator> bounds(const Subject& subject) {
  const auto one_copy = [](ClusterMap::Parts& p) { p.replicas.count = 1; };
  std::vector<Decorator> all;
  for (std::uint32_t percent : {105u, 200u})
    all.push_back({"loads of " + std::to_string(percent) + " %", one_copy,
                   Bound{BoundRule::arcwise, percent, {}}, 600 / subject.cost});
  all.push_back({"loads where one zone holds nothing",
                 [](ClusterMap::Parts& p) { p.replicas.per_zone = {{"eu", 1}}; },
                 Bound{BoundRule::arcwise, 125, {}}, 400 / subject.cost});
  if (!subject.tie.empty()) all.push_back({"many loads", one_copy, Bound{BoundRule::arcwise, 150, {}}, 6000});
  return all;
}

// The owners of each key, one key after the other, by numbers that a name has in every map: answers of
// different maps are compared, millions of them.
constexpr std::size_t width = 3;  // the most copies of a policy here
using Answers = std::vector<std::uint32_t>;

std::uint32_t number_of(const std::string& name) {
  static std::map<std::string, std::uint32_t> known;
  return known.try_emplace(name, static_cast<std::uint32_t>(known.size())).first->second;
}

constexpr int keys = 1500;

const std::string& key_number(int k) {
  static const auto all = [] {
    std::vector<std::string> out;
    for (int i = 0; i < 6000; ++i) out.push_back("user:" + std::to_string(i));
    return out;
  }();
  return all[static_cast<std::size_t>(k)];
}

// Requests that arrive one after the other and stay in progress.
std::vector<NodeIndex> replay(const Placement& p, const Bound& bound, int requests, const NodeMask& mask) {
  const Bounded bounded(p, bound);
  std::vector<std::uint64_t> loads(p.map().nodes().size());
  std::vector<NodeIndex> out;
  for (int k = 0; k < requests; ++k) {
    const std::string& key = key_number(k);
    const NodeIndex n = bounded.pick({key, p.hash(key), mask}, loads);
    if (n == no_node) {
      ADD_FAILURE() << "no room for " << key;
      return out;
    }
    out.push_back(n);
    ++loads[n];
  }
  return out;
}

Answers answers(const Placement& p, const Decorator& d, const NodeSet& down) {
  std::vector<std::uint32_t> numbers;
  for (const Node& n : p.map().nodes()) numbers.push_back(number_of(n.name));
  const NodeMask mask(down);
  EXPECT_LE(p.max_owners(), width);
  const auto requests = static_cast<std::size_t>(d.bound ? d.requests : keys);
  Answers out(width * requests, no_node);
  if (d.bound) {
    const std::vector<NodeIndex> chosen = replay(p, *d.bound, d.requests, mask);
    for (std::size_t k = 0; k < chosen.size(); ++k) out[width * k] = numbers[chosen[k]];
    return out;
  }
  std::array<NodeIndex, width> owners;
  for (std::size_t k = 0; k < requests; ++k) {
    const std::string& key = key_number(static_cast<int>(k));
    const std::size_t count = p.owners({key, p.hash(key), mask}, owners);
    for (std::size_t i = 0; i < count; ++i) out[width * k + i] = numbers[owners[i]];
  }
  return out;
}

// Asks a subject; each map once, though several claims compare with it.
class Asked {
 public:
  explicit Asked(const Subject& subject) : make_(subject.make) {}

  const Answers& operator()(const Decorator& d, const std::vector<Node>& nodes,
                            std::optional<std::size_t> down = {}) {
    std::string map = d.name + (down ? " without " + std::to_string(*down) : "");
    for (const Node& n : nodes) map += " " + n.name + "=" + std::to_string(n.weight);
    const auto [at, fresh] = known_.try_emplace(std::move(map));
    if (!fresh) return at->second;
    auto p = make_(nodes);
    d.apply(p);
    NodeSet masked(nodes.size());
    if (down) masked.insert(static_cast<NodeIndex>(*down));
    return at->second = answers(compile(map_of(std::move(p))), d, masked);
  }

 private:
  std::function<ClusterMap::Parts(std::vector<Node>)> make_;
  std::map<std::string, Answers> known_;
};

// Owners other than `changed`, in order; what a change of that node alone may not touch beyond its own place.
bool only_this_node_moves(const Answers& with, const Answers& without, const std::string& changed) {
  const std::uint32_t number = number_of(changed);
  for (std::size_t k = 0; k < with.size(); k += width) {
    const auto at = with.begin() + static_cast<std::ptrdiff_t>(k);
    const bool holds = std::count(at, at + width, number) > 0;
    if (!holds && !std::equal(at, at + width, without.begin() + static_cast<std::ptrdiff_t>(k))) return false;
  }
  return true;
}

Node newcomer() {
  return node("newcomer", 1, "r0", "eu");
}

std::vector<Node> without(std::vector<Node> nodes, std::size_t victim) {
  nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(victim));
  return nodes;
}

bool adds_monotonically(Asked& asked, const Decorator& d, const std::vector<Node>& nodes) {
  auto more = nodes;
  more.push_back(newcomer());
  return only_this_node_moves(asked(d, more), asked(d, nodes), "newcomer");
}

bool removes_monotonically(Asked& asked, const Decorator& d, const std::vector<Node>& nodes,
                           std::size_t victim) {
  return only_this_node_moves(asked(d, nodes), asked(d, without(nodes, victim)), nodes[victim].name);
}

bool any_removal_is_monotone(Asked& asked, const Decorator& d, const std::vector<Node>& nodes) {
  return removes_monotonically(asked, d, nodes, 0) &&
         removes_monotonically(asked, d, nodes, nodes.size() / 2) &&
         removes_monotonically(asked, d, nodes, nodes.size() - 1);
}

bool list_order_is_ignored(Asked& asked, const Decorator& d, const std::vector<Node>& nodes) {
  return asked(d, nodes) == asked(d, {nodes.rbegin(), nodes.rend()});
}

bool mask_answers_as_removal(Asked& asked, const Decorator& d, const std::vector<Node>& nodes) {
  for (const std::size_t victim : {std::size_t{0}, nodes.size() - 1})
    if (asked(d, nodes, victim) != asked(d, without(nodes, victim))) return false;
  return true;
}

// Where weights are not heard, a bound of twice a node's part lets half of the requests go to the light ones.
bool loads_follow_weights(const Subject& s) {
  std::vector<Node> nodes = fleet(12);
  for (std::size_t i = 0; i < 6; ++i) nodes[i].weight = 3;
  double heavy = 0;
  const auto all = replay(compile(map_of(s.make(nodes))), {BoundRule::arcwise, 200, {}}, 600, {});
  for (const NodeIndex n : all) heavy += n < 6;
  return std::abs(heavy / static_cast<double>(all.size()) - 0.75) < 0.08;
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
  std::function<bool(Asked&, const Decorator&, const std::vector<Node>&)> holds;
};

std::vector<Claim> claims() {
  return {{"monotone_add", &Traits::monotone_add, adds_monotonically},
          {"monotone_remove", &Traits::monotone_remove,
           [](Asked& asked, const Decorator& d, const std::vector<Node>& n) {
             return removes_monotonically(asked, d, n, n.size() - 1);
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
    return decorator.traits(compile(map_of(p)));
  }

  void prove(const std::vector<Decorator>& decorators) const {
    Asked asked(subject);
    std::vector<Traits> declared_traits;
    for (const Decorator& d : decorators) declared_traits.push_back(traits_with(d));
    for (const Claim& claim : claims()) {
      bool counter_example = false;
      bool declared_everywhere = true;
      for (std::size_t i = 0; i < decorators.size(); ++i) {
        const Decorator& d = decorators[i];
        const bool declared = declared_traits[i].*claim.declared;
        declared_everywhere &= declared;
        for (const auto& nodes : scenarios(subject)) {
          if (!declared && counter_example) break;
          const bool holds = claim.holds(asked, d, nodes);
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
};

TEST_P(conformance, declared_traits_hold_and_undeclared_ones_have_a_counter_example) {
  prove(policies(subject));
}

// A request that finds its node full changes what the next one finds, so that no promise about who moves is
// left; that neither list order nor a masked node counts is.
TEST_P(conformance, declared_traits_hold_under_bounded_loads_and_undeclared_ones_have_a_counter_example) {
  prove(bounds(subject));
}

TEST_P(conformance, shares_follow_weights_exactly_where_declared) {
  EXPECT_EQ(shares_follow_weights(subject), traits.weighted);
  EXPECT_EQ(loads_follow_weights(subject), traits_under({}, traits).weighted);
}

TEST_P(conformance, regions_partition_the_circle_and_answer_as_keys_do) {
  for (const Decorator& d : policies(subject)) {
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
  for (const Decorator& d : policies(subject)) {
    auto p = subject.make(fleet(9));
    d.apply(p);
    const Placement placement = compile(map_of(p));
    const std::size_t copies = placement.max_owners();
    std::vector<NodeIndex> owners(copies);
    for (int k = 0; k < keys; ++k) {
      const std::string& key = key_number(k);
      EXPECT_EQ(placement.owners({key, placement.hash(key), {}}, owners), copies) << d.name;
      std::sort(owners.begin(), owners.end());
      EXPECT_EQ(std::unique(owners.begin(), owners.end()), owners.end());
    }
  }
}

// One zone holds nothing in the last: its nodes are candidates that never own.
std::vector<Decorator> policies_and_one_zone(const Subject& subject) {
  std::vector<Decorator> all = policies(subject);
  all.push_back({"one zone", [](ClusterMap::Parts& p) { p.replicas.per_zone = {{"eu", 1}}; }});
  return all;
}

TEST_P(conformance, single_batch_and_first_owner_agree) {
  for (const Decorator& d : policies_and_one_zone(subject)) {
    auto parts = subject.make(fleet(9));
    d.apply(parts);
    const Placement p = compile(map_of(parts));
    std::vector<std::string> names{"", "x", "a key of more than thirty-two bytes: " + std::string(300, 'k')};
    for (int k = 0; k < 400; ++k) names.push_back("b" + std::to_string(k));
    std::vector<std::uint64_t> hashes;
    for (const std::string& name : names) hashes.push_back(static_cast<std::uint64_t>(p.hash(name).value));
    std::vector<NodeIndex> batch(hashes.size()), out(p.max_owners());
    p.primary(hashes, batch);
    const bool fits = p.map().space().last <= ~std::uint64_t{0};  // positions into the 64 bits of a batch
    for (std::size_t k = 0; k < hashes.size(); ++k) {
      ASSERT_GE(p.owners({names[k], p.hash(names[k]), {}}, out), 1u);
      ASSERT_EQ(p.owner(names[k]), out[0]) << d.name << ": " << names[k];
      // Elsewhere the key itself is needed.
      const NodeIndex expected = traits.enumerable ? out[0] : no_node;
      ASSERT_TRUE(!fits || batch[k] == expected) << d.name;
      ASSERT_EQ(p.primary(p.hash(names[k])), expected) << d.name;
    }
  }
}

// A position is what hash() gives; one that no key has still gets an answer, and not from beyond a table.
TEST_P(conformance, positions_that_no_key_has_are_answered_from_within) {
  const Placement p = compile(map_of(subject.make(fleet(9))));
  std::vector<NodeIndex> out(p.max_owners());
  std::vector<std::uint64_t> positions;
  for (unsigned bit = 0; bit < 64; ++bit) positions.push_back(~std::uint64_t{0} >> bit);
  for (const std::uint64_t position : positions)
    for (const KeyHash hash : {KeyHash{position}, KeyHash{~u128{0} - position}}) {
      const NodeIndex first = p.primary(hash);
      ASSERT_TRUE(first == no_node || first < 9u);
      ASSERT_LE(p.owners({"key", hash, {}}, out), out.size());
      if (traits.enumerable) {
        ASSERT_LT(p.region_at(hash), p.region_count());
      }
    }
  std::vector<NodeIndex> batch(positions.size());
  p.primary(positions, batch);
  for (const NodeIndex node : batch) ASSERT_TRUE(node == no_node || node < 9u);
}

TEST_P(conformance, with_nothing_in_progress_a_bound_answers_the_owner) {
  for (const Decorator& d : policies_and_one_zone(subject)) {
    auto parts = subject.make(fleet(9));
    d.apply(parts);
    const Bounded bounded(compile(map_of(parts)), {BoundRule::arcwise, 100, {}});
    for (int k = 0; k < 100 / subject.cost; ++k) {
      const std::string& key = key_number(k);
      EXPECT_EQ(bounded.pick({key, bounded.placement().hash(key), {}}, {}), bounded.placement().owner(key))
          << d.name << ": " << key;
    }
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

// The candidates of a key before any mask or policy, each node once.
std::vector<NodeIndex> stream(const Placement& p, const std::string& key) {
  std::vector<NodeIndex> out;
  p.walk(
      {key, p.hash(key), {}},
      [](void* all, NodeIndex n) noexcept {
        auto& list = *static_cast<std::vector<NodeIndex>*>(all);
        if (n != no_node && std::count(list.begin(), list.end(), n) == 0) list.push_back(n);
        return true;
      },
      &out);
  return out;
}

TEST_P(conformance, masked_owners_are_the_candidates_without_those_nodes) {
  auto p = subject.make(fleet(9));
  p.replicas.count = 3;
  const Placement placement = compile(map_of(p));
  for (int k = 0; k < 300 / subject.cost; ++k) {
    const std::string key = "m" + std::to_string(k);
    NodeSet down(9);
    for (int i = k % 5; i > 0; --i)
      down.insert(static_cast<NodeIndex>(key_hash(KeyHashId::xxh64, key + std::to_string(i)) % 9));
    std::vector<NodeIndex> want = stream(placement, key);
    std::erase_if(want, [&](NodeIndex n) { return down.contains(n); });
    want.resize(std::min<std::size_t>(3, want.size()));
    std::vector<NodeIndex> got(3);
    got.resize(placement.owners({key, placement.hash(key), NodeMask(down)}, got));
    EXPECT_EQ(got, want) << key;
  }
}

// Requests come in and go; two nodes are down for a while.
TEST_P(conformance, under_a_bound_a_request_goes_to_its_first_candidate_with_room_and_never_above_a_cap) {
  const Placement p = compile(map_of(subject.make(fleet(9, 1))));
  NodeSet down(9);
  for (std::uint32_t percent : {100u, 125u}) {
    const Bounded bounded(p, {BoundRule::arcwise, percent, {}});
    std::vector<std::uint64_t> loads(9);
    for (int k = 0; k < 300 / subject.cost; ++k) {
      if (k == 150 / subject.cost) down.insert(2), down.insert(7);
      double total = 1, weights = 0;
      for (NodeIndex n = 0; n < 9; ++n)
        if (!down.contains(n)) total += static_cast<double>(loads[n]), weights += p.map().nodes()[n].weight;
      const auto cap = [&](NodeIndex n) {  // the formula, in numbers of its own
        return std::ceil(percent * total * p.map().nodes()[n].weight / (100 * weights) - 1e-9);
      };
      const auto has_room = [&](NodeIndex n) {
        return !down.contains(n) && static_cast<double>(loads[n]) < cap(n);
      };
      const std::string key = "hot:" + std::to_string(k % 40);
      const Query query{key, p.hash(key), NodeMask(down)};
      const NodeIndex n = bounded.pick(query, loads);
      ASSERT_NE(n, no_node) << key;
      EXPECT_TRUE(has_room(n)) << key;
      EXPECT_EQ(bounded.cap(n, loads, NodeMask(down)), cap(n));
      EXPECT_EQ(bounded.pick(query, loads), n);
      const auto candidates = stream(p, key);
      const auto first = std::find_if(candidates.begin(), candidates.end(), has_room);
      EXPECT_TRUE(first == candidates.end() || *first == n) << key;
      ++loads[n];
      const auto done = static_cast<std::size_t>(k * 5 % 9);
      if (k % 3 == 0 && loads[done]) --loads[done];
    }
  }
}

TEST_P(conformance, under_a_bound_no_room_is_said_only_when_every_node_is_at_its_most) {
  const Placement p = compile(map_of(subject.make(fleet(5))));
  const Bound bound{BoundRule::arcwise, 100, {0, 9, 1, 30, 2}};
  const Bounded bounded(p, bound);
  std::vector<std::uint64_t> loads(5);
  for (int k = 0; k < 42; ++k) {
    const std::string key = "k" + std::to_string(k);
    const NodeIndex n = bounded.pick({key, p.hash(key), {}}, loads);
    ASSERT_NE(n, no_node) << "after " << k;
    ++loads[n];
  }
  EXPECT_EQ(loads, bound.most);
  EXPECT_EQ(bounded.pick({"k", p.hash("k"), {}}, loads), no_node);
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
