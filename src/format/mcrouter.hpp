// mcrouter's configuration, JSON with comments: a pool that a PoolRoute hashes over becomes a map.
//
// Layer: format. Without --pool the route must be a plain hash over one pool. With it, a PoolRoute below
// other routes will do: the map then says which server of that pool a request goes to, if it gets there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/importer.hpp"
#include "format/yaml.hpp"

namespace arcwise {

/// The text with its comments (// and /* */) made blank; every other byte keeps its place.
std::string without_comments(std::string_view text);

/// A place where a route names a pool.
struct PoolUse {
  std::string pool;
  const YamlNode* route = nullptr;   ///< the PoolRoute, or the HashRoute over Pool|NAME
  const YamlNode* inside = nullptr;  ///< a pool written out inside the route
  const YamlNode* hash = nullptr;    ///< its hash, where it says one
  bool hashes = true;                ///< false: another kind of route takes the pool's servers
  std::vector<std::string> below;    ///< types of the routes around it, outermost first
};
/// Every use of a pool in the routes of a configuration, in the order written.
std::optional<Error> find_pool_uses(const Source& source, const YamlNode& root, std::vector<PoolUse>& out);

bool is_mcrouter_text(std::string_view text);
Result<Cluster> import_mcrouter(const Inputs& inputs);

}  // namespace arcwise
