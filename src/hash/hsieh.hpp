// Paul Hsieh's SuperFastHash, as twemproxy and libmemcached have it.
#pragma once

#include <cstdint>
#include <string_view>

#include "arcwise/hash.hpp"

namespace arcwise {

/// Start 0. The sign matters for one byte only: the last of a key whose length is 3 modulo 4.
std::uint32_t hsieh(std::string_view bytes, ByteSign sign) noexcept;

}  // namespace arcwise
