// A map as nutcracker.yml. Every server line is read back as twemproxy reads it, and must give the text that
// the map hashes.
#include <array>
#include <set>

#include "format/exporter.hpp"
#include "format/nutcracker.hpp"

namespace arcwise {
namespace {

constexpr std::array<std::string_view, 2> exportable{"twemproxy-ketama", "twemproxy-modula"};

// "[2001:db8::2]:11211" -> "2001:db8::2:11211": twemproxy takes the last colons for port and weight.
std::string without_brackets(std::string_view address) {
  const std::size_t close = address.find(']');
  if (!address.starts_with('[') || close == std::string_view::npos) return std::string(address);
  return std::string(address.substr(1, close - 1)) + std::string(address.substr(close + 1));
}

bool hashes_alike(const std::string& line, const Node& node) {
  YamlNode entry;
  entry.kind = YamlNode::Kind::scalar;
  entry.text = line;
  NutcrackerServer server;
  return !read_nutcracker_server({}, entry, server) && server.label == node.label &&
         (node.address.empty() || server.address == node.address);
}

// Without a name where the address gives the hashed text, else with that text as the name.
Result<std::string> server_line(const Node& node) {
  const std::string weight = ":" + std::to_string(static_cast<std::uint64_t>(node.weight));
  const std::string address = without_brackets(node.address) + weight, named = address + " " + node.label;
  std::vector<std::string> forms{node.name + weight, address, named};
  if (node.name == node.label) std::swap(forms[1], forms[2]);
  if (node.name.starts_with('[')) forms.erase(forms.begin());  // read, and then not resolved
  for (const std::string& form : forms)
    if (hashes_alike(form, node)) return form;
  return cannot_export(node.name,
                       node.address.empty() ? "this node has no address to connect to"
                                            : "twemproxy has no server line that hashes '" + node.label +
                                                  "' and connects to '" + node.address + "'",
                       "give it an address host:port or /path, and a label of one word");
}

bool is_plain(std::string_view line) {
  return line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:/_- ") ==
             std::string_view::npos &&
         line.front() != '-' && line.back() != ':' && line.find(": ") == std::string_view::npos;
}

}  // namespace

Result<std::string> write_nutcracker(const ClusterMap& map) {
  if (auto error = check_exportable(map, "twemproxy", exportable)) return *error;
  const PlacementSettings& placement = map.placement();
  if (placement.text("byte_sign") != "signed")
    return cannot_export(std::string(placement.text("byte_sign")),
                         "the sign of bytes is the machine's that twemproxy runs on, not its file's",
                         "give the map `byte_sign: signed`, as on x86");
  std::string out = exported_from(map) + exported_name(map) + ":\n  listen: 127.0.0.1:22121\n  hash: " +
                    std::string(nutcracker_hash_name(placement.hash)) + "\n  distribution: " +
                    std::string(placement.recipe->name.substr(std::string_view("twemproxy-").size())) + "\n";
  if (!placement.hash_tag.empty()) out += "  hash_tag: " + double_quoted(placement.hash_tag) + "\n";
  out += "  servers:\n";
  std::set<std::string_view> labels;
  for (const Node& node : map.nodes()) {
    if (!labels.insert(node.label).second)
      return cannot_export(node.name, "another node has the same label, which twemproxy refuses",
                           "give each node a label of its own");
    const auto line = server_line(node);
    if (!line) return line.error();
    out += "    - " + (is_plain(*line) ? *line : double_quoted(*line)) + "\n";
  }
  return out;
}

}  // namespace arcwise
