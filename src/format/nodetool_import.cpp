// What nodetool prints: how its outputs are told apart, and the cluster that several of them make.
#include "format/nodetool_import.hpp"

#include <algorithm>

#include "format/columns.hpp"
#include "format/nodetool_cluster.hpp"

namespace arcwise {
namespace {

Result<NodetoolView> read_view(const Source& source, std::string_view format) {
  if (format == "nodetool-ring") return read_nodetool_ring(source);
  if (format == "nodetool-status") return read_nodetool_status(source);
  return read_describering(source);
}

}  // namespace

bool is_ring_line(std::string_view line) {
  const auto cells = words(line);
  return cells.size() > 4 && cells.front() == "Address" && cells[1] == "Rack" && cells.back() == "Token";
}

bool is_status_line(std::string_view line) {
  return line.starts_with("Status=Up/Down") ||
         (line.starts_with("--") && trim(line.substr(2)).starts_with("Address"));
}

bool is_describering_line(std::string_view line) {
  return line.find("TokenRange(") != std::string_view::npos || line == "TokenRange:";
}

// The most telling file is the map, the others stand beside it: ranges as the cluster has them, then all
// tokens.
Result<Cluster> import_nodetool(const Inputs& inputs) {
  std::vector<NodetoolView> views;
  for (std::size_t i = 0; i < inputs.sources.size(); ++i) {
    auto view = read_view(inputs.sources[i], inputs.formats[i]);
    if (!view) return view.error();
    views.push_back(std::move(*view));
  }
  const auto rank = [](const NodetoolView& view) {
    return !view.ranges.empty() ? 0 : view.format == "nodetool-ring" ? 1 : 2;
  };
  std::stable_sort(views.begin(), views.end(),
                   [&](const NodetoolView& a, const NodetoolView& b) { return rank(a) < rank(b); });
  if (views.size() > 1 && !views[1].ranges.empty())
    return Error{ErrorKind::input,
                 {views[1].file, 0, 0},
                 "",
                 "a second `nodetool describering`",
                 "ranges belong to one keyspace: give one output at a time"};
  NodetoolView base = std::move(views.front());
  return nodetool_cluster(std::move(base), std::span(views).subspan(1), inputs.options);
}

}  // namespace arcwise
