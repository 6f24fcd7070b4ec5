// key_hash() for many keys: the function of a hash, and the hashes of many keys at once.
//
// Layer: hash. Pure, noexcept, no allocation; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "arcwise/hash.hpp"

namespace arcwise {

using KeyHashFunction = std::uint64_t (*)(std::string_view, ByteSign) noexcept;

/// What key_hash(id, …) calls.
KeyHashFunction key_hash_function(KeyHashId id) noexcept;

/// key_hash() of each input; MD5 in lanes. out.size() >= inputs.size().
void key_hash_each(KeyHashId id, std::span<const std::string_view> inputs, ByteSign sign,
                   std::span<std::uint64_t> out) noexcept;

}  // namespace arcwise
