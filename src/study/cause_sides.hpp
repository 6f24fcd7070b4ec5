// Inside the study layer: two maps side by side, as their causes are looked for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arcwise/cause.hpp"
#include "place/scheme.hpp"

namespace arcwise {

/// A server that both maps hold. By name; where not one name is in both, by address.
struct Common {
  NodeIndex before, after;
};

struct Sides {
  Sides(const Placement& before, const Placement& after);

  const Placement& before;
  const Placement& after;
  const ClusterMap& a;
  const ClusterMap& b;
  const Scheme& scheme_a;
  const Scheme& scheme_b;
  std::vector<Common> common;  ///< in the order of `before`; only nodes that own something
  bool same_members = true;    ///< nobody owns anything in one map only
  bool by_address = false;     ///< common servers have other names in the two maps
};

/// What a method makes of a list of servers, without what it hashes for each: two equal ones place alike as
/// soon as identities, order, key hash and lookup are alike.
struct Layout {
  std::string_view finds, pattern, hash;
  std::size_t words = 1;
  u128 last = 0;                           ///< of the token space
  std::vector<std::uint64_t> counts;       ///< points by server
  std::vector<std::uint32_t> turns;        ///< of servers that are places: who comes when
  std::vector<std::vector<Token>> tokens;  ///< where they are given
  std::vector<std::string> rows;           ///< where owners are listed
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The layout that one map's method gives to the common servers, in the order of `before`.
/// `level`: as if every weight were 1. `hash`: as if this were the key hash.
Layout layout(const Sides& sides, bool second, bool level, KeyHashId hash);
/// The key hash of one of the two with which their layouts are equal, so that only weights or hashes differ;
/// nullopt: neither. Rings whose points are made by the key hash differ in points by the hash alone.
std::optional<KeyHashId> uniting_hash(const Sides& sides);

/// "160 points a server on a ring of 32 bits: MD5 of ID-i, 4 points each".
std::string describe(const Layout& layout);

/// Weights of the common servers, in the order of `before`.
std::vector<double> weights(const Sides& sides, bool second);

/// Fills in what remains of the difference after each cause, where a map can show it.
void measure_effects(const Sides& sides, std::span<Cause> causes, std::uint64_t keys);

/// Another recipe of the same software that makes one side agree with the other altogether; tried with so
/// many keys where regions cannot be listed. Empty: there is none.
std::string sibling_advice(const Sides& sides, std::uint64_t keys);

/// What to do so that the two agree in a cause of this kind.
std::string advice_for(const Sides& sides, const Cause& cause);

}  // namespace arcwise
