// ClusterSpec -> ClusterMap: names become enums, texts become tokens, and every error points at its field.
#include <algorithm>
#include <unordered_map>

#include "arcwise/map.hpp"
#include "model/build.hpp"

namespace arcwise {
namespace {

std::string list_names(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::string_view n : names) {
    if (!out.empty()) out += ", ";
    out += n;
  }
  return out;
}

std::optional<Error> read_recipe(const ClusterSpec& spec, PlacementSettings& out) {
  out.recipe = find_recipe(spec.recipe.value);
  if (!out.recipe) {
    std::vector<std::string_view> names;
    for (const Recipe& r : recipes()) names.push_back(r.name);
    return fault(spec.recipe.at, spec.recipe.value, "unknown recipe", "use one of: " + list_names(names));
  }
  out.hash = out.recipe->hash;
  if (!spec.hash) return std::nullopt;
  const auto hash = find_key_hash(spec.hash->value);
  const auto takes = [&](KeyHashId id) {
    const auto& listed = out.recipe->hashes;
    return id == out.recipe->hash || (out.recipe->hash_open && info(id).open) ||
           std::find(listed.begin(), listed.end(), id) != listed.end();
  };
  const bool fits = hash && takes(*hash);
  if (!fits) {
    std::vector<std::string_view> names;
    for (const KeyHashInfo& h : key_hashes())
      if (takes(h.id)) names.push_back(h.name);
    return fault(spec.hash->at, spec.hash->value, "recipe '" + spec.recipe.value + "' has no such key hash",
                 "use one of: " + list_names(names));
  }
  out.hash = *hash;
  return std::nullopt;
}

std::optional<Error> read_tokens_setting(const ClusterSpec& spec, PlacementSettings& out) {
  out.tokens = out.recipe->default_tokens;
  if (spec.tokens) {
    if (out.recipe->default_tokens == 0)
      return fault(spec.tokens->at, std::to_string(spec.tokens->value),
                   "recipe '" + spec.recipe.value + "' fixes its own points", "drop `tokens`");
    if (spec.tokens->value < 1 || spec.tokens->value > 1'000'000)
      return fault(spec.tokens->at, std::to_string(spec.tokens->value),
                   "`tokens` is not between 1 and 1000000", "16 to 256 is usual");
    out.tokens = static_cast<std::uint32_t>(spec.tokens->value);
  }
  if (spec.hash_tag) {
    if (out.recipe->key_prep != KeyPrep::tag_pair || spec.hash_tag->value.size() != 2)
      return fault(spec.hash_tag->at, spec.hash_tag->value,
                   "a hash tag is two characters, for a recipe that takes one",
                   "write for example `hash_tag: \"{}\"`");
    out.hash_tag = spec.hash_tag->value;
  }
  return std::nullopt;
}

std::optional<Error> read_allocation(const ClusterSpec& spec, PlacementSettings& out) {
  out.given = out.recipe->points == PointRule::given;
  if (!spec.allocation) return std::nullopt;
  const std::string& text = spec.allocation->value;
  const bool possible = text == "given"    ? out.recipe->given_allowed
                        : text == "hashed" ? out.recipe->points == PointRule::hashed_name
                                           : false;
  if (!possible)
    return fault(spec.allocation->at, text, "recipe '" + spec.recipe.value + "' has no such allocation",
                 "`hashed` and `given` are for recipe ring; other recipes fix their own");
  out.given = text == "given";
  return std::nullopt;
}

std::optional<Error> read_slots(const ClusterSpec& spec, PlacementSettings& out) {
  if (out.recipe->name == "redis-cluster") out.slots = 16384;
  if (!spec.slots) {
    if (!out.slots) out.slots = out.recipe->default_slots;
    return std::nullopt;
  }
  const bool takes_slots = (out.recipe->points == PointRule::table && !has_equal_parts(*out.recipe)) ||
                           out.recipe->slots == SlotCount::listed;
  if (!takes_slots || (out.slots && out.slots != spec.slots->value) || spec.slots->value < 1 ||
      spec.slots->value > max_ring_tokens)
    return fault(
        spec.slots->at, std::to_string(spec.slots->value), "not a possible number of slots for this recipe",
        takes_slots ? "this recipe takes 1 to 67108864, and redis-cluster has 16384" : "drop `slots`");
  out.slots = spec.slots->value;
  return std::nullopt;
}

std::optional<Error> read_settings(const ClusterSpec& spec, PlacementSettings& out) {
  for (const auto& [name, value] : spec.settings) {
    if (auto error = check_setting(*out.recipe, name.value, value.value, value.at)) return error;
    out.settings[name.value] = value.value;
  }
  return std::nullopt;
}

std::optional<Error> read_buckets(const std::vector<Marked<std::uint64_t>>& in,
                                  std::vector<std::uint32_t>& out) {
  for (const auto& number : in) {
    if (number.value >= max_ring_tokens)
      return fault(number.at, std::to_string(number.value),
                   "a bucket's number is above " + std::to_string(max_ring_tokens - 1),
                   "number buckets from 0 on, without a gap");
    out.push_back(static_cast<std::uint32_t>(number.value));
  }
  return std::nullopt;
}

std::optional<Error> read_node(const ClusterSpec::NodeSpec& in, const TokenSpace& space, Node& out) {
  out.name = in.name.value;
  if (in.label) out.label = in.label->value;
  if (in.address) out.address = in.address->value;
  if (in.host) out.host = in.host->value;
  if (in.rack) out.rack = in.rack->value;
  if (in.zone) out.zone = in.zone->value;
  if (in.weight) out.weight = in.weight->value;
  if (in.bucket) out.bucket = in.bucket->value;
  if (auto error = read_buckets(in.buckets, out.buckets)) return error;
  if (in.state) {
    if (in.state->value == "normal")
      out.state = NodeState::normal;
    else if (in.state->value == "joining")
      out.state = NodeState::joining;
    else if (in.state->value == "leaving")
      out.state = NodeState::leaving;
    else
      return fault(in.state->at, in.state->value, "unknown node state",
                   "use normal, joining or leaving; up or down is never in a map");
  }
  for (const auto& text : in.tokens) {
    const auto token = from_hex(space, text.value);
    if (!token)
      return fault(text.at, text.value, "not a token of this ring",
                   "write up to " + std::to_string(space.bits / 4) + " hex digits, most significant first");
    out.tokens.push_back(*token);
  }
  return std::nullopt;
}

std::optional<Error> read_ranges(const ClusterSpec& spec, const TokenSpace& space,
                                 const std::vector<Node>& nodes, PlacementSettings& out) {
  if (!spec.ranges.empty() && out.recipe->points != PointRule::table) {
    const Marked<std::string>& first = spec.ranges.front().upto;
    if (first.value.empty())
      return fault(first.at, "partitions", "recipe '" + spec.recipe.value + "' takes no list of partitions",
                   "drop `holders` and `partitions`, or use recipe partitions");
    return fault(first.at, first.value, "recipe '" + spec.recipe.value + "' takes no list of ranges",
                 "drop `ranges`, or use recipe ranges");
  }
  std::unordered_map<std::string_view, NodeIndex> by_name;
  for (std::size_t i = 0; i < nodes.size(); ++i) by_name.emplace(nodes[i].name, static_cast<NodeIndex>(i));
  for (const auto& in : spec.ranges) {
    TableRow row;
    const bool numbered = in.upto.value.empty();  // a partition, which lists no end
    if (numbered && !has_equal_parts(*out.recipe))
      return fault(in.upto.at, "partitions", "recipe '" + spec.recipe.value + "' takes no list of partitions",
                   "list its ranges under `ranges`, or use recipe partitions");
    const auto upto =
        numbered ? part_end(space, spec.ranges.size(), out.table.size()) : from_hex(space, in.upto.value);
    if (!upto)
      return fault(in.upto.at, in.upto.value, "not a position of this space",
                   "write it as hex digits, most significant first");
    row.upto = *upto;
    for (const auto& owner : in.owners) {
      const auto found = by_name.find(owner.value);
      if (found == by_name.end())
        return fault(owner.at, owner.value, "a range names an owner that is not a node",
                     "list it under `nodes`, or drop it");
      row.owners.push_back(found->second);
    }
    out.table.push_back(std::move(row));
  }
  return std::nullopt;
}

std::optional<Error> read_policy(const ClusterSpec& spec, ReplicaPolicy& out) {
  if (spec.across) {
    const auto across = find_across(spec.across->value);
    if (!across)
      return fault(spec.across->at, spec.across->value, "unknown level for `across`",
                   "use node, host, rack or zone");
    out.across = *across;
  }
  if (spec.when_short) {
    if (spec.when_short->value != "refuse" && spec.when_short->value != "repeat")
      return fault(spec.when_short->at, spec.when_short->value, "unknown value of `when_short`",
                   "use refuse or repeat");
    out.when_short = spec.when_short->value == "repeat" ? WhenShort::repeat : WhenShort::refuse;
  }
  if (spec.count && !spec.per_zone.empty())
    return fault(spec.count->at, std::to_string(spec.count->value), "both `count` and `per_zone` are given",
                 "per_zone already says how many: drop `count`");
  if (spec.count) {
    if (spec.count->value < 1 || spec.count->value > max_replicas)
      return fault(spec.count->at, std::to_string(spec.count->value),
                   "the replica count is not between 1 and 64", "3 is usual");
    out.count = static_cast<std::uint32_t>(spec.count->value);
  }
  for (const auto& zone : spec.per_zone) {
    if (zone.count.value < 1 || zone.count.value > max_replicas)
      return fault(zone.count.at, std::to_string(zone.count.value),
                   "a zone's replica count is not between 1 and 64", "leave out zones that hold no copy");
    out.per_zone.push_back({zone.zone.value, static_cast<std::uint32_t>(zone.count.value)});
  }
  return std::nullopt;
}

// A range's owners are all replicas there are, unless the map asks for fewer.
void default_table_count(const ClusterSpec& spec, ClusterMap::Parts& parts) {
  if (parts.placement.recipe->points != PointRule::table || spec.count || !spec.per_zone.empty()) return;
  for (const TableRow& row : parts.placement.table)
    parts.replicas.count = std::max(parts.replicas.count, static_cast<std::uint32_t>(row.owners.size()));
}

// Of a token written twice, the second place is the mistake.
Marked<std::string> written_token(const ClusterSpec::NodeSpec& node, const TokenSpace& space, Token token) {
  for (std::size_t i = node.tokens.size(); i-- > 0;)
    if (from_hex(space, node.tokens[i].value) == token) return node.tokens[i];
  return {to_text(space, token), node.at};
}

BuildMarks marks_of(const ClusterSpec& spec, const TokenSpace& space) {
  BuildMarks marks;
  marks.strict = true;
  marks.whole = spec.at;
  marks.recipe = spec.recipe.at;
  marks.replicas = spec.count ? spec.count->at : spec.at;
  for (const auto& zone : spec.per_zone) marks.zones.emplace_back(zone.zone.value, zone.count.at);
  if (!marks.zones.empty()) marks.replicas = marks.zones.front().second;
  for (const auto& range : spec.ranges) marks.rows.push_back(range.upto);
  for (const auto& node : spec.nodes)
    marks.nodes.push_back({node.name.at, node.weight ? node.weight->at : node.name.at,
                           node.state ? node.state->at : node.name.at,
                           node.tokens.empty() ? node.name.at : node.tokens.front().at,
                           node.bucket ? node.bucket->at : node.name.at});
  for (const auto& removed : spec.removed) marks.removed.push_back(removed.at);
  for (const auto& [name, value] : spec.settings) marks.settings.emplace_back(name.value, value.at);
  marks.bucket_at = [&spec](NodeIndex n, std::uint32_t bucket) {
    const auto& listed = spec.nodes[n].buckets;
    for (std::size_t i = listed.size(); i-- > 0;)
      if (listed[i].value == bucket) return listed[i].at;
    return spec.nodes[n].name.at;
  };
  marks.token_at = [&spec, space](NodeIndex n, Token token) {
    return written_token(spec.nodes[n], space, token);
  };
  return marks;
}

}  // namespace

Result<ClusterMap> validate(const ClusterSpec& spec) {
  ClusterMap::Parts parts;
  if (spec.cluster) parts.cluster = spec.cluster->value;
  if (spec.epoch) parts.epoch = spec.epoch->value;
  for (auto* read : {read_recipe, read_tokens_setting, read_allocation, read_slots, read_settings})
    if (auto error = read(spec, parts.placement)) return *error;
  if (auto error = read_policy(spec, parts.replicas)) return *error;

  const TokenSpace space = space_of(*parts.placement.recipe, parts.placement.hash, parts.placement.slots);
  for (const auto& in : spec.nodes) {
    Node node;
    if (auto error = read_node(in, space, node)) return *error;
    parts.nodes.push_back(std::move(node));
  }
  if (auto error = read_ranges(spec, space, parts.nodes, parts.placement)) return *error;
  if (auto error = read_buckets(spec.removed, parts.placement.removed)) return *error;
  default_table_count(spec, parts);
  return build_marked(std::move(parts), marks_of(spec, space));
}

}  // namespace arcwise
