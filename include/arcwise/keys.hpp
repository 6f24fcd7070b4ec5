// What spread given keys really get, and which of four causes makes it uneven: weights that round to other
// points, arcs of other lengths than the points ask for, a hash that treats the pattern of these keys
// unevenly, or keys that occur very often.
//
// Layer: study. Streaming: memory does not grow with the number of keys. About a quarter of a million
// distinct keys are counted exactly; of more, a sample of the distinct ones, drawn by a hash of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

struct KeySpread {
  std::uint64_t keys = 0;      ///< lines, repeats too
  std::uint64_t distinct = 0;  ///< exact, or estimated where `sampled`
  bool sampled = false;
  struct Node {
    std::uint64_t keys = 0;
    double share = 0;           ///< of the keys
    double distinct_share = 0;  ///< of the distinct keys
    double hash_share = 0;      ///< of hash space
    double point_share = 0;     ///< of the points, where points are what shares come from
    double target = 0;          ///< what its weight entitles it to
    double ratio() const { return target > 0 ? share / target : 0; }
  };
  std::vector<Node> nodes;  ///< by NodeIndex; first owners only
  struct HotKey {
    std::string key;
    std::uint64_t count = 0;  ///< at least so many
    NodeIndex node = no_node;
  };
  std::vector<HotKey> hottest;  ///< keys that occur more than once, most frequent first, at most ten

  NodeIndex fullest = no_node;  ///< the largest ratio
  /// Of the fullest node; their product is its ratio.
  struct Factors {
    double weights = 1, arcs = 1, hash_pattern = 1, hot_keys = 1;
  };
  Factors factors;
  /// How far the distinct keys' nodes are from what hash space gives them, in standard deviations of what
  /// chance does to so many keys (chi-square, Wilson and Hilferty's cube root). Beyond 4 is no chance.
  double pattern_sigma = 0;
  std::uint32_t parts = 0, parts_hit = 0;  ///< equal parts of hash space, and how many have a key; 0: no ring
  std::uint64_t unowned = 0;               ///< keys of no owner
};

class KeyTally {
 public:
  explicit KeyTally(const Placement& placement);
  void add(std::string_view key);
  KeySpread spread() const;

 private:
  struct Distinct {
    std::uint64_t count = 0;
    NodeIndex node = no_node;
  };
  struct Frequent {
    std::string key;
    std::uint64_t count = 0;
  };
  void count_distinct(std::uint64_t print, KeyHash hash, NodeIndex node);
  void count_frequent(std::uint64_t print, std::string_view key);
  void note_part(KeyHash hash);
  void count_nodes(KeySpread& out) const;
  void explain(KeySpread& out) const;
  void list_hottest(KeySpread& out) const;

  Placement placement_;
  std::vector<std::uint64_t> keys_of_;  ///< by node
  std::uint64_t keys_ = 0, unowned_ = 0;
  std::unordered_map<std::uint64_t, Distinct> distinct_;  ///< prints whose low `level_` bits are 0
  unsigned level_ = 0;
  std::unordered_map<std::uint64_t, Frequent> frequent_;  ///< Misra and Gries: nobody frequent is missing
  std::vector<bool> part_hit_;
};

}  // namespace arcwise
