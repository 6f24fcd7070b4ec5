// What the arithmetic of stores cannot take, beyond the kinds and ranges of settings.
#include <charconv>
#include <cstdlib>
#include <set>

#include "model/build.hpp"

namespace arcwise {
namespace {

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Error> check_slots(const PlacementSettings& placement, const Mark& at) {
  const std::uint64_t slots = placement.slots;
  if (slots == 0)
    return fault(at, std::string(placement.recipe->name),
                 "this recipe places numbered partitions, and the map does not say how many there are",
                 "write `slots: N` under `placement`");
  const std::string_view rule = placement.recipe->key_rule;
  if ((rule == "riak" || rule == "swift") && (slots & (slots - 1)) != 0)
    return fault(
        at, std::to_string(slots), "the number of partitions of this system is a power of two",
        rule == "riak" ? "write the ring size, such as 64" : "write 2 to the power of the part power");
  if (rule != "elasticsearch") return std::nullopt;
  const auto routing = static_cast<std::uint64_t>(placement.integer("routing_num_shards"));
  if (routing % slots == 0) return std::nullopt;
  return fault(at, std::to_string(routing),
               "routing_num_shards is not a multiple of the " + std::to_string(slots) + " shards",
               "write the index's own number_of_routing_shards, or 0 for what an index gets by itself");
}

std::optional<Error> check_bucket_ids(const PlacementSettings& placement, const Mark& at) {
  const std::string text(placement.text("bucket_ids"));
  const auto ids = named_values(text);
  if (!ids)
    return fault(at, text, "bucket_ids is not a list of name=id with each name once",
                 "write for example `bucket_ids: \"host1=-3 host2=-5\"`");
  std::set<std::int32_t> seen;
  for (const auto& [name, value] : *ids) {
    const auto id = whole_number<std::int32_t>(value);
    if (!id || *id >= 0 || !seen.insert(*id).second)
      return fault(at, name + "=" + value, "the id of a CRUSH bucket is a negative number of its own",
                   "copy it from the decompiled CRUSH map");
  }
  return std::nullopt;
}

std::optional<Error> check_reweights(const ClusterMap::Parts& parts, const Mark& at) {
  const std::string text(parts.placement.text("reweight"));
  const auto weights = named_values(text);
  if (!weights)
    return fault(at, text, "reweight is not a list of node=weight with each node once",
                 "write for example `reweight: \"osd.3=0.85\"`");
  for (const auto& [name, value] : *weights) {
    bool known = false;
    for (const Node& node : parts.nodes) known |= node.name == name;
    char* end = nullptr;
    const double weight = std::strtod(value.c_str(), &end);
    if (!known || value.empty() || *end != '\0' || !(weight >= 0 && weight <= 1))
      return fault(at, name + "=" + value, "reweight names a node and a number from 0 (out) to 1 (in)",
                   "copy them from `ceph osd tree`");
  }
  return std::nullopt;
}

constexpr double most_osd_weight = 100, most_crush_weight = 65535;

std::optional<Error> check_weights(const ClusterMap::Parts& parts, const BuildMarks& marks) {
  double total = 0;
  for (std::size_t n = 0; n < parts.nodes.size(); ++n) {
    const Node& node = parts.nodes[n];
    total += node.weight;
    if (node.weight > most_osd_weight || total > most_crush_weight)
      return fault(marks.node_at(n).weight, node.name,
                   "CRUSH takes weights up to 100 a device and 65535 in all",
                   "weights are usually TiB; relative ones do as well");
  }
  return std::nullopt;
}

std::optional<Error> check_ceph(const ClusterMap::Parts& parts, const BuildMarks& marks) {
  if (parts.replicas.when_short == WhenShort::repeat && parts.replicas.across != Across::node)
    return fault(marks.replicas, "repeat", "a CRUSH rule never chooses a host, rack or zone twice",
                 "use `when_short: refuse`, and as many of them as copies");
  std::set<std::uint64_t> numbers;
  for (std::size_t n = 0; n < parts.nodes.size(); ++n)
    if (!numbers.insert(osd_number(parts.nodes[n], static_cast<NodeIndex>(n))).second)
      return fault(marks.node_at(n).name, parts.nodes[n].name, "two nodes have the same OSD number",
                   "write each one's number as `bucket`, or name them osd.0, osd.1, …");
  if (auto error = check_weights(parts, marks)) return error;
  if (auto error = check_bucket_ids(parts.placement, marks.setting_at("bucket_ids"))) return error;
  return check_reweights(parts, marks.setting_at("reweight"));
}

}  // namespace

std::optional<std::map<std::string, std::string, std::less<>>> named_values(std::string_view text) {
  std::map<std::string, std::string, std::less<>> out;
  while (!text.empty()) {
    const std::string_view word = next_word(text);
    const std::size_t equals = word.rfind('=');
    if (word.empty()) continue;
    if (equals == std::string_view::npos ||
        !out.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
      return std::nullopt;
  }
  return out;
}

std::uint64_t osd_number(const Node& node, NodeIndex index) {
  if (node.bucket) return *node.bucket;
  const std::size_t dot = node.name.rfind('.');
  if (dot == std::string::npos) return index;
  return whole_number<std::uint32_t>(std::string_view(node.name).substr(dot + 1)).value_or(index);
}

std::optional<Error> check_store(const ClusterMap::Parts& parts, const BuildMarks& marks) {
  if (parts.placement.recipe->slots == SlotCount::listed)
    if (auto error = check_slots(parts.placement, marks.recipe)) return error;
  if (parts.placement.recipe->method == "ceph") return check_ceph(parts, marks);
  return std::nullopt;
}

}  // namespace arcwise
