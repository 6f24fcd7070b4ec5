// What Java's String gives as its hash.
#pragma once

#include <cstdint>
#include <string_view>

namespace arcwise {

/// String.hashCode of the text (h = 31 h + UTF-16 unit), read as unsigned: NATIVE_HASH of spymemcached and
/// xmemcached.
std::uint32_t java_string_hash(std::string_view text) noexcept;

}  // namespace arcwise
