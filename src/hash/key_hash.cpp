#include <cstddef>

#include "arcwise/hash.hpp"
#include "hash/bytes.hpp"
#include "hash/crc.hpp"
#include "hash/fnv.hpp"
#include "hash/md5.hpp"
#include "hash/murmur3.hpp"
#include "hash/sha1.hpp"
#include "hash/sha256.hpp"
#include "hash/xxh.hpp"

namespace arcwise {
namespace {

constexpr std::array<KeyHashInfo, 11> table = {{
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
}};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].id) != i) return false;
  return true;
}
static_assert(in_enum_order(), "info() finds a row by its number");

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

std::uint64_t key_hash(KeyHashId id, std::string_view input) noexcept {
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
  }
  __builtin_unreachable();  // a KeyHashId comes from the enumeration or from find_key_hash
}

}  // namespace arcwise
