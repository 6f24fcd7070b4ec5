// What one nodetool output says about the nodes of a Cassandra or ScyllaDB cluster.
//
// Layer: format. Readers of `nodetool ring`, `status` and `describering` fill a NodetoolView each;
// nodetool_cluster puts the views of one cluster together.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arcwise/format.hpp"

namespace arcwise {

struct SeenNode {
  enum class Live : std::uint8_t { unsaid, up, down, unknown, excluded };
  enum class State : std::uint8_t { unsaid, normal, leaving, joining, moving };

  Mark at;              ///< where it is first named
  std::string address;  ///< as printed
  std::string zone, rack;
  Live live = Live::unsaid;
  State state = State::unsaid;
  std::optional<double> load_bytes, owns;
  std::optional<std::uint64_t> token_count;  ///< as printed, where the tokens themselves are not
  std::vector<Marked<Token>> tokens;
};

/// (after, upto] with its replicas, as `describering` prints them.
struct SeenRange {
  Mark at;
  Token after, upto;
  std::vector<NodeIndex> endpoints;  ///< distinct, into NodetoolView::nodes, in replica order
};

struct NodetoolView {
  std::string file;
  std::string_view format;
  std::string_view recipe = "cassandra-murmur3";  ///< of tokens
  std::vector<SeenNode> nodes;                    ///< in order of appearance
  std::vector<SeenRange> ranges;                  ///< describering only
  bool lists_tokens = false;
  std::vector<Finding> findings;

  /// The node with this address. Where only one side prints ports ("192.0.2.1" and "192.0.2.1:7000"), the
  /// host decides.
  std::optional<std::size_t> find(std::string_view address) const;
};

/// The one reading of a Murmur3 token, so that every reader says the same about a bad one.
Result<Token> read_murmur3_token(const struct TextLine& line, std::string_view text);

Result<NodetoolView> read_nodetool_ring(const Source& source);
Result<NodetoolView> read_nodetool_status(const Source& source);
Result<NodetoolView> read_describering(const Source& source);

}  // namespace arcwise
