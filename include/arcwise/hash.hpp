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
  sha256,             ///< as md5: the first 16 hex digits that sha256sum prints
  crc32,              ///< CRC-32 as in zlib, 32 bits
  crc16,              ///< CRC-16/XMODEM (polynomial 0x1021, initial value 0), 16 bits
  fnv1a_64,           ///< 64-bit FNV-1a
  md5_ketama,         ///< libketama and kin: the digest's first 4 bytes, least significant first, 32 bits
  murmur3_cassandra,  ///< Murmur3Partitioner: sign-extended tail bytes; in ring order (top bit flipped);
                      ///< empty key = 0

  // libmemcached and twemproxy; those marked (sign) read bytes as the platform's plain char, see ByteSign.
  one_at_a_time,     ///< (sign) Jenkins' one-at-a-time
  crc32_15bit,       ///< (crc32 >> 16) & 0x7fff, 15 bits; also nginx, Couchbase, spymemcached
  crc16_32,          ///< twemproxy `crc16`: a 32-bit register never cut to 16 bits
  fnv1_32,           ///< (sign)
  fnv1a_32,          ///< (sign)
  fnv1_64_low32,     ///< (sign) the low 32 bits of 64-bit FNV-1
  fnv1a_64_low32,    ///< (sign) the low 32 bits of 64-bit FNV-1a
  jenkins,           ///< lookup3 hashlittle, initval 13
  murmur2_seed_len,  ///< MurmurHash2, seed 0xdeadbeef * length
  murmur3_seed_len,  ///< MurmurHash3 x86 32-bit, seed 0xdeadbeef * length
  hsieh,             ///< (sign) SuperFastHash

  // HAProxy
  sdbm,
  sdbm_avalanche,
  djb2,
  djb2_avalanche,
  wt6,
  wt6_avalanche,
  crc32_avalanche,
  decimal32,  ///< `hash-type … none`: the decimal number that the key is, low 32 bits
  decimal32_avalanche,

  // others
  murmur2_64_envoy,       ///< MurmurHash64A, seed 0xc70f6907
  kafka_murmur2,          ///< MurmurHash2, seed 0x9747b28c, without its top bit: 31 bits
  java_string_hash,       ///< String.hashCode as unsigned: spymemcached and xmemcached native
  fnv1_32_utf16,          ///< spymemcached and xmemcached: over UTF-16 units
  fnv1a_32_utf16,         ///< as fnv1_32_utf16
  fnv1_64_utf16,          ///< as fnv1_32_utf16; low 32 bits
  fnv1a_64_utf16,         ///< as fnv1_32_utf16; low 32 bits
  pymemcache_murmur3,     ///< MurmurHash3 x86 32-bit over code points cut to 8 bits
  elasticsearch_murmur3,  ///< MurmurHash3 x86 32-bit over UTF-16LE
  sha1_be32,              ///< dalli: the first 8 hex digits that sha1sum prints
  crc32_first256,         ///< gomemcache: CRC-32 of the first 256 bytes
  crc32_15bit_nonzero,    ///< python-memcached: crc32_15bit, but 1 instead of 0
  crc32_31bit,            ///< mcrouter Crc32: CRC-32 without its top bit
  ceph_rjenkins,          ///< Ceph's string hash of object names
  sha1_le32,              ///< npm hashring: the SHA-1 digest's first 4 bytes, least significant first
  md5_128,                ///< uhashring: the whole digest as one number, 128 bits
  murmur2_64_furc,        ///< mcrouter Ch3: MurmurHash64A, seed 4193360111
  murmur2_64_rendezvous,  ///< mcrouter Rendezvous: MurmurHash64A, seed 2718281828
  citus_text              ///< PostgreSQL hashtext in ring order (top bit flipped), 32 bits
};

/// How a system that reads keys as plain `char` sees a byte of 0x80 and more: signed on x86, unsigned on
/// 64-bit ARM. Keys in ASCII have the same hash either way.
enum class ByteSign : std::uint8_t { as_signed, as_unsigned };

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

/// The hash of `bytes`, in 0…2^info(id).bits - 1. Cost: one pass over the bytes. `sign` matters to the hashes
/// marked (sign) only. Hashes of characters read the bytes as UTF-8; a byte that begins no well-formed
/// sequence is one character of its own value.
/// Of a hash wider than 64 bits: its low 64.
std::uint64_t key_hash(KeyHashId id, std::string_view bytes, ByteSign sign = ByteSign::as_signed) noexcept;

/// The same with all bits of hashes that have more than 64.
u128 wide_key_hash(KeyHashId id, std::string_view bytes, ByteSign sign = ByteSign::as_signed) noexcept;

}  // namespace arcwise
