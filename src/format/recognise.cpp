// Which format a text is in, told by what no other format has.
#include <algorithm>
#include <array>

#include "arcwise/format.hpp"
#include "format/columns.hpp"
#include "format/unsupported.hpp"

namespace arcwise {
namespace {

constexpr std::array<FormatInfo, 6> table{{
    {"arcwise", "Arcwise's own map file, YAML or JSON", true},
    {"nodetool-ring", "Cassandra, ScyllaDB: `nodetool ring [KEYSPACE]`", true},
    {"nodetool-status",
     "Cassandra, ScyllaDB: `nodetool status [KEYSPACE]`: up and down, load; beside nodetool ring or "
     "describering",
     false},
    {"nodetool-describering", "Cassandra, ScyllaDB: `nodetool describering KEYSPACE`", true},
    {"cluster-nodes", "Redis Cluster, Valkey: `CLUSTER NODES`, or nodes.conf", true},
    {"nutcracker", "twemproxy: nutcracker.yml, one pool of it", true},
}};

constexpr std::size_t looked_at = 65536;

bool is_ring_header(std::string_view line) {
  const auto cells = words(line);
  return cells.size() > 4 && cells.front() == "Address" && cells[1] == "Rack" && cells.back() == "Token";
}

bool is_status_line(std::string_view line) {
  return line.starts_with("Status=Up/Down") ||
         (line.starts_with("--") && trim(line.substr(2)).starts_with("Address"));
}

// "10.0.0.1:7000", "10.0.0.1:7000@17000,host", ":0@0"; but not "fix:80".
bool is_bus_address(std::string_view cell) {
  cell = cell.substr(0, cell.find(','));
  const std::size_t at = cell.find('@');
  const std::string_view address = cell.substr(0, at);
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || !parse_count(address.substr(colon + 1), 65535)) return false;
  const std::string_view host = address.substr(0, colon);
  return at != std::string_view::npos || host.empty() || host.find_first_of(".:") != std::string_view::npos;
}

bool is_node_flags(std::string_view cell) {
  static constexpr std::array<std::string_view, 10> flags{"myself",     "master", "slave",     "replica",
                                                          "fail?",      "fail",   "handshake", "noaddr",
                                                          "nofailover", "noflags"};
  const std::string_view first = cell.substr(0, cell.find(','));
  return std::find(flags.begin(), flags.end(), first) != flags.end();
}

// A sum or a commit is 40 hex digits too, so the fields behind the id decide:
//
//     31ac…365e 127.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-5460
bool is_cluster_nodes_line(std::string_view line) {
  if (line.starts_with("vars currentEpoch")) return true;
  const auto cells = words(line);
  if (cells.size() < 2 || !is_hex(cells[0])) return false;
  const bool whole_id = cells[0].size() == 40;
  // An id of the wrong length is still one, beside "ip:port@busport".
  if (is_bus_address(cells[1])) return whole_id || cells[1].find('@') != std::string_view::npos;
  return whole_id && cells.size() > 3 && is_node_flags(cells[2]) && (cells[3] == "-" || is_hex(cells[3]));
}

// `key:` of YAML, or "key": of JSON, as the first thing on a line.
bool has_key(std::string_view line, std::string_view key) {
  const std::size_t start = line.find_first_not_of("{[-\" \t");
  if (start == std::string_view::npos) return false;
  std::string_view rest = line.substr(start);
  if (!rest.starts_with(key)) return false;
  rest.remove_prefix(key.size());
  return trim(rest.substr(rest.starts_with('"') ? 1 : 0)).starts_with(':');
}

// Whether a text that is one flow map, {"cluster": "c", "arcwise": 1}, has this key at its top.
bool flow_map_has_key(std::string_view text, std::string_view key) {
  const std::size_t open = text.find_first_not_of(" \t\r\n");
  if (open == std::string_view::npos || text[open] != '{') return false;
  std::size_t depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if ((c == '{' || c == ',') && depth == (c == ',') && has_key(text.substr(at + 1), key)) return true;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return false;
    if (c != '"' && c != '\'') continue;
    for (++at; at < text.size() && text[at] != c; ++at) at += c == '"' && text[at] == '\\';
  }
  return false;
}

std::string_view format_of_line(std::string_view line) {
  if (line.find("TokenRange(") != std::string_view::npos || line == "TokenRange:")
    return "nodetool-describering";
  if (is_status_line(line)) return "nodetool-status";
  if (is_ring_header(line)) return "nodetool-ring";
  if (is_cluster_nodes_line(line)) return "cluster-nodes";
  if (has_key(line, "arcwise")) return "arcwise";
  return {};
}

template <class Test>
bool any_line(std::string_view text, Test&& test) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (test(trim(line))) return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

}  // namespace

std::span<const FormatInfo> formats() {
  return table;
}

std::string_view recognise(std::string_view bytes) {
  std::string_view text = bytes.substr(0, looked_at);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string_view found;
  if (any_line(text, [&](std::string_view line) { return !(found = format_of_line(line)).empty(); }))
    return found;
  if (flow_map_has_key(text, "arcwise")) return "arcwise";
  if (unsupported(text)) return {};
  if (any_line(text,
               [](std::string_view line) { return has_key(line, "servers") || has_key(line, "listen"); }))
    return "nutcracker";
  if (any_line(text,
               [](std::string_view line) { return has_key(line, "nodes") || has_key(line, "placement"); }) ||
      flow_map_has_key(text, "nodes") || flow_map_has_key(text, "placement"))
    return "arcwise";
  return {};
}

}  // namespace arcwise
