#include <cstddef>

#include "arcwise/hash.hpp"
#include "hash/bytes.hpp"
#include "hash/ceph.hpp"
#include "hash/crc.hpp"
#include "hash/fnv.hpp"
#include "hash/haproxy.hpp"
#include "hash/hsieh.hpp"
#include "hash/java.hpp"
#include "hash/jenkins.hpp"
#include "hash/md5.hpp"
#include "hash/murmur2.hpp"
#include "hash/murmur3.hpp"
#include "hash/sha1.hpp"
#include "hash/sha256.hpp"
#include "hash/xxh.hpp"

namespace arcwise {
namespace {

constexpr std::array<KeyHashInfo, 50> table = {{
    {KeyHashId::xxh3, "xxh3", 64, true},
    {KeyHashId::xxh64, "xxh64", 64, true},
    {KeyHashId::murmur3_x64_128, "murmur3_x64_128", 64, true},
    {KeyHashId::md5, "md5", 64, true},
    {KeyHashId::sha1, "sha1", 64, true},
    {KeyHashId::sha256, "sha256", 64, true},
    {KeyHashId::crc32, "crc32", 32, true},
    {KeyHashId::crc16, "crc16", 16, true},
    {KeyHashId::fnv1a_64, "fnv1a_64", 64, true},
    {KeyHashId::md5_ketama, "md5_ketama", 32, false},
    {KeyHashId::murmur3_cassandra, "murmur3_cassandra", 64, false},
    {KeyHashId::one_at_a_time, "one_at_a_time", 32, false},
    {KeyHashId::crc32_15bit, "crc32_15bit", 15, false},
    {KeyHashId::crc16_32, "crc16_32", 32, false},
    {KeyHashId::fnv1_32, "fnv1_32", 32, false},
    {KeyHashId::fnv1a_32, "fnv1a_32", 32, false},
    {KeyHashId::fnv1_64_low32, "fnv1_64_low32", 32, false},
    {KeyHashId::fnv1a_64_low32, "fnv1a_64_low32", 32, false},
    {KeyHashId::jenkins, "jenkins", 32, false},
    {KeyHashId::murmur2_seed_len, "murmur2_seed_len", 32, false},
    {KeyHashId::murmur3_seed_len, "murmur3_seed_len", 32, false},
    {KeyHashId::hsieh, "hsieh", 32, false},
    {KeyHashId::sdbm, "sdbm", 32, false},
    {KeyHashId::sdbm_avalanche, "sdbm_avalanche", 32, false},
    {KeyHashId::djb2, "djb2", 32, false},
    {KeyHashId::djb2_avalanche, "djb2_avalanche", 32, false},
    {KeyHashId::wt6, "wt6", 32, false},
    {KeyHashId::wt6_avalanche, "wt6_avalanche", 32, false},
    {KeyHashId::crc32_avalanche, "crc32_avalanche", 32, false},
    {KeyHashId::decimal32, "decimal32", 32, false},
    {KeyHashId::decimal32_avalanche, "decimal32_avalanche", 32, false},
    {KeyHashId::murmur2_64_envoy, "murmur2_64_envoy", 64, false},
    {KeyHashId::kafka_murmur2, "kafka_murmur2", 31, false},
    {KeyHashId::java_string_hash, "java_string_hash", 32, false},
    {KeyHashId::fnv1_32_utf16, "fnv1_32_utf16", 32, false},
    {KeyHashId::fnv1a_32_utf16, "fnv1a_32_utf16", 32, false},
    {KeyHashId::fnv1_64_utf16, "fnv1_64_utf16", 32, false},
    {KeyHashId::fnv1a_64_utf16, "fnv1a_64_utf16", 32, false},
    {KeyHashId::pymemcache_murmur3, "pymemcache_murmur3", 32, false},
    {KeyHashId::elasticsearch_murmur3, "elasticsearch_murmur3", 32, false},
    {KeyHashId::sha1_be32, "sha1_be32", 32, false},
    {KeyHashId::crc32_first256, "crc32_first256", 32, false},
    {KeyHashId::crc32_15bit_nonzero, "crc32_15bit_nonzero", 15, false},
    {KeyHashId::crc32_31bit, "crc32_31bit", 31, false},
    {KeyHashId::ceph_rjenkins, "ceph_rjenkins", 32, false},
    {KeyHashId::sha1_le32, "sha1_le32", 32, false},
    {KeyHashId::md5_128, "md5_128", 128, false},
    {KeyHashId::murmur2_64_furc, "murmur2_64_furc", 64, false},
    {KeyHashId::murmur2_64_rendezvous, "murmur2_64_rendezvous", 64, false},
    {KeyHashId::citus_text, "citus_text", 32, false},
}};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].id) != i) return false;
  return true;
}
static_assert(in_enum_order(), "info() finds a row by its number");

u128 md5_128(std::string_view input) noexcept {
  const auto digest = md5(input);
  return u128{bytes::load_be64(digest.data())} << 64 | bytes::load_be64(digest.data() + 8);
}

constexpr std::uint32_t without_top_bit = 0x7fffffff;
constexpr std::uint32_t top_bit = 0x80000000;

// Every hash is in exactly one of the four functions below; each hands what it does not know to the next.

std::uint64_t client_hash(KeyHashId id, std::string_view input) noexcept {
  switch (id) {
    case KeyHashId::murmur2_64_envoy:
      return murmur2_64a(input, 0xc70f6907);
    case KeyHashId::murmur2_64_furc:
      return murmur2_64a(input, furc_seed);
    case KeyHashId::murmur2_64_rendezvous:
      return murmur2_64a(input, rendezvous_seed);
    case KeyHashId::kafka_murmur2:
      return murmur2_32(input, 0x9747b28c) & without_top_bit;
    case KeyHashId::java_string_hash:
      return java_string_hash(input);
    case KeyHashId::fnv1_32_utf16:
      return fnv1_32_utf16(input);
    case KeyHashId::fnv1a_32_utf16:
      return fnv1a_32_utf16(input);
    case KeyHashId::fnv1_64_utf16:
      return fnv1_64_utf16(input);
    case KeyHashId::fnv1a_64_utf16:
      return fnv1a_64_utf16(input);
    case KeyHashId::pymemcache_murmur3:
      return murmur3_32_code_points(input);
    case KeyHashId::elasticsearch_murmur3:
      return murmur3_32_utf16le(input);
    case KeyHashId::sha1_be32:
      return bytes::load_be32(sha1(input).data());
    case KeyHashId::sha1_le32:
      return bytes::load_le32(sha1(input).data());
    case KeyHashId::md5_128:
      return static_cast<std::uint64_t>(md5_128(input));
    case KeyHashId::crc32_first256:
      return crc32(input.substr(0, 256));
    case KeyHashId::crc32_15bit_nonzero: {
      const std::uint16_t hash = crc32_15bit(input);
      return hash == 0 ? 1 : hash;
    }
    case KeyHashId::crc32_31bit:
      return crc32(input) & without_top_bit;
    case KeyHashId::ceph_rjenkins:
      return ceph_rjenkins(input);
    case KeyHashId::citus_text:
      return postgres_bytes(input) ^ top_bit;
    default:
      __builtin_unreachable();  // a KeyHashId comes from the enumeration or from find_key_hash
  }
}

std::uint64_t haproxy_hash(KeyHashId id, std::string_view input) noexcept {
  switch (id) {
    case KeyHashId::sdbm:
      return sdbm(input);
    case KeyHashId::sdbm_avalanche:
      return full_hash(sdbm(input));
    case KeyHashId::djb2:
      return djb2(input);
    case KeyHashId::djb2_avalanche:
      return full_hash(djb2(input));
    case KeyHashId::wt6:
      return wt6(input);
    case KeyHashId::wt6_avalanche:
      return full_hash(wt6(input));
    case KeyHashId::crc32_avalanche:
      return full_hash(crc32(input));
    case KeyHashId::decimal32:
      return decimal32(input);
    case KeyHashId::decimal32_avalanche:
      return full_hash(decimal32(input));
    default:
      return client_hash(id, input);
  }
}

std::uint64_t memcached_hash(KeyHashId id, std::string_view input, ByteSign sign) noexcept {
  switch (id) {
    case KeyHashId::one_at_a_time:
      return one_at_a_time(input, sign);
    case KeyHashId::crc32_15bit:
      return crc32_15bit(input);
    case KeyHashId::crc16_32:
      return crc16_32(input);
    case KeyHashId::fnv1_32:
      return fnv1_32(input, sign);
    case KeyHashId::fnv1a_32:
      return fnv1a_32(input, sign);
    case KeyHashId::fnv1_64_low32:
      return fnv1_64_low32(input, sign);
    case KeyHashId::fnv1a_64_low32:
      return fnv1a_64_low32(input, sign);
    case KeyHashId::jenkins:
      return lookup3(input, 13);
    case KeyHashId::murmur2_seed_len:
      return murmur2_32(input, murmur_memcached_seed(input));
    case KeyHashId::murmur3_seed_len:
      return murmur3_32(input, murmur_memcached_seed(input));
    case KeyHashId::hsieh:
      return hsieh(input, sign);
    default:
      return haproxy_hash(id, input);
  }
}

}  // namespace

std::span<const KeyHashInfo> key_hashes() noexcept {
  return table;
}

const KeyHashInfo& info(KeyHashId id) noexcept {
  return table[static_cast<std::size_t>(id)];
}

std::optional<KeyHashId> find_key_hash(std::string_view name) noexcept {
  for (const KeyHashInfo& row : table)
    if (row.name == name) return row.id;
  return std::nullopt;
}

std::uint64_t key_hash(KeyHashId id, std::string_view input, ByteSign sign) noexcept {
  switch (id) {
    case KeyHashId::xxh3:
      return xxh3_64(input);
    case KeyHashId::xxh64:
      return xxh64(input);
    case KeyHashId::murmur3_x64_128:
      return murmur3_x64_128(input)[0];
    case KeyHashId::md5:
      return bytes::load_be64(md5(input).data());
    case KeyHashId::sha1:
      return bytes::load_be64(sha1(input).data());
    case KeyHashId::sha256:
      return bytes::load_be64(sha256(input).data());
    case KeyHashId::crc32:
      return crc32(input);
    case KeyHashId::crc16:
      return crc16(input);
    case KeyHashId::fnv1a_64:
      return fnv1a_64(input);
    case KeyHashId::md5_ketama:
      return bytes::load_le32(md5(input).data());
    case KeyHashId::murmur3_cassandra:
      return murmur3_cassandra(input);
    default:
      return memcached_hash(id, input, sign);
  }
}

u128 wide_key_hash(KeyHashId id, std::string_view input, ByteSign sign) noexcept {
  return id == KeyHashId::md5_128 ? md5_128(input) : key_hash(id, input, sign);
}

}  // namespace arcwise
