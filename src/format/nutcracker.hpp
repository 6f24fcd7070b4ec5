// twemproxy's configuration file (nutcracker.yml): one pool of it becomes a map.
//
// Layer: format.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "format/importer.hpp"
#include "format/yaml.hpp"

namespace arcwise {

struct NutcrackerServer {
  Place at;             ///< of the entry
  std::string name;     ///< what people call it: the given name, else host:port or the path, as written
  std::string label;    ///< what twemproxy hashes
  std::string address;  ///< host:port (IPv6 in brackets), or the path of a unix socket
  std::string host;
  std::uint32_t weight = 0;
};

/// `host:port:weight [name]` or `/path:weight [name]`. Sets `out` or says what is wrong with which part.
std::optional<Error> read_nutcracker_server(const Source& source, const YamlNode& entry,
                                            NutcrackerServer& out);

/// twemproxy's name of a key hash; empty: it has no such hash.
std::string_view nutcracker_hash_name(KeyHashId hash);

/// Why this text is not the configuration it wants to be, where a YAML error alone would not help.
std::optional<Error> diagnose_nutcracker(const Source& source);
std::span<const std::string_view> nutcracker_keys();
bool is_nutcracker_key(std::string_view name);

bool looks_like_nutcracker(std::string_view text);
Result<Cluster> import_nutcracker(const Inputs& inputs);

}  // namespace arcwise
