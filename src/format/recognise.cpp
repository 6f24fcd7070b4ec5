// Which format a text is in, told by what no other format has.
#include <algorithm>
#include <array>

#include "arcwise/format.hpp"
#include "format/columns.hpp"

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

bool is_cluster_nodes_line(std::string_view line) {
  if (line.starts_with("vars currentEpoch")) return true;
  const auto cells = words(line);
  if (cells.size() < 2) return false;
  // An id of the wrong length is still one, beside "ip:port@busport".
  return (cells[0].size() == 40 && is_hex(cells[0])) ||
         (is_hex(cells[0]) && cells[1].find(':') != std::string_view::npos &&
          cells[1].find('@') != std::string_view::npos);
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
  if (any_line(text,
               [](std::string_view line) { return has_key(line, "servers") || has_key(line, "listen"); }))
    return "nutcracker";
  if (any_line(text,
               [](std::string_view line) { return has_key(line, "nodes") || has_key(line, "placement"); }))
    return "arcwise";
  return {};
}

}  // namespace arcwise
