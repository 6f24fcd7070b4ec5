// What identify() tries: every row of the table with the settings in usual use, as far as nodes and keys
// allow.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "arcwise/identify.hpp"
#include "study/rng.hpp"

namespace arcwise {

/// What the keys and nodes themselves say about the settings that can matter.
struct SampleTraits {
  bool high_bytes = false;     ///< a byte of 0x80 and more, in a key or a node
  bool braces = false;         ///< a key with something between { and }
  bool question_mark = false;  ///< a key with a ?
  bool all_addresses = true;   ///< every key is an IP address
  bool labels = false;         ///< nodes with a label of their own
  bool addresses = false;      ///< nodes with an IP address
  bool default_port = false;   ///< a node at port 11211
};
SampleTraits traits_of(const ClusterMap::Parts& known, std::span<const ObservedKey> samples);

/// The settings to try of one row, those of the map itself first; or why there is none. `tokens`: numbers of
/// points to try beside the usual ones.
struct Tries {
  std::vector<PlacementSettings> settings;
  std::string none;
};
Tries tries_of(const Recipe& recipe, const ClusterMap::Parts& known, const SampleTraits& traits,
               std::span<const std::uint32_t> tokens = {});

/// The map of one try; its nodes as listed, or by name.
Result<ClusterMap> map_for(const Candidate& candidate, const ClusterMap::Parts& known);

/// Places in the list by node name.
std::vector<NodeIndex> name_order(const std::vector<Node>& nodes);

/// Keys of the samples' own form, from a seed: digits stay digits, letters letters, and the rest as it is;
/// addresses stay addresses.
class KeysLike {
 public:
  KeysLike(std::span<const ObservedKey> samples, bool addresses, std::uint64_t seed);
  std::string next();

 private:
  std::span<const ObservedKey> samples_;
  bool addresses_;
  Rng rng_;
};

}  // namespace arcwise
