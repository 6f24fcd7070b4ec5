// Where keys are, as JSON: written key by key, for answers too long to build as one value.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

class LocateJson {
 public:
  explicit LocateJson(const Placement& placement);
  void begin(std::string& out) const;
  void add(std::string& out, std::string_view key, KeyHash hash, std::span<const NodeIndex> owners);
  void end(std::string& out) const;

 private:
  const Placement& placement_;
  std::vector<std::string> names_;  ///< as JSON strings
  bool first_ = true;
};

/// Two digits a byte.
std::string hex_digits(std::string_view bytes);

/// The whole answer for a few keys without a mask.
std::string locate_json(const Placement& placement, std::span<const std::string> keys);

}  // namespace arcwise
