// A change carried out on a map: the map as it will be, or what is wrong with the change.
#include <algorithm>
#include <cmath>
#include <set>

#include "arcwise/change.hpp"
#include "study/apply_buckets.hpp"
#include "study/apply_outlier.hpp"
#include "study/apply_parts.hpp"
#include "study/newcomer.hpp"
#include "study/numbers.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_names_listed = 8;
constexpr std::string_view whole_weights_method =
    "ketama-twemproxy";  // its configuration has no other weights

Error fault(std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, {}, std::move(what), std::move(why), std::move(advice)};
}

std::string listed(const std::vector<Node>& nodes) {
  std::string out;
  for (std::size_t i = 0; i < std::min(nodes.size(), most_names_listed); ++i)
    out += (i ? ", " : "") + nodes[i].name;
  return nodes.size() > most_names_listed ? out + ", … (" + std::to_string(nodes.size()) + " in all)" : out;
}

std::size_t holders(const std::vector<Node>& nodes, const std::string* zone) {
  return static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [&](const Node& n) {
    return n.state != NodeState::joining && (!zone || n.zone == *zone);
  }));
}

class Editor {
 public:
  Editor(const ClusterMap& map, std::vector<Finding>& warnings)
      : before_(map),
        parts_(map.parts()),
        warnings_(warnings),
        rule_(map.placement().given ? PointRule::given : map.placement().recipe->points),
        hands_out_(parts_may_move(map)) {}

  std::optional<Error> add(NewNode wanted);
  std::optional<Error> replace(const std::string& old, const NewNode& wanted);
  std::optional<Error> weigh(const std::string& name, double weight);
  std::optional<Error> remove(const std::string& name);
  std::optional<Error> hand_out_by(const PartRules& rules);
  void take_as_down(const std::vector<std::string>& names) { down_ = {names.begin(), names.end()}; }
  std::optional<Error> check_shortfall(const Change& change) const;
  Result<ClusterMap> finish();
  const std::optional<PartsMoved>& moved() const { return moved_; }

 private:
  Node* find(const std::string& name) {
    const auto at =
        std::find_if(parts_.nodes.begin(), parts_.nodes.end(), [&](const Node& n) { return n.name == name; });
    return at == parts_.nodes.end() ? nullptr : &*at;
  }
  Error unknown(const std::string& name) const {
    return fault(name, "the map has no node of this name", "its nodes are " + listed(parts_.nodes));
  }
  Error exists(const std::string& name) const {
    return fault(name, "the map already has a node of this name",
                 "give the new node another name, or replace that one");
  }
  std::string table_advice() const;
  std::optional<Error> leave(NodeIndex index);
  bool holds_parts(NodeIndex index) const;
  std::optional<Error> set_weight(Node& node, double weight) const;
  std::optional<Error> fit_buckets(Node& node);
  std::optional<Error> read_tokens(Node& node, const NewNode& wanted) const;
  void hash_tokens(Node& node);
  void warn(std::string rule, const std::string& subject, std::string message, std::string advice) {
    warnings_.push_back(
        {Finding::Severity::warning, std::move(rule), subject, std::move(message), std::move(advice)});
  }

  const ClusterMap& before_;
  ClusterMap::Parts parts_;
  std::vector<Finding>& warnings_;
  PointRule rule_;
  // Of tables whose parts are handed out anew.
  bool hands_out_ = false, moves_parts_ = false;
  std::set<std::string> leaving_, coming_, down_;
  PartRules rules_;
  std::optional<PartsMoved> moved_;
};

std::string Editor::table_advice() const {
  if (parts_.placement.recipe->name == "cassandra-ranges")
    return "bring the output of `nodetool ring`, whose tokens tell who takes what";
  return "write the ranges as they shall become in a second map, and plan from this one to that one";
}

std::optional<Error> Editor::set_weight(Node& node, double weight) const {
  if (parts_.placement.recipe->method == whole_weights_method && std::isfinite(weight) &&
      weight != std::floor(weight))
    return fault(node.name,
                 "its weight, " + shortest(weight) + ", is not a whole number, as this recipe needs",
                 "weights are relative: 3 and 2 stand to each other as 1.5 and 1");
  node.weight = weight;
  return std::nullopt;
}

// As many buckets as the weight asks for.
std::optional<Error> Editor::fit_buckets(Node& node) {
  if (rule_ != PointRule::buckets || node.state == NodeState::joining) return std::nullopt;
  const std::uint64_t count = std::min(token_count(node.weight, parts_.placement.tokens), max_ring_tokens);
  if (auto error = take_buckets(parts_, node, count)) return error;
  give_buckets(parts_, node, count);
  return std::nullopt;
}

std::optional<Error> Editor::read_tokens(Node& node, const NewNode& wanted) const {
  node.tokens.clear();
  for (const std::string& text : wanted.tokens) {
    const TokenSpace& space = before_.space();
    const auto token = read_token(space, text);
    if (!token)
      return fault(text, "a token of node '" + wanted.name + "' is not a position of this ring",
                   space.notation == TokenSpace::Notation::hex
                       ? "write it as at most " + std::to_string(space.bits / 4) + " hex digits"
                       : "write a number from " + to_text(space, {0}) + " to " +
                             to_text(space, {space.last}) + ", or hex with 0x in front");
    node.tokens.push_back(*token);
  }
  return std::nullopt;
}

// As many tokens per weight as the median node has, at the positions where `ring` would hash them; a position
// that is taken gives way to the next free one.
void Editor::hash_tokens(Node& node) {
  std::vector<double> per_weight;
  std::set<Token> taken;
  for (const Node& n : parts_.nodes) {
    if (n.state != NodeState::joining && n.weight > 0)
      per_weight.push_back(static_cast<double>(n.tokens.size()) / n.weight);
    taken.insert(n.tokens.begin(), n.tokens.end());
  }
  std::sort(per_weight.begin(), per_weight.end());
  const double median = per_weight.empty() ? 1 : per_weight[(per_weight.size() - 1) / 2];
  const double wanted = std::floor(median * node.weight + 0.5);
  const auto count =
      static_cast<std::uint64_t>(std::clamp(wanted, 1.0, static_cast<double>(max_ring_tokens)));
  const TokenSpace& space = before_.space();
  for (std::uint64_t i = 0; i < count && taken.size() <= space.last; ++i) {
    const u128 hash = key_hash(KeyHashId::xxh3, node.name + ':' + std::to_string(i));
    Token token{space.bits <= 64 ? hash >> (64 - space.bits) : hash << (space.bits - 64)};
    while (!taken.insert(token).second) token.value = token.value == space.last ? 0 : token.value + 1;
    node.tokens.push_back(token);
  }
  warn("tokens-by-hash", node.name,
       "node '" + node.name + "' has no tokens: " + std::to_string(count) +
           " were hashed from its name, so its share is a draw",
       "list the tokens that it will take, or let them be allocated");
}

std::optional<Error> Editor::add(NewNode wanted) {
  if (find(wanted.name)) return exists(wanted.name);
  if (auto error = settle_place(before_, wanted, warnings_)) return error;
  if (rule_ == PointRule::table && !hands_out_)
    return fault(
        wanted.name,
        "owners of this map are listed range by range, so which ranges a new node takes is not known",
        table_advice());
  Node node;
  node.name = wanted.name;
  node.address = wanted.address;
  node.host = wanted.host;
  node.rack = wanted.rack;
  node.zone = wanted.zone;
  if (auto error = set_weight(node, wanted.weight.value_or(1))) return error;
  if (auto error = read_tokens(node, wanted)) return error;
  if (rule_ == PointRule::given && node.tokens.empty() && std::isfinite(node.weight)) hash_tokens(node);
  parts_.nodes.push_back(std::move(node));
  coming_.insert(wanted.name);
  moves_parts_ = hands_out_;
  if (hands_out_) warn_of_outlier(before_, parts_.nodes.back(), wanted.weight.has_value(), warnings_);
  return fit_buckets(parts_.nodes.back());
}

std::optional<Error> Editor::replace(const std::string& old, const NewNode& wanted) {
  Node* node = find(old);
  if (!node) return unknown(old);
  const bool renamed = wanted.name != old;
  if (renamed && find(wanted.name)) return exists(wanted.name);
  if (renamed) {
    node->name = wanted.name;
    node->label.clear();  // made from the name again
  }
  if (renamed || !wanted.address.empty()) {
    node->address = wanted.address;
    node->host.clear();
  }
  if (!wanted.host.empty()) node->host = wanted.host;
  if (!wanted.rack.empty()) node->rack = wanted.rack;
  if (!wanted.zone.empty()) node->zone = wanted.zone;
  if (node->state == NodeState::leaving) node->state = NodeState::normal;
  if (wanted.weight) {
    if (auto error = set_weight(*node, *wanted.weight)) return error;
    if (auto error = fit_buckets(*node)) return error;
  }
  if (!wanted.tokens.empty())
    if (auto error = read_tokens(*node, wanted)) return error;
  const bool hashed = rule_ == PointRule::hashed_name ||
                      (rule_ == PointRule::method && parts_.placement.recipe->label != LabelRule::none);
  if (renamed && hashed)
    warn("renamed", wanted.name,
         "points come from the name: those of '" + old + "' vanish and '" + wanted.name +
             "' gets others, so that the other nodes take over and give up keys too",
         "keep the name '" + old + "' and change its address: then no key changes its node");
  return std::nullopt;
}

std::optional<Error> Editor::weigh(const std::string& name, double weight) {
  Node* node = find(name);
  if (!node) return unknown(name);
  if (rule_ == PointRule::table && !hands_out_)
    return fault(name, "owners of this map are listed range by range, so a weight moves nothing",
                 table_advice());
  if (rule_ == PointRule::given && weight != node->weight)
    warn("weight-without-effect", name,
         "the tokens are given, so the new weight of '" + name + "' moves nothing",
         "let tokens for that weight be allocated, and replace the node's");
  if (auto error = set_weight(*node, weight)) return error;
  coming_.insert(name);
  moves_parts_ |= hands_out_;
  return fit_buckets(*node);
}

// As a master, where shards hold them.
bool Editor::holds_parts(NodeIndex index) const {
  const bool shards = held_by_shards(parts_.placement);
  const auto holds = [&](const TableRow& row) {
    const auto end = shards && !row.owners.empty() ? row.owners.begin() + 1 : row.owners.end();
    return std::find(row.owners.begin(), end, index) != end;
  };
  return std::any_of(parts_.placement.table.begin(), parts_.placement.table.end(), holds);
}

std::optional<Error> Editor::remove(const std::string& name) {
  Node* node = find(name);
  if (!node) return unknown(name);
  if (auto error = take_buckets(parts_, *node, 0)) return error;
  const auto index = static_cast<NodeIndex>(node - parts_.nodes.data());
  if (hands_out_ && holds_parts(index)) {
    leaving_.insert(name);  // it gives up its parts when all that happens is known
    moves_parts_ = true;
    return std::nullopt;
  }
  return leave(index);
}

std::optional<Error> Editor::leave(NodeIndex index) {
  std::size_t owned = 0;
  // A replica that goes leaves its master without it, and no slot moves.
  if (held_by_shards(parts_.placement))
    for (TableRow& row : parts_.placement.table)
      if (!row.owners.empty())
        row.owners.erase(std::remove(row.owners.begin() + 1, row.owners.end(), index), row.owners.end());
  for (TableRow& row : parts_.placement.table)
    for (NodeIndex& owner : row.owners) {
      owned += owner == index;
      owner -= owner > index;
    }
  if (owned)
    return fault(
        parts_.nodes[index].name,
        "it owns " + std::to_string(owned) + " listed ranges, and the map does not say who takes them",
        table_advice());
  parts_.nodes.erase(parts_.nodes.begin() + index);
  return std::nullopt;
}

std::optional<Error> Editor::hand_out_by(const PartRules& rules) {
  if (rules.empty()) return std::nullopt;
  if (!hands_out_)
    return fault(before_.cluster(),
                 "pins, exclusions, drains and partial moves are for maps that list who holds each partition",
                 "such are partitions, slots of Redis Cluster, rings of Swift, and vBuckets of Couchbase");
  for (const auto& drain : rules.drains) {
    Node* node = find(drain.node);
    if (!node) return unknown(drain.node);
    const auto index = static_cast<NodeIndex>(node - parts_.nodes.data());
    if (!holds_parts(index))
      return Error{
          ErrorKind::refused,
          {},
          drain.node,
          "this would change nothing: it holds no part to give up" +
              std::string(held_by_shards(parts_.placement) ? ": it is a replica, or a master without "
                                                             "slots"
                                                           : ""),
          "remove it, or drain another node"};
    node->state = NodeState::leaving;
  }
  for (const auto* list : {&rules.pins, &rules.exclusions})
    for (const auto& rule : *list)
      if (!find(rule.node)) return unknown(rule.node);
  for (const auto& pin : rules.pins) coming_.insert(pin.node);
  rules_ = rules;
  moves_parts_ = true;
  return std::nullopt;
}

Result<ClusterMap> Editor::finish() {
  if (moves_parts_) {
    HandOut wanted{{}, {}, rules_};
    for (const std::string& name : down_)
      if (const Node* node = find(name))
        wanted.down.insert(static_cast<NodeIndex>(node - parts_.nodes.data()));
    for (NodeIndex n = 0; n < parts_.nodes.size(); ++n) {
      if (leaving_.count(parts_.nodes[n].name)) wanted.leaving.insert(n);
      if (coming_.count(parts_.nodes[n].name)) wanted.coming.insert(n);
    }
    const auto done = hand_out(parts_, wanted, warnings_);
    if (!done) return done.error();
    moved_ = *done;
    for (auto n = wanted.leaving.rbegin(); n != wanted.leaving.rend(); ++n)
      if (auto error = leave(*n)) return *error;
  }
  if (parts_.epoch) ++*parts_.epoch;
  return ClusterMap::build(std::move(parts_));
}

// A decommission that leaves 2 nodes for 3 replicas would find out only while it streams.
std::optional<Error> Editor::check_shortfall(const Change& change) const {
  if (rule_ == PointRule::table) return std::nullopt;
  std::string names;
  for (const std::string& name : change.remove) names += (names.empty() ? "" : ", ") + name;
  const auto check = [&](std::uint32_t count, const std::string* zone) -> std::optional<Error> {
    const std::size_t have = holders(parts_.nodes, zone);
    if (have >= count || have >= holders(before_.nodes(), zone)) return std::nullopt;
    return fault(names,
                 std::to_string(have) + (have == 1 ? " node" : " nodes") +
                     (zone ? " in zone '" + *zone + "'" : "") + " cannot hold " + std::to_string(count) +
                     " replicas: " + std::to_string(count - have) + (count - have == 1 ? " is" : " are") +
                     " missing",
                 "add a node first, or lower the replica count");
  };
  const ReplicaPolicy& policy = parts_.replicas;
  if (policy.per_zone.empty()) return check(policy.count, nullptr);
  for (const ZoneCount& zone : policy.per_zone)
    if (auto error = check(zone.count, &zone.zone)) return error;
  return std::nullopt;
}

}  // namespace

Result<ClusterMap> apply(const ClusterMap& map, const Change& change, std::vector<Finding>& warnings,
                         std::optional<PartsMoved>* parts) {
  if (change.empty()) return map;
  Editor editor(map, warnings);
  for (const NewNode& node : change.add)
    if (auto error = editor.add(node)) return *error;
  for (const auto& [old, node] : change.replace)
    if (auto error = editor.replace(old, node)) return *error;
  for (const auto& [name, weight] : change.weight)
    if (auto error = editor.weigh(name, weight)) return *error;
  for (const std::string& name : change.remove)
    if (auto error = editor.remove(name)) return *error;
  if (auto error = editor.hand_out_by(change.parts)) return *error;
  editor.take_as_down(change.parts.down);
  if (auto error = editor.check_shortfall(change)) return *error;
  auto out = editor.finish();
  if (parts) *parts = editor.moved();
  return out;
}

}  // namespace arcwise
