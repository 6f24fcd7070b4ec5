// The formats that Arcwise reads, one row each: how a text is told to be of it, and who reads it.
//
// Layer: format. A new format is its own pair of files and one row in importers.cpp.
#pragma once

#include <span>
#include <string_view>

#include "arcwise/format.hpp"

namespace arcwise {

/// Files of one family, with the format that each is of, and what the user asks of them.
struct Inputs {
  std::span<const Source> sources;  ///< at least one
  std::span<const std::string_view> formats;
  const LoadOptions& options;
};

struct Importer {
  FormatInfo info;
  /// The texts of one family may stand beside each other: several outputs of one cluster. Empty: a file of
  /// this format stands alone.
  std::string_view family = {};
  bool has_pools = false;  ///< one file may hold several clusters; --pool chooses
  /// What no other format has, from the surest sign down; each may be null. `line` sees each trimmed line.
  bool (*line)(std::string_view line) = nullptr;
  bool (*text)(std::string_view text) = nullptr;   ///< the first 64 KiB
  bool (*guess)(std::string_view text) = nullptr;  ///< asked when nothing else is known to look like this
  Result<Cluster> (*read)(const Inputs& inputs) = nullptr;
};

std::span<const Importer> importers();
const Importer* find_importer(std::string_view format);

}  // namespace arcwise
