#include "hash/key_hash_function.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "hash/bytes.hpp"
#include "hash/ceph.hpp"
#include "hash/crc.hpp"
#include "hash/digest_positions.hpp"
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
#include "hash/xxh_inline.hpp"

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

using Key = std::string_view;

constexpr std::uint32_t without_top_bit = 0x7fffffff;
constexpr std::uint32_t top_bit = 0x80000000;

/// Two words of an MD5 digest as one number, most significant byte first.
std::uint64_t big_endian(std::array<std::uint32_t, 2> words) noexcept {
  return std::uint64_t{bytes::swapped(words[0])} << 32 | bytes::swapped(words[1]);
}

std::uint64_t md5_begin(Key key) noexcept {
  const auto words = md5_words(key);
  return big_endian({words[0], words[1]});
}

/// Calls `take(digests, at, i)` for each input, number at + i and i-th of those in `digests`.
template <class Take>
void in_lanes(std::span<const Key> inputs, Take take) noexcept {
  Md5Batch digests;
  for (std::size_t at = 0; at < inputs.size(); at += Md5Batch::most) {
    const auto part = inputs.subspan(at, std::min(Md5Batch::most, inputs.size() - at));
    md5_batch(part, digests);
    for (std::size_t i = 0; i < part.size(); ++i) take(digests, at, i);
  }
}

struct Row {
  KeyHashId id;
  KeyHashFunction function;
};

/// The function, a lambda without captures, may leave the sign out.
template <class Function>
constexpr Row row(KeyHashId id, Function) noexcept {
  return {id, [](Key key, [[maybe_unused]] ByteSign sign) noexcept -> std::uint64_t {
            if constexpr (requires { Function{}(key, sign); })
              return Function{}(key, sign);
            else
              return Function{}(key);
          }};
}

constexpr std::array<Row, table.size()> functions = {{
    row(KeyHashId::xxh3, [](Key key) { return xxh3_64(key); }),
    row(KeyHashId::xxh64, [](Key key) { return xxh64(key); }),
    row(KeyHashId::murmur3_x64_128, [](Key key) { return murmur3_x64_128(key)[0]; }),
    row(KeyHashId::md5, [](Key key) { return md5_begin(key); }),
    row(KeyHashId::sha1, [](Key key) { return bytes::load_be64(sha1(key).data()); }),
    row(KeyHashId::sha256, [](Key key) { return bytes::load_be64(sha256(key).data()); }),
    row(KeyHashId::crc32, [](Key key) { return crc32(key); }),
    row(KeyHashId::crc16, [](Key key) { return crc16(key); }),
    row(KeyHashId::fnv1a_64, [](Key key) { return fnv1a_64(key); }),
    row(KeyHashId::md5_ketama, [](Key key) { return md5_words(key)[0]; }),
    row(KeyHashId::murmur3_cassandra, [](Key key) { return murmur3_cassandra(key); }),
    row(KeyHashId::one_at_a_time, [](Key key, ByteSign sign) { return one_at_a_time(key, sign); }),
    row(KeyHashId::crc32_15bit, [](Key key) { return crc32_15bit(key); }),
    row(KeyHashId::crc16_32, [](Key key) { return crc16_32(key); }),
    row(KeyHashId::fnv1_32, [](Key key, ByteSign sign) { return fnv1_32(key, sign); }),
    row(KeyHashId::fnv1a_32, [](Key key, ByteSign sign) { return fnv1a_32(key, sign); }),
    row(KeyHashId::fnv1_64_low32, [](Key key, ByteSign sign) { return fnv1_64_low32(key, sign); }),
    row(KeyHashId::fnv1a_64_low32, [](Key key, ByteSign sign) { return fnv1a_64_low32(key, sign); }),
    row(KeyHashId::jenkins, [](Key key) { return lookup3(key, 13); }),
    row(KeyHashId::murmur2_seed_len, [](Key key) { return murmur2_32(key, murmur_memcached_seed(key)); }),
    row(KeyHashId::murmur3_seed_len, [](Key key) { return murmur3_32(key, murmur_memcached_seed(key)); }),
    row(KeyHashId::hsieh, [](Key key, ByteSign sign) { return hsieh(key, sign); }),
    row(KeyHashId::sdbm, [](Key key) { return sdbm(key); }),
    row(KeyHashId::sdbm_avalanche, [](Key key) { return full_hash(sdbm(key)); }),
    row(KeyHashId::djb2, [](Key key) { return djb2(key); }),
    row(KeyHashId::djb2_avalanche, [](Key key) { return full_hash(djb2(key)); }),
    row(KeyHashId::wt6, [](Key key) { return wt6(key); }),
    row(KeyHashId::wt6_avalanche, [](Key key) { return full_hash(wt6(key)); }),
    row(KeyHashId::crc32_avalanche, [](Key key) { return full_hash(crc32(key)); }),
    row(KeyHashId::decimal32, [](Key key) { return decimal32(key); }),
    row(KeyHashId::decimal32_avalanche, [](Key key) { return full_hash(decimal32(key)); }),
    row(KeyHashId::murmur2_64_envoy, [](Key key) { return murmur2_64a(key, 0xc70f6907); }),
    row(KeyHashId::kafka_murmur2, [](Key key) { return murmur2_32(key, 0x9747b28c) & without_top_bit; }),
    row(KeyHashId::java_string_hash, [](Key key) { return java_string_hash(key); }),
    row(KeyHashId::fnv1_32_utf16, [](Key key) { return fnv1_32_utf16(key); }),
    row(KeyHashId::fnv1a_32_utf16, [](Key key) { return fnv1a_32_utf16(key); }),
    row(KeyHashId::fnv1_64_utf16, [](Key key) { return fnv1_64_utf16(key); }),
    row(KeyHashId::fnv1a_64_utf16, [](Key key) { return fnv1a_64_utf16(key); }),
    row(KeyHashId::pymemcache_murmur3, [](Key key) { return murmur3_32_code_points(key); }),
    row(KeyHashId::elasticsearch_murmur3, [](Key key) { return murmur3_32_utf16le(key); }),
    row(KeyHashId::sha1_be32, [](Key key) { return bytes::load_be32(sha1(key).data()); }),
    row(KeyHashId::crc32_first256, [](Key key) { return crc32(key.substr(0, 256)); }),
    row(KeyHashId::crc32_15bit_nonzero, [](Key key) { return std::max<std::uint64_t>(crc32_15bit(key), 1); }),
    row(KeyHashId::crc32_31bit, [](Key key) { return crc32(key) & without_top_bit; }),
    row(KeyHashId::ceph_rjenkins, [](Key key) { return ceph_rjenkins(key); }),
    row(KeyHashId::sha1_le32, [](Key key) { return bytes::load_le32(sha1(key).data()); }),
    row(KeyHashId::md5_128, [](Key key) { return static_cast<std::uint64_t>(md5_u128(key)); }),
    row(KeyHashId::murmur2_64_furc, [](Key key) { return murmur2_64a(key, furc_seed); }),
    row(KeyHashId::murmur2_64_rendezvous, [](Key key) { return murmur2_64a(key, rendezvous_seed); }),
    row(KeyHashId::citus_text, [](Key key) { return postgres_bytes(key) ^ top_bit; }),
}};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].id) != i || functions[i].id != table[i].id) return false;
  return true;
}
static_assert(in_enum_order(), "a hash is found by its number");

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

KeyHashFunction key_hash_function(KeyHashId id) noexcept {
  return functions[static_cast<std::size_t>(id)].function;
}

std::uint64_t key_hash(KeyHashId id, std::string_view input, ByteSign sign) noexcept {
  return key_hash_function(id)(input, sign);
}

u128 wide_key_hash(KeyHashId id, std::string_view input, ByteSign sign) noexcept {
  return id == KeyHashId::md5_128 ? md5_u128(input) : key_hash(id, input, sign);
}

void key_hash_each(KeyHashId id, std::span<const std::string_view> inputs, ByteSign sign,
                   std::span<std::uint64_t> out) noexcept {
  switch (id) {
    case KeyHashId::xxh3:
      for (std::size_t i = 0; i < inputs.size(); ++i)
        out[i] = XXH3_64bits(inputs[i].data(), inputs[i].size());
      return;
    case KeyHashId::md5_ketama:
      return in_lanes(inputs, [&](const Md5Batch& digest, std::size_t at, std::size_t i) noexcept {
        out[at + i] = digest.word[0][i];
      });
    case KeyHashId::md5:
      return in_lanes(inputs, [&](const Md5Batch& digest, std::size_t at, std::size_t i) noexcept {
        out[at + i] = big_endian({digest.word[0][i], digest.word[1][i]});
      });
    case KeyHashId::md5_128:
      return in_lanes(inputs, [&](const Md5Batch& digest, std::size_t at, std::size_t i) noexcept {
        out[at + i] = big_endian({digest.word[2][i], digest.word[3][i]});
      });
    default:
      for (std::size_t i = 0; i < inputs.size(); ++i) out[i] = key_hash(id, inputs[i], sign);
  }
}

}  // namespace arcwise
