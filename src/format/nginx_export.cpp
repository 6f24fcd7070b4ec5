// A map as an nginx upstream, to be included inside http { } or stream { }.
#include <array>

#include "format/exporter.hpp"
#include "format/nginx.hpp"

namespace arcwise {
namespace {

constexpr std::array<std::string_view, 2> exportable{"nginx-hash", "nginx-consistent"};

// nginx reads these as they are.
bool is_plain(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/[]-") ==
         std::string_view::npos;
}

// What `server` can say: for the ring the text that is hashed, else any that leads to the address.
Result<std::string> server_text(const Node& node, bool consistent) {
  const std::array<std::string, 3> forms{consistent ? node.label : node.name, node.address,
                                         "unix:" + node.address};
  for (std::size_t i = 0; i < (consistent ? 1U : forms.size()); ++i) {
    const auto address = nginx_address(forms[i]);
    if (address && (node.address.empty() || *address == node.address || forms[i] == node.address))
      return forms[i];
  }
  if (!consistent || node.address.empty())
    return cannot_export(node.name, "this node has no address that nginx could connect to",
                         "give it an address host:port or /path");
  return cannot_export(node.name,
                       "nginx hashes the address that it connects to: it cannot hash '" + node.label +
                           "' and connect to '" + node.address + "'",
                       "give the node the label that it should be hashed by, and the same address");
}

}  // namespace

Result<std::string> write_nginx(const ClusterMap& map) {
  if (auto error = check_exportable(map, "nginx", exportable)) return *error;
  const bool consistent = map.placement().recipe->name == "nginx-consistent";
  std::string out = exported_from(map) +
                    "# keys: what stands behind `hash` is the key; put your expression there\n" +
                    "upstream " + exported_name(map) + " {\n    hash $request_uri" +
                    (consistent ? " consistent;\n" : ";\n");
  for (const Node& node : map.nodes()) {
    const auto text = server_text(node, consistent);
    if (!text) return text.error();
    const auto weight = static_cast<std::uint64_t>(node.weight);
    out += "    server " + (is_plain(*text) ? *text : double_quoted(*text)) +
           (weight == 1 ? "" : " weight=" + std::to_string(weight)) + ";\n";
  }
  return out + "}\n";
}

}  // namespace arcwise
