// What to change so that two maps agree. A sentence is chosen by what a recipe's row says of itself: how it
// names servers, which key hashes and settings it takes.
#include <algorithm>

#include "model/build.hpp"
#include "study/cause_sides.hpp"
#include "study/diff.hpp"

namespace arcwise {
namespace {

std::string_view name_of(const ClusterMap& map) {
  return map.placement().recipe->name;
}

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

// How the operator of a system decides what it hashes of a server; empty: he cannot, but by another address.
std::string_view identity_lever(LabelRule rule) {
  switch (rule) {
    case LabelRule::twemproxy:
      return "name the server in nutcracker.yml, behind its weight: the name is hashed instead of the "
             "address";
    case LabelRule::drop_default_port:
      return "set or drop hashring's option `default port`";
    case LabelRule::java_socket:
    case LabelRule::java_host:
      return "choose spymemcached's other node key format (SPYMEMCACHED keeps the port, LIBMEMCACHED drops "
             "11211)";
    case LabelRule::java_socket_slash:
    case LabelRule::java_address:
      return "choose another key format of xmemcached (nginx mode drops port 11211, gwhalin keeps host:port)";
    case LabelRule::libmemcached_spy:
      return "drop CONSISTENT_KETAMA_SPY: it alone puts a slash before the host and keeps port 11211";
    case LabelRule::drop_11211:
    case LabelRule::evcache:
      return "choose another omode of the proxy's ring_hash (ketama keeps the port, twemproxy drops 11211)";
    case LabelRule::libmemcached:
      return "libmemcached drops port 11211 and no other: let the servers listen on another port, or change "
             "the "
             "other side";
    default:
      return {};
  }
}

bool numbers(const Scheme& scheme, const ClusterMap& map) {
  return scheme.identity && !map.nodes().empty() && scheme.identity(map, 0).kind == "number";
}

bool buckets(const ClusterMap& map) {
  return map.placement().recipe->points == PointRule::buckets;
}

std::string identity_advice(const Sides& sides) {
  if (buckets(sides.a) && buckets(sides.b)) return "give every node the same `buckets` in both maps";
  if (numbers(sides.scheme_a, sides.a) && numbers(sides.scheme_b, sides.b))
    return "give every server a number of its own (`id N` on its line), the same in both: without one, its "
           "place "
           "in the list is its number";
  std::string out;
  for (const ClusterMap* map : {&sides.a, &sides.b}) {
    const std::string_view lever = identity_lever(map->placement().recipe->label);
    if (lever.empty()) continue;
    const bool again = !out.empty() && sides.a.placement().recipe->label == sides.b.placement().recipe->label;
    if (again) break;
    out += (out.empty() ? "" : "; or ") + std::string(lever);
  }
  if (out.empty()) out = "write the servers in both files so that the same bytes are hashed";
  return out + "; in a map, `label` says what is hashed";
}

std::string order_advice(const Sides& sides, const Cause& cause) {
  const auto sorted = [](const Scheme& scheme, const ClusterMap& map) {
    return scheme.sorting && !scheme.sorting(map).empty();
  };
  const bool second_sorts = sorted(sides.scheme_b, sides.b);
  if (sorted(sides.scheme_a, sides.a) == second_sorts) return "list the servers in the same order in both";
  const std::string& order = second_sorts ? cause.after : cause.before;
  return std::string("list the servers in the ") + (second_sorts ? "first" : "second") +
         " in this order: " + order.substr(order.find(": ") + 2);
}

std::string points_advice(const Sides& sides) {
  if (name_of(sides.a) == name_of(sides.b) && buckets(sides.a))
    return "write `removed` with the same buckets in the same order in both maps";
  const bool listed = sides.scheme_a.finds == sides.scheme_b.finds && !sides.scheme_a.point &&
                      sides.scheme_a.finds != finds_on_ring;
  if (listed) return "list the same owners for every range in both";
  if (name_of(sides.a) == name_of(sides.b))
    return "give both the same number of points and the same settings";
  return "no change of the list makes these points equal: run one recipe on both sides, " +
         quoted(name_of(sides.a)) + " (" + std::string(sides.a.placement().recipe->used_by) + ") or " +
         quoted(name_of(sides.b)) + " (" + std::string(sides.b.placement().recipe->used_by) + ")";
}

std::string weights_advice(const Sides& sides) {
  if (sides.scheme_a.weights.empty() != sides.scheme_b.weights.empty())
    return std::string("the ") + (sides.scheme_a.weights.empty() ? "first" : "second") +
           " ignores weights: give every server the same weight in the other";
  return weights(sides, false) == weights(sides, true)
             ? "give every server the same weight, or run one recipe on both sides"
             : "give the servers the same weights in both";
}

bool takes(const ClusterMap& map, KeyHashId hash) {
  const Recipe& recipe = *map.placement().recipe;
  return recipe.hash == hash || (recipe.hash_open && info(hash).open) ||
         std::find(recipe.hashes.begin(), recipe.hashes.end(), hash) != recipe.hashes.end();
}

std::string hash_advice(const Sides& sides) {
  const KeyHashId x = sides.a.placement().hash, y = sides.b.placement().hash;
  if (takes(sides.b, x)) return "set the key hash of the second to " + quoted(info(x).name);
  if (takes(sides.a, y)) return "set the key hash of the first to " + quoted(info(y).name);
  return "neither " + quoted(name_of(sides.a)) + " nor " + quoted(name_of(sides.b)) +
         " can be told to hash keys as the other does: run one recipe on both sides";
}

std::string tag_advice(const Sides& sides) {
  const bool first = sides.a.placement().recipe->key_prep == KeyPrep::tag_pair;
  const bool second = sides.b.placement().recipe->key_prep == KeyPrep::tag_pair;
  if (first || second)
    return "set `hash_tag` of the " + std::string(second ? "second" : "first") +
           " as the other takes tags, or leave it out where the other takes none";
  return "keep such marks out of keys: only keys that have them are hashed otherwise";
}

std::string_view software(const Recipe& recipe) {
  return recipe.name.substr(0, recipe.name.find('-'));
}

bool places_alike(const ClusterMap& target, const Recipe& row, const ClusterMap& servers,
                  std::uint64_t keys) {
  ClusterMap::Parts parts = servers.parts();
  parts.placement = {};
  parts.placement.recipe = &row;
  parts.placement.hash = row.hash;
  for (Node& node : parts.nodes) {
    node.label.clear();
    node.tokens.clear();
    if (!numbers_nodes(row)) node.bucket.reset();
  }
  const auto built = ClusterMap::build(std::move(parts));
  return built && compare(compile(target), compile(*built), 1, keys).differs.units == 0;
}

}  // namespace

std::string sibling_advice(const Sides& sides, std::uint64_t keys) {
  if (!sides.same_members || sides.by_address) return {};
  for (const bool second : {true, false}) {
    const ClusterMap& changed = second ? sides.b : sides.a;
    const ClusterMap& target = second ? sides.a : sides.b;
    for (const Recipe& row : recipes()) {
      const bool plain = row.no_placement.empty() && row.points == PointRule::method &&
                         row.slots != SlotCount::listed && &row != changed.placement().recipe &&
                         software(row) == software(*changed.placement().recipe);
      if (plain && places_alike(target, row, changed, keys))
        return std::string("run the ") + (second ? "second" : "first") + " as " + quoted(row.name) + " (" +
               std::string(row.used_by) + "): it then places these servers as the other does";
    }
  }
  return {};
}

std::string advice_for(const Sides& sides, const Cause& cause) {
  switch (cause.kind) {
    case CauseKind::members:
      return "list the same servers in both, under the same names";
    case CauseKind::identity:
      return identity_advice(sides);
    case CauseKind::order:
      return order_advice(sides, cause);
    case CauseKind::points:
      return points_advice(sides);
    case CauseKind::weights:
      return weights_advice(sides);
    case CauseKind::hash:
      return hash_advice(sides);
    case CauseKind::successor:
      return "neither rule is a setting: run one recipe on both sides";
    case CauseKind::hash_tag:
      return tag_advice(sides);
    case CauseKind::key_prep:
      return "give both the same prefix, salt and key settings";
    case CauseKind::replicas:
      return "give both the same replica policy, hosts, racks and zones";
  }
  return {};
}

}  // namespace arcwise
