// Arcwise's own map file: the schema, field by field. What the fields mean together is validate()'s to say.
#include <set>

#include "format/map_fields.hpp"
#include "model/build.hpp"

namespace arcwise {
namespace {

using Kind = YamlNode::Kind;

template <class Spec>
using Reader = Fault (*)(const Source&, const YamlNode&, Spec&);
template <class Spec>
struct Field {
  std::string_view key;
  Reader<Spec> read;
};

template <class Spec>
Fault read_fields(const Source& source, const YamlNode& node, std::span<const Field<Spec>> fields,
                  Spec& spec) {
  if (auto fault = expect(source, node, Kind::map)) return fault;
  for (const YamlNode& item : node.items) {
    const Field<Spec>* known = nullptr;
    for (const auto& field : fields)
      if (field.key == item.key) known = &field;
    if (!known) {
      std::vector<std::string_view> keys;
      for (const auto& field : fields) keys.push_back(field.key);
      return unknown_key(source, item, keys);
    }
    if (auto fault = known->read(source, item, spec)) return fault;
  }
  return std::nullopt;
}

// `.recipe = "x"` and `.hash = "x"` alike: the member is a Marked<T> or an optional one.
template <auto Member, class Spec>
Fault text_field(const Source& source, const YamlNode& node, Spec& spec) {
  return read_text(source, node, [&](Marked<std::string> text) { spec.*Member = std::move(text); });
}
template <auto Member, class Spec>
Fault whole_field(const Source& source, const YamlNode& node, Spec& spec) {
  return read_whole(source, node, [&](Marked<std::uint64_t> number) { spec.*Member = std::move(number); });
}

Fault texts(const Source& source, const YamlNode& node, std::vector<Marked<std::string>>& out) {
  if (auto fault = expect(source, node, Kind::sequence)) return fault;
  for (const YamlNode& item : node.items)
    if (auto fault =
            read_text(source, item, [&](Marked<std::string> text) { out.push_back(std::move(text)); }))
      return fault;
  return std::nullopt;
}

Fault numbers(const Source& source, const YamlNode& node, std::vector<Marked<std::uint64_t>>& out) {
  if (auto fault = expect(source, node, Kind::sequence)) return fault;
  for (const YamlNode& item : node.items)
    if (auto fault =
            read_whole(source, item, [&](Marked<std::uint64_t> number) { out.push_back(std::move(number)); }))
      return fault;
  return std::nullopt;
}

template <auto Member, class Spec>
Fault numbers_field(const Source& source, const YamlNode& node, Spec& spec) {
  return numbers(source, node, spec.*Member);
}

using NodeSpec = ClusterSpec::NodeSpec;
using RangeSpec = ClusterSpec::RangeSpec;

Fault weight(const Source& source, const YamlNode& node, NodeSpec& spec) {
  return read_weight(source, node, [&](Marked<double> value) { spec.weight = std::move(value); });
}

Fault node_tokens(const Source& source, const YamlNode& node, NodeSpec& spec) {
  spec.tokens_present = true;
  return texts(source, node, spec.tokens);
}

constexpr Field<NodeSpec> node_fields[] = {{"name", text_field<&NodeSpec::name>},
                                           {"label", text_field<&NodeSpec::label>},
                                           {"address", text_field<&NodeSpec::address>},
                                           {"host", text_field<&NodeSpec::host>},
                                           {"weight", weight},
                                           {"rack", text_field<&NodeSpec::rack>},
                                           {"zone", text_field<&NodeSpec::zone>},
                                           {"state", text_field<&NodeSpec::state>},
                                           {"bucket", whole_field<&NodeSpec::bucket>},
                                           {"buckets", numbers_field<&NodeSpec::buckets>},
                                           {"tokens", node_tokens}};

Fault range_owners(const Source& source, const YamlNode& node, RangeSpec& spec) {
  return texts(source, node, spec.owners);
}

constexpr Field<RangeSpec> range_fields[] = {{"upto", text_field<&RangeSpec::upto>},
                                             {"owners", range_owners}};

Fault missing(const Source& source, const YamlNode& node, std::string_view key, std::string advice) {
  return fault_at(source, node.at, text_at(source, node.at),
                  "the key `" + std::string(key) + "` is missing here", std::move(advice));
}

Fault ranges(const Source& source, const YamlNode& node, ClusterSpec& spec) {
  if (auto fault = expect(source, node, Kind::sequence)) return fault;
  for (const YamlNode& item : node.items) {
    RangeSpec range;
    if (auto fault = read_fields<RangeSpec>(source, item, range_fields, range)) return fault;
    for (const auto& field : range_fields)
      if (!item.find(field.key))
        return missing(source, item, field.key, "write {upto: \"0f3a\", owners: [a, b]}");
    spec.ranges.push_back(std::move(range));
  }
  return std::nullopt;
}

// "0,1 2,0 -": the owners of the next partitions as numbers of holders; nobody owns the last one.
Fault read_partitions(const Source& source, const YamlNode& line,
                      const std::vector<Marked<std::string>>& holders, ClusterSpec& spec) {
  const auto wrong = [&](std::string_view what, const std::string& why) {
    return fault_at(source, line.at, std::string(what), why,
                    "write owners as numbers of `holders`, from 0 on: \"0,1 2,0\" for two partitions");
  };
  const Mark at = mark_at(source, line.at);
  for (std::string_view rest = line.text; !rest.empty();) {
    std::string_view word = next_word(rest);
    if (word.empty()) continue;
    ClusterSpec::RangeSpec partition;
    partition.upto.at = at;
    if (word.back() == ',') return wrong(word, "not the owners of a partition");
    for (std::string_view owners = word == "-" ? "" : word; !owners.empty();) {
      const std::string_view digits = next_word(owners, ',');
      std::size_t number = 0;
      if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != digits.npos)
        return wrong(word, "not the owners of a partition");
      for (char c : digits) number = 10 * number + static_cast<std::size_t>(c - '0');
      if (number >= holders.size()) return wrong(digits, "a partition names a holder that is not listed");
      partition.owners.push_back(holders[number]);
    }
    spec.ranges.push_back(std::move(partition));
  }
  return std::nullopt;
}

// Short rows for many partitions: names stand once, in `holders`, so that the order of nodes says nothing.
Fault partitions(const Source& source, const YamlNode& placement, ClusterSpec& spec) {
  const YamlNode* lines = placement.find("partitions");
  const YamlNode* names = placement.find("holders");
  if (!lines && !names) return std::nullopt;
  if (!lines)
    return missing(source, *names, "partitions", "write [\"0,1 2,0\"]: the owners of each partition");
  if (!names) return missing(source, *lines, "holders", "write [a, b]: the nodes that partitions number");
  std::vector<Marked<std::string>> holders;
  if (auto fault = texts(source, *names, holders)) return fault;
  std::set<std::string_view> known;
  for (std::size_t i = 0; i < holders.size(); ++i)
    if (!known.insert(holders[i].value).second)
      return fault_at(source, names->items[i].at, holders[i].value, "a holder is listed twice",
                      "list each node once: partitions name a holder by its place in this list");
  if (auto fault = expect(source, *lines, Kind::sequence)) return fault;
  for (const YamlNode& line : lines->items) {
    if (auto fault = expect(source, line, Kind::scalar)) return fault;
    if (auto fault = read_partitions(source, line, holders, spec)) return fault;
  }
  return std::nullopt;
}

Fault read_later(const Source&, const YamlNode&, ClusterSpec&) {
  return std::nullopt;
}

// A setting's kind is the recipe's to say, so its text is taken as it stands.
Fault settings(const Source& source, const YamlNode& node, ClusterSpec& spec) {
  if (auto fault = expect(source, node, Kind::map)) return fault;
  for (const YamlNode& item : node.items) {
    if (auto fault = expect(source, item, Kind::scalar)) return fault;
    spec.settings.push_back(
        {{item.key, mark_at(source, item.key_at)}, {item.text, mark_at(source, item.at)}});
  }
  return std::nullopt;
}

constexpr Field<ClusterSpec> placement_fields[] = {{"recipe", text_field<&ClusterSpec::recipe>},
                                                   {"hash", text_field<&ClusterSpec::hash>},
                                                   {"tokens", whole_field<&ClusterSpec::tokens>},
                                                   {"allocation", text_field<&ClusterSpec::allocation>},
                                                   {"hash_tag", text_field<&ClusterSpec::hash_tag>},
                                                   {"slots", whole_field<&ClusterSpec::slots>},
                                                   {"removed", numbers_field<&ClusterSpec::removed>},
                                                   {"settings", settings},
                                                   {"ranges", ranges},
                                                   {"holders", read_later},
                                                   {"partitions", read_later}};

Fault placement(const Source& source, const YamlNode& node, ClusterSpec& spec) {
  if (auto fault = read_fields<ClusterSpec>(source, node, placement_fields, spec)) return fault;
  if (node.find("recipe")) return partitions(source, node, spec);
  return missing(source, node, "recipe", "write for example `recipe: ring`; `arcwise recipes` lists them");
}

Fault per_zone(const Source& source, const YamlNode& node, ClusterSpec& spec) {
  if (auto fault = expect(source, node, Kind::map)) return fault;
  if (node.items.empty())
    return fault_at(source, node.at, text_at(source, node.at), "no zone is listed",
                    "write for example {eu: 3, us: 2}");
  for (const YamlNode& item : node.items)
    if (auto fault = read_whole(source, item, [&](Marked<std::uint64_t> count) {
          spec.per_zone.push_back({{item.key, mark_at(source, item.key_at)}, std::move(count)});
        }))
      return fault;
  return std::nullopt;
}

constexpr Field<ClusterSpec> replica_fields[] = {{"count", whole_field<&ClusterSpec::count>},
                                                 {"across", text_field<&ClusterSpec::across>},
                                                 {"when_short", text_field<&ClusterSpec::when_short>},
                                                 {"per_zone", per_zone}};

Fault replicas(const Source& source, const YamlNode& node, ClusterSpec& spec) {
  return read_fields<ClusterSpec>(source, node, replica_fields, spec);
}

Fault nodes(const Source& source, const YamlNode& node, ClusterSpec& spec) {
  if (auto fault = expect(source, node, Kind::sequence)) return fault;
  if (node.items.empty())
    return fault_at(source, node.at, text_at(source, node.at), "the map has no node",
                    "list at least one node");
  for (const YamlNode& item : node.items) {
    NodeSpec one;
    one.at = mark_at(source, item.at);
    if (auto fault = read_fields<NodeSpec>(source, item, node_fields, one)) return fault;
    if (!item.find("name")) return missing(source, item, "name", "give every node a name of its own");
    spec.nodes.push_back(std::move(one));
  }
  return std::nullopt;
}

Fault version(const Source& source, const YamlNode& node, ClusterSpec&) {
  std::uint64_t number = 0;
  if (auto fault = read_whole(source, node, [&](const Marked<std::uint64_t>& read) { number = read.value; }))
    return fault;
  if (number == 1) return std::nullopt;
  return fault_at(source, node.at, node.text, "this format version is not known here",
                  "write `arcwise: 1`, or use a newer Arcwise");
}

constexpr Field<ClusterSpec> top_fields[] = {{"arcwise", version},
                                             {"cluster", text_field<&ClusterSpec::cluster>},
                                             {"epoch", whole_field<&ClusterSpec::epoch>},
                                             {"placement", placement},
                                             {"replicas", replicas},
                                             {"nodes", nodes}};

Fault read_spec(const Source& source, const YamlNode& root, ClusterSpec& spec) {
  spec.at = mark_at(source, root.at);
  if (!root.is(Kind::map))
    return fault_at(source, root.at, text_at(source, root.at), "a map file is a map of keys",
                    "start with `arcwise: 1`");
  // The version comes first: a file of another version may well have other keys.
  const YamlNode* arcwise = root.find("arcwise");
  if (!arcwise) return missing(source, root, "arcwise", "start with `arcwise: 1`");
  if (auto fault = version(source, *arcwise, spec)) return fault;
  if (auto fault = read_fields<ClusterSpec>(source, root, top_fields, spec)) return fault;
  if (!root.find("placement"))
    return missing(source, root, "placement", "write for example `placement: {recipe: ring}`");
  if (!root.find("nodes")) return missing(source, root, "nodes", "list at least one node");
  return std::nullopt;
}

// validate() knows a weight as a number only: `0.00` is what was written.
std::optional<std::string> written_weight(const Source& source, const ClusterSpec& spec, const Mark& where) {
  for (const NodeSpec& node : spec.nodes)
    if (node.weight && node.weight->at.line == where.line && node.weight->at.column == where.column) {
      const std::string text = text_at(source, {where.line, where.column});
      return text.substr(0, text.find_first_not_of("0123456789.eE+-"));
    }
  return std::nullopt;
}

Result<ClusterMap> built(const Source& source, const ClusterSpec& spec) {
  auto map = validate(spec);
  if (map) return map;
  Error error = map.error();
  if (auto written = written_weight(source, spec, error.where)) error.what = std::move(*written);
  return error;
}

}  // namespace

Result<ClusterMap> read_map(const Source& source, const YamlNode& root) {
  ClusterSpec spec;
  if (auto fault = read_spec(source, root, spec)) return *fault;
  return built(source, spec);
}

Result<ClusterMap> parse_map(const Source& source) {
  try {
    ClusterSpec spec;
    {
      const auto root = read_yaml(source);
      if (!root) return root.error();
      if (auto fault = read_spec(source, *root, spec)) return *fault;
    }
    return built(source, spec);
  } catch (const std::exception&) {
    return fault_at(source, {}, "", "not enough memory to read the file", "give a smaller file");
  }
}

}  // namespace arcwise
