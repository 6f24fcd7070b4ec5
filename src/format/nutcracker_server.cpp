// A server line is read from its right end, so that hosts may contain colons: "::1:24001:3 one" is the name
// `one`, the weight 3, the port 24001 and the host ::1.
#include "format/columns.hpp"
#include "format/nutcracker.hpp"

namespace arcwise {
namespace {

constexpr std::string_view form = "write host:port:weight or host:port:weight name, or /path:weight";
constexpr std::uint64_t most_weight = 2147483647;

// The scalar and the place of every piece of it.
struct Entry {
  const Source& source;
  const YamlNode& node;

  Error fault(std::string_view piece, std::string why, std::string advice = std::string(form)) const {
    Place at = node.at;
    at.column += static_cast<std::uint32_t>(piece.data() - node.text.data()) + (node.quoted ? 1U : 0U);
    return fault_at(source, at, std::string(piece.empty() ? std::string_view(node.text) : piece),
                    std::move(why), std::move(advice));
  }
};

bool is_whole(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Error> read_weight(const Entry& entry, std::string_view text, std::uint32_t& out) {
  const bool negative = text.starts_with('-') && is_whole(text.substr(1));
  if (negative) return entry.fault(text, "negative weight");
  if (!is_whole(text))
    return entry.fault(text, text.empty() ? "missing weight" : "a weight that is not a whole number");
  const auto weight = parse_count(text, most_weight);
  if (!weight)
    return entry.fault(text, "weight out of range",
                       "weights are 1 to 2147483647; twemproxy itself would wrap this number");
  if (*weight == 0)
    return entry.fault(text, "zero weight", "a weight is at least 1; to take a server out, remove its line");
  out = static_cast<std::uint32_t>(*weight);
  return std::nullopt;
}

// The name is what follows the first blank: "two words" is refused, as twemproxy would take "words" for the
// name.
std::optional<Error> split_name(const Entry& entry, std::string_view& server, std::string_view& name) {
  const std::string_view text = entry.node.text;
  const std::size_t blank = text.find_first_of(" \t");
  server = text.substr(0, blank);
  if (blank == std::string_view::npos) return std::nullopt;
  name = text.substr(blank + 1);
  const std::string_view bare = trim(name);
  if (bare.find_first_of(" \t") != std::string_view::npos)
    return entry.fault(bare, "a name with a blank in it", "a name is one word: write it with `-` or `_`");
  if (bare != name || name.empty() || text[blank] != ' ')
    return entry.fault(text.substr(blank), "expected one blank before the name");
  return std::nullopt;
}

std::optional<Error> read_host_port(const Entry& entry, std::string_view rest, NutcrackerServer& out) {
  const std::size_t colon = rest.rfind(':');
  // "192.0.2.1:11211" was split into the host 192.0.2.1 and the weight 11211.
  if (colon == std::string_view::npos || colon == 0)
    return entry.fault(entry.node.text,
                       "missing weight or port: the last number is the weight, the one before it the port");
  const std::string_view host = rest.substr(0, colon), port = rest.substr(colon + 1);
  const auto number = is_whole(port) ? parse_count(port, 65535) : std::nullopt;
  if (!is_whole(port))
    return entry.fault(port, port.empty() ? "missing port" : "a port that is not a whole number");
  if (!number || *number == 0) return entry.fault(port, "port out of range", "ports are 1 to 65535");
  out.host = std::string(host);
  out.name = std::string(rest);
  out.label = *number == 11211 ? out.host : out.name;
  if (host.starts_with('[') && host.ends_with(']')) out.host = std::string(host.substr(1, host.size() - 2));
  out.address = (out.host.find(':') == std::string::npos ? out.host : "[" + out.host + "]") + ":" +
                std::to_string(*number);
  return std::nullopt;
}

}  // namespace

std::optional<Error> read_nutcracker_server(const Source& source, const YamlNode& node,
                                            NutcrackerServer& out) {
  const Entry entry{source, node};
  if (!node.is(YamlNode::Kind::scalar) || node.text.empty())
    return fault_at(source, node.at, text_at(source, node.at), "a server is one text", std::string(form));
  std::string_view server, name;
  if (auto error = split_name(entry, server, name)) return error;
  const std::size_t colon = server.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return entry.fault(server, "missing weight");
  const std::string_view rest = server.substr(0, colon);
  out.at = node.at;
  if (server.starts_with('/')) {
    out.name = out.address = out.host = std::string(rest);
    out.label = out.name + ':';  // twemproxy hashes the text up to where a port would stand
  } else if (auto error = read_host_port(entry, rest, out)) {
    return error;
  }
  if (auto error = read_weight(entry, server.substr(colon + 1), out.weight)) return error;
  if (!name.empty()) out.name = out.label = std::string(name);
  return std::nullopt;
}

}  // namespace arcwise
