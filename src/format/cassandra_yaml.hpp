// cassandra.yaml and scylla.yaml: what a node is told about tokens.
//
// Layer: format. With initial_token in every file, one file a node, they are a ring: a node's name is its
// broadcast_address, else listen_address, else rpc_address. Without, a file stands beside `nodetool ring` or
// `describering` and is held against what the cluster has.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/nodetool_view.hpp"

namespace arcwise {

struct CassandraSettings {
  std::string file;
  Mark at;
  std::string cluster, address, snitch;
  bool random = false;  ///< RandomPartitioner; else Murmur3Partitioner
  std::optional<std::uint64_t> num_tokens, allocation_rf;
  std::vector<Marked<Token>> tokens;  ///< of initial_token
};

bool is_cassandra_yaml_line(std::string_view line);
Result<CassandraSettings> read_cassandra_yaml(const Source& source);

/// The ring that the files' initial_token settings make.
Result<NodetoolView> ring_of_settings(std::span<const CassandraSettings> files);
/// Where the files and the cluster disagree, and files among each other.
std::vector<Finding> check_settings(std::span<const CassandraSettings> files, const ClusterMap& map);

/// A number in the notation of the files' partitioner.
TokenSpace cassandra_space(bool random);

}  // namespace arcwise
