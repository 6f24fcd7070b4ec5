// Schemes: what each method hashes for a node and what it makes of weights and list order, as data, so that
// two maps can be compared without knowing which recipes they follow.
//
// Layer: place. A test hashes the bytes that a scheme gives and finds its points on the compiled ring.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "place/methods.hpp"

namespace arcwise {

/// What is hashed of a node. Two nodes with the same kind and bytes are one and the same to the method.
struct Identity {
  std::string_view kind;  ///< "text", "number", "address", "buckets"
  std::string bytes;      ///< of a number, its decimal digits
  friend bool operator==(const Identity&, const Identity&) = default;
};

/// From the bytes of a point to positions.
struct PointHash {
  std::string_view name;
  std::optional<KeyHashId> id;  ///< nullopt: a function of whole numbers
  std::size_t words = 1;        ///< points that one digest gives
  ByteSign sign = ByteSign::as_signed;
};

struct Scheme {
  std::string_view method;
  std::string_view finds;  ///< how an owner is found; methods with the same words differ in the rest only
  bool by_place = false;   ///< a server is its place in the list; nothing of it is hashed
  Identity (*identity)(const ClusterMap& map, NodeIndex node) = nullptr;  ///< nullptr: nothing is hashed
  std::string_view pattern = {};  ///< of a point's bytes: ID is the identity, i the number of the digest
  /// The bytes hashed for the i-th digest of a node. nullptr: there are no points.
  std::string (*point)(const ClusterMap& map, NodeIndex node, std::uint64_t i) = nullptr;
  PointHash (*hash)(const ClusterMap& map) = nullptr;
  std::string_view weights = {};  ///< what a weight does; empty: nothing
  std::vector<NodeIndex> (*order)(const ClusterMap& map) = owning_nodes;
  std::string_view (*sorting)(const ClusterMap& map) = nullptr;  ///< nullptr: as listed
  /// Owners by remainder where the method itself chooses by key.
  void (*slots)(const ClusterMap& map, std::vector<NodeIndex>& owner_of_slot) = nullptr;
};

inline constexpr std::string_view finds_on_ring = "points on a ring";

/// nullptr: no such method; a test holds every method against it.
const Scheme* find_scheme(std::string_view method);
/// The scheme of a map, whose tokens may be given.
const Scheme& scheme_of(const ClusterMap& map);

/// The positions that the bytes of a digest give; empty where they are no function of bytes.
std::vector<Token> point_positions(const ClusterMap& map, const PointHash& hash, std::string_view bytes);

/// The bytes of the digest that puts a node at this position; nullopt: none of its first 8192 does.
std::optional<std::string> point_bytes_at(const ClusterMap& map, NodeIndex node, Token token);

}  // namespace arcwise
