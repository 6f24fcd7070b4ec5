#include "format/swift_ring.hpp"

#include <algorithm>

#include "format/columns.hpp"
#include "format/gunzip.hpp"
#include "format/swift_ring_file.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

using Severity = Finding::Severity;

struct HashPath {
  std::string prefix, suffix;
  bool known = false;
};

std::optional<Error> read_conf(const Source& source, HashPath& out) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  for (const TextLine& line : *lines) {
    const std::string_view text = trim(line.text);
    const std::size_t equals = text.find_first_of("=:");
    if (text.starts_with('#') || text.starts_with(';') || equals == std::string_view::npos) continue;
    const std::string_view name = trim(text.substr(0, equals)), value = trim(text.substr(equals + 1));
    if (name != "swift_hash_path_prefix" && name != "swift_hash_path_suffix") continue;
    (name.ends_with("prefix") ? out.prefix : out.suffix) = std::string(value);
    out.known = true;
  }
  if (out.known) return std::nullopt;
  return no_rows(*lines, "no swift_hash_path_prefix or swift_hash_path_suffix in the file",
                 "bring /etc/swift/swift.conf");
}

Node node_of(const SwiftDevice& device) {
  const bool ipv6 = device.ip.find(':') != std::string::npos;
  Node node;
  node.name = "d" + std::to_string(device.id);
  node.address = (ipv6 ? "[" + device.ip + "]" : device.ip) + ":" + std::to_string(device.port);
  if (!device.device.empty()) node.address += "/" + device.device;
  node.host = device.ip;
  node.weight = device.weight;
  node.rack = "z" + std::to_string(device.zone);
  node.zone = "r" + std::to_string(device.region);
  return node;
}

// Of each partition, its devices in the order of the ring's replicas, each once.
std::vector<TableRow> rows_of(const SwiftRing& ring, const std::vector<NodeIndex>& index) {
  std::vector<TableRow> out;
  const std::size_t partitions = ring.rows.front().size();
  out.reserve(partitions);
  for (std::size_t p = 0; p < partitions; ++p) {
    TableRow row{{p}, {}};
    for (const auto& replica : ring.rows) {
      if (p >= replica.size() || replica[p] == SwiftRing::nobody) continue;
      const NodeIndex node = index[replica[p]];
      if (std::find(row.owners.begin(), row.owners.end(), node) == row.owners.end())
        row.owners.push_back(node);
    }
    out.push_back(std::move(row));
  }
  return out;
}

void report_gaps(const SwiftRing& ring, const std::vector<TableRow>& rows, std::vector<Finding>& findings) {
  std::size_t twice = 0, unassigned = 0;
  for (std::size_t p = 0; p < rows.size(); ++p) {
    std::size_t copies = 0, gaps = 0;
    for (const auto& replica : ring.rows) {
      copies += p < replica.size();
      gaps += p < replica.size() && replica[p] == SwiftRing::nobody;
    }
    unassigned += gaps > 0;
    twice += copies - gaps > rows[p].owners.size();
  }
  const std::string of = " of " + std::to_string(rows.size()) + " partitions";
  if (unassigned)
    findings.push_back({Severity::error, "unassigned-partitions", ring.file,
                        std::to_string(unassigned) + of + " have a copy without a device",
                        "swift-ring-builder FILE.builder rebalance"});
  if (twice)
    findings.push_back({Severity::error, "copies-together", ring.file,
                        std::to_string(twice) + of + " have two copies on one device",
                        "add devices, then swift-ring-builder FILE.builder rebalance"});
  if (ring.growing)
    findings.push_back({Severity::info, "partitions-split", ring.file,
                        "the part power is being raised: every partition will become two", ""});
}

void compare(const SwiftRing& base, const SwiftRing& other, std::vector<Finding>& findings) {
  const auto report = [&](Severity severity, std::string subject, std::string message) {
    findings.push_back(
        {severity, "views-differ", std::move(subject), std::move(message),
         "bring the same ring (account, container or a policy's objects) from each node; copy the "
         "newest to all"});
  };
  const auto has = [](const SwiftRing& ring, std::size_t id) {
    return id < ring.devices.size() && ring.devices[id];
  };
  for (std::size_t id = 0; id < std::max(base.devices.size(), other.devices.size()); ++id)
    if (has(base, id) != has(other, id))
      report(Severity::warning, "d" + std::to_string(id),
             (has(base, id) ? base : other).file + " lists the device, " +
                 (has(base, id) ? other : base).file + " does not");
  if (base.part_power != other.part_power) {
    report(Severity::error, "part_power",
           std::to_string(base.part_power) + " in " + base.file + ", " + std::to_string(other.part_power) +
               " in " + other.file);
    return;
  }
  std::size_t differ = 0;
  const auto at = [](const SwiftRing& ring, std::size_t r, std::size_t p) {
    return r < ring.rows.size() && p < ring.rows[r].size() ? ring.rows[r][p] : SwiftRing::nobody;
  };
  for (std::size_t p = 0; p < base.rows.front().size(); ++p) {
    bool same = true;
    for (std::size_t r = 0; r < std::max(base.rows.size(), other.rows.size()); ++r)
      same &= at(base, r, p) == at(other, r, p);
    differ += !same;
  }
  if (differ)
    report(Severity::error, "partitions",
           std::to_string(differ) + " of " + std::to_string(base.rows.front().size()) +
               " partitions are on other devices in " + other.file + " than in " + base.file);
}

}  // namespace

bool is_swift_ring(std::string_view bytes) {
  if (!is_gzip(bytes)) return bytes.starts_with("R1NG");
  const std::string head = gunzip_head(bytes, 256);
  return head.starts_with("R1NG") ||
         (head.starts_with("\x80") && head.find("swift.common.ring") != std::string::npos);
}

bool is_swift_conf_line(std::string_view line) {
  return line.starts_with("swift_hash_path_prefix") || line.starts_with("swift_hash_path_suffix");
}

Result<Cluster> import_swift(const Inputs& inputs) {
  std::vector<SwiftRing> rings;
  HashPath path;
  for (std::size_t i = 0; i < inputs.sources.size(); ++i) {
    const Source& source = inputs.sources[i];
    if (inputs.formats[i] == "swift-conf") {
      if (auto error = read_conf(source, path)) return *error;
      continue;
    }
    auto ring = read_swift_ring(source);
    if (!ring) return ring.error();
    rings.push_back(std::move(*ring));
  }
  if (rings.empty())
    return Error{ErrorKind::input,
                 {inputs.sources.front().name, 0, 0},
                 "",
                 "swift.conf has no devices and no partitions",
                 "bring a ring beside it, such as object.ring.gz"};
  const SwiftRing& ring = rings.front();
  ClusterMap::Parts parts;
  std::vector<NodeIndex> index(ring.devices.size(), no_node);
  for (std::size_t id = 0; id < ring.devices.size(); ++id) {
    if (!ring.devices[id]) continue;
    index[id] = static_cast<NodeIndex>(parts.nodes.size());
    parts.nodes.push_back(node_of(*ring.devices[id]));
  }
  Observed observed;
  observed.format = "swift-ring";
  parts.placement.recipe = find_recipe("swift");
  parts.placement.hash = parts.placement.recipe->hash;
  parts.placement.slots = ring.rows.front().size();
  parts.placement.table = rows_of(ring, index);
  if (!path.prefix.empty()) parts.placement.settings["hash_path_prefix"] = path.prefix;
  if (!path.suffix.empty()) parts.placement.settings["hash_path_suffix"] = path.suffix;
  report_gaps(ring, parts.placement.table, observed.findings);
  if (!path.known)
    observed.findings.push_back(
        {Severity::warning, "hash-path-unknown", ring.file,
         "paths are hashed without the cluster's prefix and suffix: devices and shares are "
         "right, the partition of a path is not",
         "bring swift.conf beside the ring"});
  for (std::size_t i = 1; i < rings.size(); ++i) compare(ring, rings[i], observed.findings);
  std::size_t most = 1;
  for (const TableRow& row : parts.placement.table) most = std::max(most, row.owners.size());
  parts.replicas.count = inputs.options.replicas.value_or(static_cast<std::uint32_t>(most));
  parts.replicas.across = inputs.options.across.value_or(Across::node);
  auto map = ClusterMap::build(std::move(parts), {ring.file, 0, 0});
  if (!map) return map.error();
  observed.down = NodeSet(map->nodes().size());
  return Cluster{std::move(*map), std::move(observed)};
}

}  // namespace arcwise
