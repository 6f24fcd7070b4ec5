// A map as an HAProxy backend. Every server gets its number, so that lines can come and go.
#include <array>

#include "format/exporter.hpp"
#include "format/haproxy.hpp"
#include "place/haproxy.hpp"

namespace arcwise {
namespace {

constexpr std::array<std::string_view, 3> exportable{"haproxy-map-based", "haproxy-consistent",
                                                     "haproxy-consistent-3.0"};
constexpr std::string_view name_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-";

std::string balance_lines(const PlacementSettings& placement) {
  const std::string_view balance = placement.text("balance");
  if (balance == "source") return "    balance source\n";
  if (balance == "hash-src") return "    balance hash src\n";
  if (balance == "value")
    return "    mode http\n    # the key is the value of this header; put the one that you use there\n"
           "    balance hdr(X-Key)\n";
  std::string out = "    mode http\n    balance uri";
  for (const char* part : {"len", "depth"})
    if (const auto number = placement.integer(std::string("uri_") + part); number > 0)
      out += " " + std::string(part) + " " + std::to_string(number);
  return out + "\n";
}

// The address as written, if HAProxy reads the same from it.
Result<std::string> server_address(const Node& node, const HaproxyServer& defaults) {
  const std::string text = node.address.empty() ? node.name : node.address;
  std::vector<HaproxyServer> read;
  const HaproxyLine line{{"server", {}, false}, {node.name, {}, false}, {text, {}, false}};
  const bool plain = text.find_first_of(" \t\\\"'#$") == std::string::npos;
  const bool same = plain && !read_haproxy_servers({}, line, defaults, read) && read.front().address == text;
  const bool reachable = same && (!node.address.empty() || read.front().has_port);
  if (reachable) return text;
  return cannot_export(node.name, "this node has no address that HAProxy could connect to",
                       "give it an address host:port or /path");
}

}  // namespace

Result<std::string> write_haproxy(const ClusterMap& map) {
  if (auto error = check_exportable(map, "HAProxy", exportable)) return *error;
  const PlacementSettings& placement = map.placement();
  const bool consistent = placement.recipe->name != "haproxy-map-based";
  const std::string key(consistent ? placement.text("hash_key") : "id");
  const std::vector<std::uint32_t> ids = haproxy_ids(map);
  std::string out = exported_from(map);
  if (placement.recipe->name == "haproxy-consistent-3.0")
    out += "# holds for HAProxy 3.0 to early 3.3; others place numbered servers elsewhere\n";
  out += "backend " + exported_name(map) + "\n" + balance_lines(placement) + "    hash-type " +
         (consistent ? "consistent " : "map-based ") + haproxy_hash_words(placement.hash) + "\n";
  if (key != "id") out += "    default-server hash-key " + key + "\n";
  for (std::size_t i = 0; i < map.nodes().size(); ++i) {
    const Node& node = map.nodes()[i];
    if (node.name.find_first_not_of(name_characters) != std::string::npos)
      return cannot_export(node.name, "a name that HAProxy does not take for a server",
                           "rename the node: letters, digits, _ . : and - will do");
    const auto address = server_address(node, {});
    if (!address) return address.error();
    out += "    server " + node.name + " " + *address + " weight " +
           std::to_string(static_cast<std::uint64_t>(node.weight)) + " id " + std::to_string(ids[i]);
    if (key == "guid" && !node.label.empty()) {
      if (node.label.find_first_not_of(name_characters) != std::string::npos)
        return cannot_export(node.label, "a guid that HAProxy does not take",
                             "letters, digits, _ . : and - will do");
      out += " guid " + node.label;
    }
    out += "\n";
  }
  return out;
}

}  // namespace arcwise
