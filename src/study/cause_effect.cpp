// Causes verified by effect: the second map takes over from the first what one cause after another is about,
// and what still differs is measured. Such a map may follow no recipe there is (libketama's points, Envoy's
// key hash), so it gets a row of its own that lives as long as the comparison.
#include <algorithm>
#include <array>
#include <deque>

#include "study/cause_sides.hpp"
#include "study/diff.hpp"

namespace arcwise {
namespace {

constexpr std::array key_settings{"prefix",    "salt",     "balance",    "uri_len",
                                  "uri_depth", "key_type", "key_format", "byte_sign"};

class Mended {
 public:
  explicit Mended(const Sides& sides) : sides_(sides), a_(sides.a.parts()), b_(sides.b.parts()) {}

  /// Takes over what a cause of this kind is about. false: no map can.
  bool take(CauseKind kind);
  std::optional<Share> differing(std::uint64_t keys) const {
    const auto x = ClusterMap::build(a_), y = ClusterMap::build(b_);
    if (!x || !y) return std::nullopt;
    return compare(compile(*x), compile(*y), 1, keys).differs;
  }

 private:
  bool take_labels();
  bool take_order();
  void take_method();
  void take_hash();
  void take_key_prep();
  Recipe& own_row(ClusterMap::Parts& parts) {
    rows_.push_back(*parts.placement.recipe);
    parts.placement.recipe = &rows_.back();
    return rows_.back();
  }
  void take_settings(const PlacementSettings& from, std::initializer_list<std::string_view> names);

  const Sides& sides_;
  ClusterMap::Parts a_, b_;
  std::deque<Recipe> rows_;
  std::deque<std::vector<SettingInfo>> settings_;
};

bool plain_label(const Scheme& scheme, const ClusterMap& map, NodeIndex n) {
  return scheme.identity && scheme.identity(map, n) == Identity{"text", map.nodes()[n].label};
}

bool Mended::take_labels() {
  for (const Common& pair : sides_.common) {
    if (!plain_label(sides_.scheme_a, sides_.a, pair.before) ||
        !plain_label(sides_.scheme_b, sides_.b, pair.after))
      return false;
    b_.nodes[pair.after].label = a_.nodes[pair.before].label;
  }
  return true;
}

void put_in_order(std::vector<Node>& nodes, const std::vector<std::string>& names) {
  const auto place = [&](const Node& n) {
    return std::find(names.begin(), names.end(), n.name) - names.begin();
  };
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](const Node& x, const Node& y) { return place(x) < place(y); });
}

std::vector<std::string> names_in_order(const Scheme& scheme, const ClusterMap& map) {
  std::vector<std::string> out;
  for (NodeIndex n : scheme.order(map)) out.push_back(map.nodes()[n].name);
  return out;
}

// The side that does not sort is listed as the other one sorts.
bool Mended::take_order() {
  const auto sorts = [](const Scheme& scheme, const ClusterMap& map) {
    return scheme.sorting && !scheme.sorting(map).empty();
  };
  if (!a_.placement.table.empty() || !b_.placement.table.empty()) return false;
  if (!sorts(sides_.scheme_b, sides_.b)) {
    put_in_order(b_.nodes, names_in_order(sides_.scheme_a, sides_.a));
    own_row(b_).ties = sides_.a.placement().recipe->ties;
    return true;
  }
  if (sorts(sides_.scheme_a, sides_.a)) return false;
  put_in_order(a_.nodes, names_in_order(sides_.scheme_b, sides_.b));
  return true;
}

// The first map with the second one's key side: hash, lookup, preparation of the key.
void Mended::take_method() {
  const PlacementSettings key_side = b_.placement;
  const ReplicaPolicy policy = b_.replicas;
  b_ = a_;
  b_.replicas = policy;
  Recipe& row = own_row(b_);
  // Where only one of them has points, no cause of its own is left for the rule that chooses among them.
  if (sides_.scheme_a.finds == finds_on_ring && sides_.scheme_b.finds == finds_on_ring)
    row.lookup = key_side.recipe->lookup;
  row.key_prep = key_side.recipe->key_prep;
  row.empty_key_is_zero = key_side.recipe->empty_key_is_zero;
  b_.placement.hash = key_side.hash;
  b_.placement.hash_tag = key_side.hash_tag;
  for (const char* name : key_settings) take_settings(key_side, {name});
}

void Mended::take_settings(const PlacementSettings& from, std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) {
    const auto known = [&](const Recipe& recipe) {
      return std::find_if(recipe.settings.begin(), recipe.settings.end(),
                          [&](const SettingInfo& s) { return s.name == name; });
    };
    const auto info = known(*from.recipe);
    if (info == from.recipe->settings.end()) {
      b_.placement.settings.erase(std::string(name));
      continue;
    }
    if (known(*b_.placement.recipe) == b_.placement.recipe->settings.end()) {
      Recipe& row = own_row(b_);
      settings_.emplace_back(row.settings.begin(), row.settings.end());
      settings_.back().push_back(*info);
      row.settings = settings_.back();
    }
    b_.placement.settings[std::string(name)] = from.text(name);
  }
}

// With the method, which may hash keys itself (nginx) or make its points by the key hash (libmemcached).
// HAProxy's `balance` is what cuts its hash to 32 bits.
void Mended::take_hash() {
  take_method();
  b_.placement.hash = sides_.a.placement().hash;
  take_settings(sides_.a.placement(), {"byte_sign"});
  const auto balances = [](const ClusterMap& map) {
    return map.placement().recipe->key_prep == KeyPrep::balance;
  };
  if (balances(sides_.a) != balances(sides_.b)) take_key_prep();
}

void Mended::take_key_prep() {
  Recipe& row = own_row(b_);
  row.key_prep = sides_.a.placement().recipe->key_prep;
  row.empty_key_is_zero = sides_.a.placement().recipe->empty_key_is_zero;
  b_.placement.hash_tag = sides_.a.placement().hash_tag;
  for (const char* name : key_settings) take_settings(sides_.a.placement(), {name});
}

bool Mended::take(CauseKind kind) {
  switch (kind) {
    case CauseKind::members:
      return false;
    case CauseKind::identity:
      return take_labels();
    case CauseKind::order:
      return take_order();
    case CauseKind::points:
    case CauseKind::weights:
      take_method();
      return true;
    case CauseKind::hash:
      take_hash();
      return true;
    case CauseKind::successor:
      own_row(b_).lookup = sides_.a.placement().recipe->lookup;
      return true;
    case CauseKind::hash_tag:
    case CauseKind::key_prep:
      take_key_prep();
      return true;
    case CauseKind::replicas:
      return false;
  }
  return false;
}

}  // namespace

void measure_effects(const Sides& sides, std::span<Cause> causes, std::uint64_t keys) {
  // A key rule counts on the settings and partitions of its own recipes.
  const bool one_rule = sides.a.placement().recipe->key_rule == sides.b.placement().recipe->key_rule;
  if (!sides.same_members || sides.by_address || !one_rule) return;
  Mended mended(sides);
  for (Cause& cause : causes)
    if (mended.take(cause.kind)) cause.remaining = mended.differing(keys);
}

}  // namespace arcwise
