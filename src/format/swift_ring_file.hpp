// A ring file of Swift as it stands in the file.
//
// Layer: format.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arcwise/format.hpp"

namespace arcwise {

struct SwiftDevice {
  std::uint64_t id = 0, region = 1, zone = 0, port = 0;
  std::string ip, device;
  double weight = 0;
};

struct SwiftRing {
  std::string file;
  std::vector<std::optional<SwiftDevice>> devices;  ///< by their ids; removed ones are nothing
  unsigned part_power = 0;
  bool growing = false;                           ///< next_part_power is set
  std::vector<std::vector<std::uint16_t>> rows;   ///< one a replica; the last may be shorter
  static constexpr std::uint16_t nobody = 65535;  ///< in a row: no device yet
};

Result<SwiftRing> read_swift_ring(const Source& source);

}  // namespace arcwise
