// Key hashes: bytes to integers, the same on every machine, for ever.
//
// Layer: hash. Pure, noexcept, no allocation; thread-safe. A hash's values never change once released.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "arcwise/token.hpp"

namespace arcwise {

/// What turns a routing key's bytes into a key hash. The first nine may be named in a map (`placement.hash`);
/// the others belong to recipes that copy a system.
enum class KeyHashId : std::uint8_t {
  xxh3,             ///< XXH3 64-bit, seed 0
  xxh64,            ///< xxHash64, seed 0
  murmur3_x64_128,  ///< MurmurHash3 x64 128-bit, seed 0: its first 64-bit word
  md5,   ///< first 8 bytes of the digest, most significant first: the first 16 hex digits that md5sum prints
  sha1,  ///< as md5: the first 16 hex digits that sha1sum prints
  sha256,            ///< as md5: the first 16 hex digits that sha256sum prints
  crc32,             ///< CRC-32 as in zlib, 32 bits
  crc16,             ///< CRC-16/XMODEM (polynomial 0x1021, initial value 0), 16 bits
  fnv1a_64,          ///< 64-bit FNV-1a
  md5_ketama,        ///< libketama and kin: the digest's first 4 bytes, least significant first, 32 bits
  murmur3_cassandra  ///< Murmur3Partitioner: sign-extended tail bytes; in ring order (top bit flipped); empty
                     ///< key = 0
};

struct KeyHashInfo {
  KeyHashId id;
  std::string_view name;  ///< as written in a map and in the fingerprint
  std::uint8_t bits;      ///< values are 0…2^bits - 1, all reachable
  bool open;              ///< may be chosen by `placement.hash`
};

/// Every key hash, in enum order.
std::span<const KeyHashInfo> key_hashes() noexcept;
const KeyHashInfo& info(KeyHashId id) noexcept;
std::optional<KeyHashId> find_key_hash(std::string_view name) noexcept;

/// The hash of `bytes`, in 0…2^info(id).bits - 1. Cost: one pass over the bytes.
std::uint64_t key_hash(KeyHashId id, std::string_view bytes) noexcept;

}  // namespace arcwise
