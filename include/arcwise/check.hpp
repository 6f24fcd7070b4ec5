// Check, explain, fingerprint: is a map right, why does a key live there, do two parties agree.
//
// Layer: study.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arcwise/keys.hpp"
#include "arcwise/placement.hpp"

namespace arcwise {

/// What a node was declared to be able to hold. Only ratios count.
struct DeclaredCapacity {
  std::string node;  ///< its name, or an address that one node only has
  double capacity = 0;
};

struct CheckOptions {
  std::optional<std::uint32_t>
      replicas;  ///< every range must have this many distinct owners (default: the map's count)
  std::optional<Across> across;  ///< …distinct at this level too (default: the map's)
  /// The replica count that tokens were allocated for, where that is known
  /// (allocate_tokens_for_local_replication_factor).
  std::optional<std::uint32_t> allocated_for = std::nullopt;
  const KeySpread* keys = nullptr;  ///< the spread that given keys get
  const std::vector<DeclaredCapacity>* capacities = nullptr;
  double capacity_over = 1.25;  ///< a node that holds more than this many times its part is an error
};
/// Every finding, errors first, then by rule, in ring or list order. Includes observed.findings. ok: no error
/// among them.
struct CheckReport {
  bool ok = true;
  std::vector<Finding> findings;
};
CheckReport check(const Placement& placement, const Observed& observed, const CheckOptions& options);

/// The rules that check() knows, for the documents: name, severity, what it means.
struct CheckRule {
  std::string_view name;
  Finding::Severity severity;
  std::string_view meaning;
};
std::span<const CheckRule> check_rules();

struct Explanation {
  std::string key, routing_key;
  KeyHash hash;
  Region region;
  struct Candidate {
    Token token;
    NodeIndex node;
    Verdict verdict;
  };
  std::vector<Candidate> candidates;  ///< in walk order, to the last owner taken
  std::vector<NodeIndex> owners;
  std::string point_bytes;  ///< hashed for the point that the first owner answers by; empty: it has no such
};
Explanation explain(const Placement& placement, std::string_view key, const NodeMask& mask);

struct Fingerprints {
  std::string fingerprint;   ///< of the whole function
  std::string token_digest;  ///< of the tokens only
  std::string membership;    ///< of names, addresses, weights, places and states
  std::optional<std::uint64_t> epoch;
};
Fingerprints fingerprints(const Placement& placement);

}  // namespace arcwise
