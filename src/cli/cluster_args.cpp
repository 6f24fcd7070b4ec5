#include "cli/cluster_args.hpp"

#include <algorithm>

#include "format/json_text.hpp"
#include "format/table_numbers.hpp"

namespace arcwise::cli {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 30;

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatInfo& f : formats()) names.emplace_back(f.name);
  return names;
}

std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return path == "-" ? "standard input" : slash == std::string::npos ? path : path.substr(slash + 1);
}

std::optional<NodeIndex> find_node(const ClusterMap& map, const std::string& word) {
  if (auto found = map.find(word)) return found;
  std::optional<NodeIndex> by_address;
  for (std::size_t i = 0; i < map.nodes().size(); ++i) {
    if (map.nodes()[i].address != word) continue;
    if (by_address) return std::nullopt;
    by_address = static_cast<NodeIndex>(i);
  }
  return by_address;
}

// Names between commas; one that holds a comma itself is written as a JSON string: a,"b,c".
std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    std::size_t end = 0;
    if (text.starts_with('"'))
      for (end = 1; end < text.size() && text[end] != '"'; ++end) end += text[end] == '\\';
    end = text.find(',', std::min(end, text.size()));
    const std::string_view word = text.substr(0, end);
    const Json json = Json::parse(word, nullptr, false);
    words.push_back(json.is_string() ? json.get<std::string>() : std::string(word));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

// Nodes of one --down. A name may hold a comma, so the whole text may be one too: never guessed at.
Result<std::vector<NodeIndex>> find_nodes(const ClusterMap& map, const std::string& given) {
  const auto whole = find_node(map, given);
  std::vector<NodeIndex> nodes;
  const std::vector<std::string> words = split_names(given);
  for (const std::string& word : words) {
    const auto node = find_node(map, word);
    if (!node && whole) return std::vector<NodeIndex>{*whole};
    if (word.empty())
      return usage_error(given, "--down: a name is missing beside a comma", "write it as --down A,B");
    if (!node) return usage_error(word, "--down: no such node", known_nodes(map, word));
    nodes.push_back(*node);
  }
  if (whole && words.size() > 1)
    return usage_error(given, "--down: this is one node's name, and a list of others",
                       "give each node its own --down, the name with a comma as a JSON string in quotes");
  return nodes;
}

}  // namespace

void ClusterArgs::declare(Args& args, bool several) {
  args.operands("MAP", files,
                several ? "a map, or another system's file; several files of one cluster; - is standard input"
                        : "a map, or another system's file; - is standard input",
                1);
  if (!several) args.single();
  args.files();
  declare_reading(args);
  declare_policy(args);
}

void ClusterArgs::declare_reading(Args& args, std::string_view suffix) {
  const std::string tail(suffix);
  const std::string whose = tail.empty() ? "" : " of the second map";
  args.option("--with" + tail, "FILE", with, "one more file of the same cluster" + whose).files();
  args.option("--from" + tail, "FORMAT", options.from,
              "the first file's format" + whose + ", where it is not recognised")
      .one_of(format_names());
  args.option("--pool" + tail, "NAME", options.pool,
              "which pool, upstream, backend or cluster of the file" + whose);
}

void ClusterArgs::declare_policy(Args& args) {
  args.option("--replicas", "N", options.replicas, "take this many copies instead of what the file says");
  args.option("--across", "LEVEL", Args::Setter([this](const std::string& text) {
                options.across = find_across(text);
                return std::string();
              }),
              "spread copies over distinct nodes, hosts, racks or zones instead")
      .one_of({"node", "host", "rack", "zone"});
}

Result<std::vector<Source>> ClusterArgs::read() const {
  std::vector<std::string> paths = files;
  paths.insert(paths.end(), with.begin(), with.end());
  if (std::count(paths.begin(), paths.end(), "-") > 1)
    return usage_error("-", "standard input can be read only once", "name a file instead");
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    auto bytes = read_file(path, largest_file);
    if (!bytes) return bytes.error();
    sources.push_back({path == "-" ? "<stdin>" : path, std::move(*bytes)});
  }
  return sources;
}

Result<Loaded> ClusterArgs::load() const {
  const auto sources = read();
  if (!sources) return sources.error();
  return compiled(parse(*sources, options), files.front());
}

Result<Loaded> ClusterArgs::compiled(Result<Cluster> cluster, const std::string& file) {
  if (!cluster) return cluster.error();
  Placement placement = compile(cluster->map);
  std::string title = cluster->map.cluster().empty() ? file_name(file) : cluster->map.cluster();
  return Loaded{std::move(*cluster), std::move(placement), std::move(title)};
}

void DownArgs::declare(Args& args, std::string_view help) {
  args.option("--down", "NODE,…", names_, help);
}

Result<NodeSet> DownArgs::resolve(const ClusterMap& map) const {
  NodeSet set(map.nodes().size());
  for (const std::string& given : names_) {
    const auto nodes = find_nodes(map, given);
    if (!nodes) return nodes.error();
    for (const NodeIndex node : *nodes) set.insert(node);
  }
  return set;
}

Result<NodeSet> DownArgs::with_observed(const Cluster& cluster) const {
  auto set = resolve(cluster.map);
  if (!set) return set;
  for (NodeIndex n = 0; n < cluster.map.nodes().size(); ++n)
    if (cluster.observed.down.contains(n)) set->insert(n);
  return set;
}

std::string known_nodes(const ClusterMap& map, std::string_view near) {
  std::vector<std::string> names;
  for (const Node& node : map.nodes()) names.push_back(node.name);
  if (const std::string guess = nearest(near, names); !guess.empty()) return "did you mean " + guess + "?";
  std::string out = "there are ";
  for (std::size_t i = 0; i < names.size() && i < 5; ++i) out += (i ? ", " : "") + names[i];
  if (names.size() > 5) out += " and " + std::to_string(names.size() - 5) + " more";
  return out;
}

std::string describe_policy(const ReplicaPolicy& policy) {
  const std::string level =
      policy.across == Across::node ? "" : " across " + std::string(to_string(policy.across)) + "s";
  if (policy.per_zone.empty())
    return std::to_string(policy.count) + (policy.count == 1 ? " copy" : " copies") +
           (policy.count == 1 ? "" : level);
  std::string out;
  for (std::size_t i = 0; i < policy.per_zone.size(); ++i) {
    const ZoneCount& z = policy.per_zone[i];
    if (i) out += i + 1 == policy.per_zone.size() ? " and " : ", ";
    out += std::to_string(z.count) + (i ? "" : z.count == 1 ? " copy" : " copies") + " in " + z.zone;
  }
  return out + level;
}

std::string sampled_text(const std::optional<Sampled>& sampled) {
  if (!sampled) return "";
  return " (from " + counted(sampled->keys) + " sampled keys, ± " + per_cent(sampled->error_95) + ")";
}

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace arcwise::cli
