#include "arcwise/cause.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "place/key_position.hpp"
#include "study/cause_sides.hpp"
#include "study/numbers.hpp"
#include "study/sample_keys.hpp"

namespace arcwise {
namespace {

using Found = std::optional<Cause>;

constexpr std::size_t most_listed = 6;
constexpr int tried_keys = 64;
constexpr int tried_hashes = 300'000;  // python-memcached changes one hash of 32,768

/// Keys with everything in them that some system takes a part of.
constexpr std::array<std::string_view, 6> odd_keys{
    "user:{123}:profile", "user:1|#|tail", "/region/cluster/user:1",
    "/shop/cart?item=1",  "10.0.0.7",      "user:1"};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size() && i < most_listed; ++i) out += (i ? ", " : "") + words[i];
  if (words.size() > most_listed) out += " and " + std::to_string(words.size() - most_listed) + " more";
  return out;
}

Found members(const Sides& sides) {
  if (sides.same_members) return std::nullopt;
  const auto alone = [&](const ClusterMap& map, NodeIndex Common::* side) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < map.nodes().size(); ++i) {
      const bool shared = std::any_of(sides.common.begin(), sides.common.end(),
                                      [&](const Common& pair) { return pair.*side == i; });
      const Node& node = map.nodes()[i];
      if (!shared && node.state != NodeState::joining) names.push_back(node.name);
    }
    return names.empty() ? "no server of its own" : "only here: " + joined(names);
  };
  Cause cause{CauseKind::members,
              {},
              alone(sides.a, &Common::before),
              alone(sides.b, &Common::after),
              {},
              {},
              {},
              {}};
  return cause;
}

// The bytes of a server's first point; where there are no points, what is hashed of it.
std::string first_bytes(const Scheme& scheme, const ClusterMap& map, NodeIndex node) {
  if (scheme.point) return scheme.point(map, node, 0);
  return scheme.identity ? scheme.identity(map, node).bytes : std::string();
}

Found identity(const Sides& sides) {
  const auto hashed_a = sides.scheme_a.identity, hashed_b = sides.scheme_b.identity;
  if (!hashed_a || !hashed_b) return std::nullopt;
  std::size_t others = 0;
  Found cause;
  for (const Common& pair : sides.common) {
    const Identity x = hashed_a(sides.a, pair.before), y = hashed_b(sides.b, pair.after);
    if (x == y) continue;
    if (others++) continue;
    const auto text = [](const Identity& i) { return "its " + std::string(i.kind) + " " + i.bytes; };
    cause = Cause{CauseKind::identity,
                  sides.a.nodes()[pair.before].name,
                  text(x),
                  text(y),
                  first_bytes(sides.scheme_a, sides.a, pair.before),
                  first_bytes(sides.scheme_b, sides.b, pair.after),
                  {},
                  {}};
  }
  if (others > 1)
    cause->after += "; likewise " + std::to_string(others - 1) + " more of " +
                    std::to_string(sides.common.size()) + " servers";
  return cause;
}

/// Common servers, as numbers, in the order in which a method takes them.
std::vector<std::size_t> taken_order(const Sides& sides, bool second) {
  std::vector<std::size_t> out;
  for (NodeIndex n : second ? sides.scheme_b.order(sides.b) : sides.scheme_a.order(sides.a))
    for (std::size_t i = 0; i < sides.common.size(); ++i)
      if ((second ? sides.common[i].after : sides.common[i].before) == n) out.push_back(i);
  return out;
}

std::string order_text(const Sides& sides, bool second, const std::vector<std::size_t>& order) {
  const ClusterMap& map = second ? sides.b : sides.a;
  const Scheme& scheme = second ? sides.scheme_b : sides.scheme_a;
  const std::string_view sorting = scheme.sorting ? scheme.sorting(map) : "";
  std::vector<std::string> names;
  for (std::size_t i : order) names.push_back(sides.a.nodes()[sides.common[i].before].name);
  return std::string(sorting.empty() ? "as listed" : sorting) + ": " + joined(names);
}

Found order_of_places(const Sides& sides) {
  if (!sides.scheme_a.by_place || !sides.scheme_b.by_place) return std::nullopt;
  const auto x = taken_order(sides, false), y = taken_order(sides, true);
  if (x == y) return std::nullopt;
  return Cause{CauseKind::order, {}, order_text(sides, false, x), order_text(sides, true, y), {}, {}, {}, {}};
}

/// Where two rings are made of the same points, list order can still decide who wins a point that two servers
/// claim, and who gets the odd point where shares are no whole numbers.
Found order_on_ring(const Sides& sides) {
  const bool alike = sides.same_members && layout(sides, false, true, sides.a.placement().hash) ==
                                               layout(sides, true, true, sides.b.placement().hash);
  if (!alike || sides.scheme_a.finds != finds_on_ring) return std::nullopt;
  std::vector<std::size_t> number_a(sides.a.nodes().size()), number_b(sides.b.nodes().size());
  for (std::size_t i = 0; i < sides.common.size(); ++i)
    number_a[sides.common[i].before] = number_b[sides.common[i].after] = i;
  const std::size_t count = std::min(sides.before.entry_count(), sides.after.entry_count());
  for (std::size_t i = 0; i < count; ++i) {
    const Placement::Entry x = sides.before.entry(i), y = sides.after.entry(i);
    if (x.token == y.token && number_a[x.node] == number_b[y.node]) continue;
    const auto wins = [&](const ClusterMap& map, const Placement::Entry& e) {
      return "point " + to_text(map.space(), e.token) + " is " + map.nodes()[e.node].name + "'s";
    };
    return Cause{CauseKind::order, {}, wins(sides.a, x), wins(sides.b, y), {}, {}, {}, {}};
  }
  return std::nullopt;
}

Found points(const Sides& sides) {
  const Layout x = layout(sides, false, true, sides.a.placement().hash);
  const Layout y = layout(sides, true, true, sides.b.placement().hash);
  const Common& pair = sides.common.front();
  Cause cause{CauseKind::points,
              sides.a.nodes()[pair.before].name,
              describe(x),
              describe(y),
              first_bytes(sides.scheme_a, sides.a, pair.before),
              first_bytes(sides.scheme_b, sides.b, pair.after),
              {},
              {}};
  for (std::size_t i = 0; cause.before == cause.after && i < std::min(x.rows.size(), y.rows.size()); ++i)
    if (x.rows[i] != y.rows[i]) {
      cause.before += "; " + x.rows[i];
      cause.after += "; " + y.rows[i];
    }
  return cause;
}

std::string weights_text(const Scheme& scheme, const std::vector<double>& weights, const Layout& layout) {
  std::vector<std::string> words;
  for (double w : weights) words.push_back(shortest(w));
  std::string out = "weights " + joined(words) + ": ";
  if (scheme.weights.empty()) return out + "ignored";
  out += "a weight " + std::string(scheme.weights);
  if (layout.counts.empty()) return out;
  words.clear();
  for (std::uint64_t n : layout.counts) words.push_back(std::to_string(n));
  return out + ", here " + joined(words) + " points";
}

/// What a method that may ignore weights makes of them; in proportion to the first where only that matters.
std::vector<double> effective(const Scheme& scheme, std::vector<double> weights, bool in_proportion) {
  if (scheme.weights.empty()) std::fill(weights.begin(), weights.end(), 1.0);
  const double unit = in_proportion && !weights.empty() && weights.front() > 0 ? weights.front() : 1.0;
  for (double& w : weights) w /= unit;
  return weights;
}

bool weights_differ(const Sides& sides, const Layout& x, const Layout& y, bool points_differ) {
  const bool shown = !x.counts.empty() || !x.turns.empty();
  if (!points_differ && shown) return x != y;
  const auto v = effective(sides.scheme_a, weights(sides, false), points_differ);
  const auto w = effective(sides.scheme_b, weights(sides, true), points_differ);
  if (v != w) return true;
  const bool equal = std::all_of(v.begin(), v.end(), [&](double weight) { return weight == v.front(); });
  return !points_differ && !equal && sides.scheme_a.weights != sides.scheme_b.weights;
}

Found weight(const Sides& sides, std::optional<KeyHashId> uniting) {
  const bool points_differ = !uniting;
  const KeyHashId hash = uniting.value_or(sides.b.placement().hash);
  const Layout x = layout(sides, false, false, hash), y = layout(sides, true, false, hash);
  if (!x.rows.empty() || !y.rows.empty() || !weights_differ(sides, x, y, points_differ)) return std::nullopt;
  const auto v = weights(sides, false), w = weights(sides, true);
  Cause cause{CauseKind::weights,
              {},
              weights_text(sides.scheme_a, v, x),
              weights_text(sides.scheme_b, w, y),
              {},
              {},
              {},
              {}};
  for (std::size_t i = 0; i < v.size() && cause.subject.empty(); ++i)
    if (v[i] != w[i] || (i < x.counts.size() && i < y.counts.size() && x.counts[i] != y.counts[i]))
      cause.subject = sides.a.nodes()[sides.common[i].before].name;
  return cause;
}

std::string hash_text(const ClusterMap& map, const std::string& bytes) {
  const PlacementSettings& placement = map.placement();
  const u128 value = wide_key_hash(placement.hash, bytes, byte_sign(placement));
  return std::string(info(placement.hash).name) + ", which gives " +
         to_text(TokenSpace{~u128{0}, 128, TokenSpace::Notation::decimal}, {value});
}

bool hash_differs(const Sides& sides) {
  const PlacementSettings &p = sides.a.placement(), &q = sides.b.placement();
  if (p.recipe->key_rule != q.recipe->key_rule) return true;
  const ByteSign sign_a = byte_sign(p), sign_b = byte_sign(q);
  if (p.hash == q.hash && sign_a == sign_b) return false;
  SampleKeys sample(1);
  for (int i = 0; i < tried_hashes; ++i) {
    const std::string_view key = sample.next();
    if (wide_key_hash(p.hash, key, sign_a) != wide_key_hash(q.hash, key, sign_b)) return true;
  }
  return false;
}

Found key_hash_of(const Sides& sides, const std::string& key) {
  if (!hash_differs(sides)) return std::nullopt;
  const std::string x = sides.before.hashed_bytes(key), y = sides.after.hashed_bytes(key);
  Cause cause{CauseKind::hash, key, hash_text(sides.a, x), hash_text(sides.b, y), x, y, {}, {}};
  const std::string_view rule_a = sides.a.placement().recipe->key_rule;
  const std::string_view rule_b = sides.b.placement().recipe->key_rule;
  if (rule_a == rule_b) return cause;
  const auto by_rule = [](std::string_view rule, std::string& text) {
    if (!rule.empty()) text = "the rule " + std::string(rule);
  };
  by_rule(rule_a, cause.before);
  by_rule(rule_b, cause.after);
  return cause;
}

std::string_view lookup_text(LookupRule rule) {
  switch (rule) {
    case LookupRule::at_or_after:
      return "the first point at or after the hash";
    case LookupRule::after:
      return "the first point after the hash, not one that equals it";
    case LookupRule::at_or_before:
      return "the last point at or before the hash";
    case LookupRule::nearest:
      return "the point nearest to the hash in either direction";
  }
  return "";
}

Found successor(const Sides& sides) {
  if (sides.scheme_a.finds != finds_on_ring || sides.scheme_b.finds != finds_on_ring) return std::nullopt;
  const LookupRule x = sides.a.placement().recipe->lookup, y = sides.b.placement().recipe->lookup;
  if (x == y) return std::nullopt;
  return Cause{
      CauseKind::successor, {}, std::string(lookup_text(x)), std::string(lookup_text(y)), {}, {}, {}, {}};
}

std::string tag_text(const PlacementSettings& placement) {
  switch (placement.recipe->key_prep) {
    case KeyPrep::redis_tag:
      return "what stands between { and }";
    case KeyPrep::routing_prefix:
      return "the key without /region/cluster/ and from |#| on";
    case KeyPrep::balance:
      return "what `balance " + std::string(placement.text("balance")) + "` takes of the key";
    case KeyPrep::tag_pair:
    case KeyPrep::none:
      break;
  }
  if (placement.hash_tag.empty()) return "the whole key";
  return "what stands between " + placement.hash_tag.substr(0, 1) + " and " + placement.hash_tag.substr(1);
}

Found hash_tag(const Sides& sides, std::span<const std::string> keys) {
  for (const std::string& key : keys) {
    if (sides.before.routing_key(key) == sides.after.routing_key(key)) continue;
    const bool cut = sides.a.placement().recipe->key_prep == KeyPrep::balance ||
                     sides.b.placement().recipe->key_prep == KeyPrep::balance;
    return Cause{cut ? CauseKind::key_prep : CauseKind::hash_tag,
                 key,
                 tag_text(sides.a.placement()),
                 tag_text(sides.b.placement()),
                 sides.before.hashed_bytes(key),
                 sides.after.hashed_bytes(key),
                 {},
                 {}};
  }
  return std::nullopt;
}

std::string prep_text(const PlacementSettings& placement) {
  std::string out;
  for (const char* name : {"prefix", "salt", "balance", "uri_len", "uri_depth", "key_type", "key_format"})
    if (const std::string_view value = placement.text(name); !value.empty())
      out += (out.empty() ? "" : ", ") + std::string(name) + " " + std::string(value);
  return out.empty() ? "the bytes as they are" : out;
}

// Where both take the same part of the key but hash other bytes: a prefix, a salt, another text of it.
Found key_prep(const Sides& sides, std::span<const std::string> keys) {
  for (const std::string& key : keys) {
    if (sides.before.routing_key(key) != sides.after.routing_key(key)) continue;
    const std::string x = sides.before.hashed_bytes(key), y = sides.after.hashed_bytes(key);
    if (x == y) continue;
    return Cause{CauseKind::key_prep,
                 key,
                 prep_text(sides.a.placement()),
                 prep_text(sides.b.placement()),
                 x,
                 y,
                 {},
                 {}};
  }
  return std::nullopt;
}

std::string policy_text(const ReplicaPolicy& policy) {
  std::string out;
  for (const ZoneCount& z : policy.per_zone)
    out += (out.empty() ? "" : ", ") + std::to_string(z.count) + " in zone " + z.zone;
  if (out.empty()) out = std::to_string(policy.count) + (policy.count == 1 ? " copy" : " copies");
  if (policy.across != Across::node) out += " across " + std::string(to_string(policy.across)) + "s";
  if (policy.when_short == WhenShort::repeat && policy.across != Across::node)
    out += ", repeating when short";
  return out;
}

Found replicas(const Sides& sides) {
  const ReplicaPolicy &p = sides.a.replicas(), &q = sides.b.replicas();
  Cause cause{CauseKind::replicas, {}, policy_text(p), policy_text(q), {}, {}, {}, {}};
  if (cause.before != cause.after) return cause;
  if (p.across == Across::node && p.per_zone.empty()) return std::nullopt;
  for (const Common& pair : sides.common) {
    const Node &x = sides.a.nodes()[pair.before], &y = sides.b.nodes()[pair.after];
    if (x.host == y.host && x.rack == y.rack && x.zone == y.zone) continue;
    const auto place = [](const Node& n) {
      return "host " + n.host + ", rack " + n.rack + ", zone " + n.zone;
    };
    cause.subject = x.name;
    cause.before = place(x);
    cause.after = place(y);
    return cause;
  }
  return std::nullopt;
}

std::vector<NodeIndex> owners_of(const Placement& placement, const std::string& key) {
  std::vector<NodeIndex> out(placement.max_owners());
  out.resize(placement.owners({key, placement.hash(key), {}}, out));
  return out;
}

// Sampled keys have no tags. Keys that have one may still go elsewhere: tried only where keys are prepared
// otherwise, among some that differ in the part that counts.
std::vector<Cause> silent_causes(const Sides& sides) {
  for (int i = 0; i < tried_keys; ++i) {
    const std::string n = std::to_string(i);
    const std::vector<std::string> keys{"user:{" + n + "}:profile", "user:" + n + "|#|tail",
                                        "/region/cluster/user:" + n, "/shop/cart" + n + "?item=1"};
    for (const std::string& key : keys) {
      const std::vector<std::string> one{key};
      Found cause = hash_tag(sides, one);
      if (!cause) cause = key_prep(sides, one);
      if (!cause) continue;
      const auto x = owners_of(sides.before, key), y = owners_of(sides.after, key);
      const bool same = std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](NodeIndex m, NodeIndex n2) {
        return sides.a.nodes()[m].name == sides.b.nodes()[n2].name;
      });
      if (!same) return {*cause};
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(CauseKind kind) {
  static constexpr std::array<std::string_view, 10> names{
      "members", "identity string", "list order", "points",          "weights",
      "hash",    "successor rule",  "hash tag",   "key preparation", "replicas"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {

std::vector<Cause> ordered_causes(const Sides& sides, const Diff& diff) {
  std::vector<std::string> keys;
  for (const ExampleKey& example : diff.example_keys) keys.push_back(example.key);
  keys.insert(keys.end(), odd_keys.begin(), odd_keys.end());
  std::vector<Cause> out;
  const auto add = [&](Found cause) {
    if (cause) out.push_back(std::move(*cause));
  };
  add(members(sides));
  if (!sides.common.empty()) {
    const std::optional<KeyHashId> uniting = uniting_hash(sides);
    Found other_identity = identity(sides), other_weights = weight(sides, uniting);
    const bool one_ring = uniting && !other_identity && !other_weights;
    add(std::move(other_identity));
    if (one_ring) add(order_on_ring(sides));
    add(order_of_places(sides));
    if (!uniting) add(points(sides));
    add(std::move(other_weights));
  }
  add(key_hash_of(sides, keys.front()));
  add(successor(sides));
  add(hash_tag(sides, keys));
  add(key_prep(sides, keys));
  add(replicas(sides));
  return out;
}

}  // namespace

std::vector<Cause> causes(const Placement& before, const Placement& after, const Diff& diff,
                          std::uint64_t effect_keys) {
  const Sides sides(before, after);
  std::vector<Cause> out = diff.differs.units == 0 ? silent_causes(sides) : ordered_causes(sides, diff);
  for (Cause& cause : out) cause.advice = advice_for(sides, cause);
  if (diff.differs.units == 0 || effect_keys == 0 || out.empty()) return out;
  measure_effects(sides, out, effect_keys);
  if (const std::string better = sibling_advice(sides, effect_keys); !better.empty())
    out.front().advice = better;
  return out;
}

}  // namespace arcwise
