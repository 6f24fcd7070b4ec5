// What the importers of proxies' configurations share: words with their places, the choice of one pool of a
// file, names that a file uses twice, and the step from the parts of a map to a cluster.
//
// Layer: format.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/importer.hpp"
#include "format/yaml.hpp"

namespace arcwise {

/// A word of a configuration, its quotes and escapes resolved.
struct ConfigWord {
  std::string text;
  Place at;
  bool from_environment = false;  ///< holds a variable that only the running program knows (HAProxy)
};

Error fault_at(const Source& source, const ConfigWord& word, std::string why, std::string advice);

/// What stands at a value: its text, or of a list, a map or nothing the rest of the line.
std::string shown(const Source& source, const YamlNode& node);

/// A pool that a file offers, by whatever word its system calls it.
struct PoolName {
  std::string name;
  Place at;
};

/// Which of the pools is meant: the one that --pool names, else the only one. `word`: "upstream", "backend".
Result<std::size_t> choose_pool(const Source& source, std::span<const PoolName> pools,
                                const LoadOptions& options, std::string_view word);

/// The name of a node; a second one of this name gets "#2".
class NodeNames {
 public:
  std::string fresh(const std::string& name);

 private:
  std::map<std::string, std::size_t> times_;
};

/// "10.0.0.1" and "80" -> "10.0.0.1:80"; an IPv6 address gets brackets.
std::string joined_address(std::string_view host, std::string_view port);

/// The policy that the user asks for, and the map. `down`: numbers of nodes seen down, in list order.
Result<Cluster> finished_import(ClusterMap::Parts parts, Observed observed, std::span<const NodeIndex> down,
                                const LoadOptions& options, const Mark& at);

}  // namespace arcwise
