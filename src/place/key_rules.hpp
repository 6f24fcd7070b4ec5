// Key rules: from a routing key to a position, where key hash and remainder do not say it. One function a
// rule, named by the recipe's row.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "arcwise/map.hpp"

namespace arcwise {

/// Immutable; safe to share between threads; allocates nothing.
class KeyRule {
 public:
  virtual ~KeyRule() = default;
  /// Every text has a position: one that is no key of the system has that of its bytes as they stand.
  virtual u128 position(std::string_view routing_key) const noexcept = 0;
  /// false: no key of the system, such as "abc" where keys are numbers.
  virtual bool reads(std::string_view) const noexcept { return true; }
  /// The bytes that are hashed, for people to compare; where these are characters, the text.
  virtual std::string hashed(std::string_view routing_key) const { return std::string(routing_key); }
};

struct KeyRuleInfo {
  std::string_view name;
  std::string_view settings;  ///< those that positions depend on, with a space between
  std::unique_ptr<const KeyRule> (*make)(const ClusterMap& map);
};

/// nullptr: no such rule; a test holds every row of the recipe table against it.
const KeyRuleInfo* find_key_rule(std::string_view name);

}  // namespace arcwise
