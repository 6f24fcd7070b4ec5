// DES with the key of eight zero bytes, which is what Vitess hashes with.
#pragma once

#include <cstdint>

namespace arcwise {

/// Vitess' hash vindex: the keyspace id (its eight bytes, most significant first) of a row id. The key being
/// zero, so are all sixteen round keys, and the function is its own inverse.
std::uint64_t vitess_hash(std::uint64_t id) noexcept;

}  // namespace arcwise
