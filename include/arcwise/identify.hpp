// Identify: which recipe explains where a cluster was seen to keep its keys?
//
// Layer: study. Every row that the nodes allow is tried with the settings in usual use. A row explains the
// samples when no more of them contradict it than may be wrong, when it agrees with far more than an
// unrelated placement would by chance, and when a fifth of the samples, which had no part in choosing it,
// bears it out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arcwise/map.hpp"

namespace arcwise {

/// A key and the node that served it.
struct ObservedKey {
  std::string key;
  NodeIndex node = 0;  ///< in the list of known nodes
};

struct IdentifyOptions {
  std::uint64_t seed = 1;
  double tolerated = 0.05;            ///< share of the samples that may be wrong
  std::size_t near_misses = 5;        ///< how many to list, at most one a row
  std::vector<std::uint32_t> tokens;  ///< points for each unit of weight to try beside the usual ones
};

/// One way to place: a row with its settings, over the nodes as listed or sorted by name.
struct Candidate {
  PlacementSettings placement;
  bool sorted = false;
};
/// What a map must say beyond the recipe's name, as name and value: {"hash", "md5"}, {"tokens", "160"},
/// {"order", "sorted by name"}; without what the recipe presets.
std::vector<std::pair<std::string, std::string>> said(const Candidate& candidate);

struct Match {
  Candidate how;
  std::size_t mismatches = 0;           ///< among the samples that chose
  std::size_t held_out_mismatches = 0;  ///< among those held out
  std::size_t samples_group = 0;        ///< of `found`: the same number, the same answer to every sample
  std::size_t keys_group = 0;           ///< …and to every further key that was tried
};

struct IdentifyReport {
  std::size_t chosen_by = 0, held_out = 0;  ///< samples; they sum to all
  std::size_t rows = 0, tried = 0;          ///< rows of the table, and rows × settings that were compiled
  double chance = 0;                        ///< share on which an unrelated placement agrees
  std::size_t enough = 0;  ///< samples that, all matched, rule chance out among so many tries

  /// Best first; these samples do not decide between them. Of one row's settings that place all keys tried
  /// alike the plainest.
  std::vector<Match> found;
  std::vector<Match> near_misses;  ///< agree far beyond chance, or on all of too few samples; best first

  /// A key on which rows of `found` differ: the owner of each, in their order.
  struct Telling {
    std::string key;
    std::vector<NodeIndex> owners;
  };
  std::vector<Telling> telling;
  std::size_t further_keys = 0;  ///< tried in search of them

  struct Wrong {
    std::size_t sample = 0;
    NodeIndex computed = no_node;
  };
  std::vector<Wrong> wrong;  ///< samples that contradict the first of `found`, as they were given

  struct LeftOut {
    std::string_view recipe;
    std::string why;
  };
  std::vector<LeftOut> left_out;  ///< rows that these nodes or keys cannot be tried with
  std::vector<Finding> findings;  ///< what is odd about the samples
};

/// `known` is what is known of the cluster: at least its nodes in list order; of a map also tokens, ranges,
/// slots and settings, for the rows that need them. placement.recipe may be null. Nodes have distinct names;
/// samples name nodes of the list. Cost: about a millisecond a try for ten nodes.
IdentifyReport identify(const ClusterMap::Parts& known, std::span<const ObservedKey> samples,
                        const IdentifyOptions& options);

}  // namespace arcwise
