#include "format/cassandra_yaml.hpp"

#include <algorithm>
#include <map>

#include "format/columns.hpp"
#include "format/text_lines.hpp"
#include "format/yaml.hpp"

namespace arcwise {
namespace {

constexpr std::string_view token_key = "initial_token:";
constexpr std::string_view token_form = "write e.g. initial_token: -9223372036854775808, 0";

// `initial_token: a, b, …` with 256 tokens is longer than any other text of the file.
Result<std::vector<Marked<Token>>> read_tokens(const TextLine& line, bool random) {
  std::string_view rest = line.text.substr(token_key.size());
  rest = trim(rest.substr(0, rest.find(" #")));
  if (rest.size() > 1 && (rest.front() == '"' || rest.front() == '\'') && rest.back() == rest.front())
    rest = rest.substr(1, rest.size() - 2);
  std::vector<Marked<Token>> out;
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
    const std::string_view text = trim(piece);
    const auto token = from_text(cassandra_space(random), text);
    if (!token)
      return line.fault(text.empty() ? piece : text,
                        random ? "expected a token of RandomPartitioner, 0 to 2^127"
                               : "expected a token of Murmur3Partitioner, -2^63 to 2^63 - 1",
                        std::string(token_form));
    out.push_back({*token, line.mark(text)});
  }
  return out;
}

// The file without its tokens, for the YAML reader: the same lines, so that places stay right.
std::string without_tokens(const Source& source, const std::vector<TextLine>& lines) {
  std::string out;
  for (const TextLine& line : lines) {
    const bool tokens = line.text.starts_with(token_key);
    out += std::string(tokens ? token_key : line.text) + "\n";
  }
  return source.bytes.empty() ? "" : out;
}

class Fields {
 public:
  Fields(const Source& source, const YamlNode& root) : source_(source), root_(root) {}

  std::string text(std::string_view key) const {
    const YamlNode* field = root_.find(key);
    return field && field->is(YamlNode::Kind::scalar) ? field->text : "";
  }
  std::optional<Error> whole(std::string_view key, std::optional<std::uint64_t>& out) const {
    const YamlNode* field = root_.find(key);
    if (!field || field->is(YamlNode::Kind::null)) return std::nullopt;
    out = parse_count(field->text, 1 << 20);
    if (out && *out > 0) return std::nullopt;
    return fault_at(source_, field->at, text_at(source_, field->at), "expected a whole number above 0",
                    "write e.g. " + std::string(key) + ": 16");
  }
  std::optional<Error> partitioner(bool& random) const {
    const YamlNode* field = root_.find("partitioner");
    const std::string name = text("partitioner");
    const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
    random = last == "RandomPartitioner";
    if (!field || random || last == "Murmur3Partitioner") return std::nullopt;
    return fault_at(
        source_, field->at, name, "a partitioner that is not read",
        "Murmur3Partitioner and RandomPartitioner are; others keep keys in order and have no equal shares");
  }

 private:
  const Source& source_;
  const YamlNode& root_;
};

// 0.0.0.0 and localhost name no node of a cluster.
bool names_a_node(const std::string& address) {
  return !address.empty() && address != "localhost" && address != "0.0.0.0";
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 5); ++i) out += (i ? ", " : "") + names[i];
  return names.size() > 5 ? out + ", …" : out;
}

class Checks {
 public:
  explicit Checks(const ClusterMap& map) : map_(map) {}

  void check(const CassandraSettings& file) {
    const auto node = map_.find(file.address);
    check_partitioner(file);
    if (file.num_tokens && map_.placement().given) check_count(file, node);
    if (node && !file.tokens.empty()) check_tokens(file, map_.nodes()[*node]);
    if (file.allocation_rf) check_replicas(file, node);
    if (file.snitch.ends_with("SimpleSnitch")) check_snitch(file);
  }
  std::vector<Finding> findings;

 private:
  void report(std::string rule, const CassandraSettings& file, std::string message, std::string advice) {
    findings.push_back(
        {Finding::Severity::warning, std::move(rule), file.file, std::move(message), std::move(advice)});
  }

  void check_partitioner(const CassandraSettings& file) {
    const bool random = map_.placement().recipe->name == "cassandra-random";
    if (file.random == random) return;
    findings.push_back({Finding::Severity::error, "partitioner-differs", file.file,
                        "the file says " + std::string(file.random ? "Random" : "Murmur3") +
                            "Partitioner, the tokens are the other one's",
                        "a cluster's partitioner never changes: the file is of another cluster, or the node "
                        "will not start"});
  }

  void check_count(const CassandraSettings& file, std::optional<NodeIndex> node) {
    std::vector<std::string> others;
    for (NodeIndex n = 0; n < map_.nodes().size(); ++n)
      if ((!node || n == *node) && map_.nodes()[n].tokens.size() != *file.num_tokens)
        others.push_back(map_.nodes()[n].name + " has " + std::to_string(map_.nodes()[n].tokens.size()));
    if (!others.empty())
      report("token-count-differs", file,
             "num_tokens is " + std::to_string(*file.num_tokens) + ", but " + list_of(others),
             "a node's token count cannot change in place: it is fixed when the node joins; replace nodes to "
             "change it");
  }

  void check_tokens(const CassandraSettings& file, const Node& node) {
    std::vector<Token> wanted;
    for (const Marked<Token>& token : file.tokens) wanted.push_back(token.value);
    std::sort(wanted.begin(), wanted.end());
    if (wanted != node.tokens)
      report("tokens-differ", file, "initial_token is not what " + node.name + " has in the ring",
             "initial_token counts only when the node first joins");
  }

  void check_replicas(const CassandraSettings& file, std::optional<NodeIndex> node) {
    std::vector<std::string> others;
    if (map_.replicas().per_zone.empty() && map_.replicas().count != *file.allocation_rf)
      others.push_back("the keyspace keeps " + std::to_string(map_.replicas().count));
    for (const ZoneCount& zone : map_.replicas().per_zone)
      if (zone.count != *file.allocation_rf && (!node || map_.nodes()[*node].zone == zone.zone))
        others.push_back(zone.zone + " keeps " + std::to_string(zone.count));
    if (!others.empty())
      report("allocation-rf-differs", file,
             "allocate_tokens_for_local_replication_factor is " + std::to_string(*file.allocation_rf) +
                 ", but " + list_of(others),
             "set it to the replica count of the keyspaces that matter, before nodes join");
  }

  void check_snitch(const CassandraSettings& file) {
    std::vector<std::string> places;
    for (const Node& node : map_.nodes()) {
      const std::string place = node.zone + "/" + node.rack;
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
    if (places.size() > 1)
      report("snitch-differs", file,
             "SimpleSnitch puts every node in one rack, the ring has " + list_of(places),
             "use GossipingPropertyFileSnitch on every node");
  }

  const ClusterMap& map_;
};

}  // namespace

TokenSpace cassandra_space(bool random) {
  return random ? TokenSpace{u128{1} << 127, 128, TokenSpace::Notation::decimal} : TokenSpace::signed_64();
}

bool is_cassandra_yaml_line(std::string_view line) {
  for (const std::string_view key :
       {"initial_token:", "num_tokens:", "endpoint_snitch:", "partitioner:", "cluster_name:"})
    if (line.starts_with(key)) return true;
  return false;
}

Result<CassandraSettings> read_cassandra_yaml(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  const Source rest{source.name, without_tokens(source, *lines)};
  const auto root = read_yaml(rest);
  if (!root) return root.error();
  if (!root->is(YamlNode::Kind::map))
    return fault_at(source, root->at, text_at(source, root->at), "expected settings, one `key: value` a line",
                    "bring conf/cassandra.yaml as it is");
  CassandraSettings out;
  out.file = source.name;
  out.at = {source.name, 0, 0};
  const Fields fields(rest, *root);
  if (auto error = fields.partitioner(out.random)) return *error;
  if (auto error = fields.whole("num_tokens", out.num_tokens)) return *error;
  if (auto error = fields.whole("allocate_tokens_for_local_replication_factor", out.allocation_rf))
    return *error;
  out.cluster = fields.text("cluster_name");
  out.snitch = fields.text("endpoint_snitch");
  for (const char* key : {"rpc_address", "listen_address", "broadcast_address"})
    if (names_a_node(fields.text(key))) out.address = fields.text(key);
  for (const TextLine& line : *lines) {
    if (!line.text.starts_with(token_key)) continue;
    auto tokens = read_tokens(line, out.random);
    if (!tokens) return tokens.error();
    out.tokens = std::move(*tokens);
    if (!out.tokens.empty()) out.at = out.tokens.front().at;
  }
  return out;
}

Result<NodetoolView> ring_of_settings(std::span<const CassandraSettings> files) {
  NodetoolView view;
  view.file = files.front().file;
  view.format = "cassandra-yaml";
  view.lists_tokens = true;
  if (files.front().random) view.recipe = "cassandra-random";
  std::map<Token, std::string> holders;
  for (const CassandraSettings& file : files) {
    const auto fault = [&](const Mark& at, std::string what, std::string why, std::string advice) {
      return Error{ErrorKind::input, at, std::move(what), std::move(why), std::move(advice)};
    };
    if (file.tokens.empty())
      return fault(file.at, "", "the file has no initial_token: its tokens are not known",
                   "bring the output of `nodetool ring KEYSPACE` beside it");
    if (file.random != files.front().random)
      return fault(file.at, "", "another partitioner than in " + view.file,
                   "the nodes of a cluster share one");
    if (file.address.empty())
      return fault(file.at, "", "the file names no address of its node",
                   "set listen_address or broadcast_address to the node's own");
    if (view.find(file.address))
      return fault(file.at, file.address, "a second file of this node", "bring one file a node");
    if (file.num_tokens && *file.num_tokens != file.tokens.size())
      return fault(file.at, std::to_string(file.tokens.size()) + " tokens",
                   "num_tokens is " + std::to_string(*file.num_tokens) + ": Cassandra refuses to start",
                   "make both agree");
    SeenNode node;
    node.at = file.at;
    node.address = file.address;
    node.tokens = file.tokens;
    for (const Marked<Token>& token : file.tokens) {
      const auto [at, fresh] = holders.emplace(token.value, file.file);
      if (!fresh)
        return fault(token.at, to_text(cassandra_space(file.random), token.value),
                     "this token stands in " + at->second + " already", "every token belongs to one node");
    }
    std::sort(node.tokens.begin(), node.tokens.end(),
              [](const auto& a, const auto& b) { return a.value < b.value; });
    view.nodes.push_back(std::move(node));
  }
  return view;
}

std::vector<Finding> check_settings(std::span<const CassandraSettings> files, const ClusterMap& map) {
  Checks checks(map);
  for (const CassandraSettings& file : files) {
    checks.check(file);
    if (file.cluster != files.front().cluster)
      checks.findings.push_back({Finding::Severity::error, "cluster-differs", file.file,
                                 "cluster_name is \"" + file.cluster + "\", in " + files.front().file +
                                     " \"" + files.front().cluster + "\"",
                                 "bring files of one cluster"});
  }
  return std::move(checks.findings);
}

}  // namespace arcwise
