// What tells an answer of CLUSTER NODES from other tables of words.
#include <algorithm>
#include <array>

#include "format/cluster_nodes.hpp"
#include "format/columns.hpp"

namespace arcwise {
namespace {

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

}  // namespace

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

}  // namespace arcwise
