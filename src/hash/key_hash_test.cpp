#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "arcwise/hash.hpp"
#include "hash/crc.hpp"
#include "hash/fnv.hpp"
#include "hash/murmur3.hpp"
#include "hash/spooky.hpp"
#include "hash/xxh.hpp"

namespace arcwise {
namespace {

static_assert(noexcept(key_hash(KeyHashId::xxh3, {})) && noexcept(info(KeyHashId::xxh3)) &&
              noexcept(find_key_hash({})) && noexcept(key_hashes()));

constexpr std::size_t longest = 300;

std::string golden_buffer() {
  std::string buffer;
  for (std::size_t i = 0; i < longest; ++i) buffer.push_back(static_cast<char>((i * 131 + 17) & 255));
  return buffer;
}

/// As many digits as the bits fill: four for 15 bits.
std::string hex(u128 value, unsigned bits) {
  return to_hex(TokenSpace::unsigned_bits(static_cast<std::uint8_t>((bits + 3) / 4 * 4)), {value});
}

constexpr ByteSign signs[] = {ByteSign::as_signed, ByteSign::as_unsigned};

/// Golden values by hash and length, as text.
std::map<std::string, std::map<std::size_t, std::string>> golden() {
  std::ifstream file(ARCWISE_TESTDATA "/hash/golden.txt");
  std::map<std::string, std::map<std::size_t, std::string>> values;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string name, value;
    std::size_t length = 0;
    fields >> name >> length >> value;
    values[name][length] = value;
  }
  return values;
}

nlohmann::json vectors(const std::string& file) {
  std::ifstream in(ARCWISE_TESTDATA "/hash/" + file);
  return nlohmann::json::parse(in).at("vectors");
}

std::string from_hex_bytes(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

TEST(KeyHash, every_hash_gives_the_golden_value_at_every_length_up_to_300) {
  const std::string buffer = golden_buffer();
  const auto values = golden();
  for (const KeyHashInfo& hash : key_hashes())
    for (const ByteSign sign : signs) {
      const auto unsigned_values = values.find(std::string(hash.name) + ".unsigned");
      const bool own_values = sign == ByteSign::as_unsigned && unsigned_values != values.end();
      const auto& expected = own_values ? unsigned_values->second : values.at(std::string(hash.name));
      ASSERT_EQ(expected.size(), longest + 1) << hash.name;
      for (const auto& [length, value] : expected)
        EXPECT_EQ(hex(wide_key_hash(hash.id, std::string_view(buffer).substr(0, length), sign), hash.bits),
                  value)
            << hash.name << " of " << length << " bytes" << (own_values ? ", unsigned" : "");
    }
}

TEST(KeyHash, hashes_that_are_no_key_hash_give_the_golden_values_too) {
  const std::string buffer = golden_buffer();
  const auto values = golden();
  for (std::size_t length = 0; length <= longest; ++length) {
    const std::string_view bytes = std::string_view(buffer).substr(0, length);
    EXPECT_EQ(hex(spooky_v2_32(bytes, 0xface2014), 32), values.at("spooky_v2_32").at(length)) << length;
    EXPECT_EQ(hex(xxh32(bytes, 7), 32), values.at("xxh32_seed_7").at(length)) << length;
  }
}

TEST(KeyHash, the_byte_sign_matters_to_the_marked_hashes_only) {
  std::set<std::string_view> affected;
  const std::string key = "\xc3\xa9\xe9";  // three bytes: hsieh looks at the sign of a third byte only
  for (const KeyHashInfo& hash : key_hashes())
    if (key_hash(hash.id, key, ByteSign::as_signed) != key_hash(hash.id, key, ByteSign::as_unsigned))
      affected.insert(hash.name);
  EXPECT_EQ(affected, (std::set<std::string_view>{"one_at_a_time", "fnv1_32", "fnv1a_32", "fnv1_64_low32",
                                                  "fnv1a_64_low32", "hsieh"}));
}

TEST(KeyHash, value_does_not_depend_on_where_the_bytes_lie) {
  const std::string buffer = golden_buffer();
  for (std::size_t offset = 0; offset < 17; ++offset) {
    const std::string moved = std::string(offset, '\x5a') + buffer;
    for (const KeyHashInfo& hash : key_hashes())
      for (std::size_t length = 0; length <= longest; ++length)
        ASSERT_EQ(key_hash(hash.id, std::string_view(moved).substr(offset, length)),
                  key_hash(hash.id, std::string_view(buffer).substr(0, length)))
            << hash.name << " of " << length << " bytes at offset " << offset;
  }
}

TEST(KeyHash, an_empty_view_without_storage_is_the_empty_key) {
  for (const KeyHashInfo& hash : key_hashes())
    EXPECT_EQ(key_hash(hash.id, std::string_view{}), key_hash(hash.id, "")) << hash.name;
}

TEST(KeyHash, the_table_lists_every_hash_once_in_enum_order_with_its_width) {
  std::set<std::string_view> names;
  std::uint8_t number = 0;
  for (const KeyHashInfo& hash : key_hashes()) {
    EXPECT_EQ(static_cast<std::uint8_t>(hash.id), number++);
    EXPECT_EQ(&info(hash.id), &hash);
    EXPECT_EQ(find_key_hash(hash.name), hash.id);
    EXPECT_EQ(hash.open, hash.id <= KeyHashId::fnv1a_64) << hash.name;
    names.insert(hash.name);
  }
  EXPECT_EQ(names.size(), key_hashes().size());
  EXPECT_EQ(number, 50);
  EXPECT_EQ(info(KeyHashId::crc32).bits, 32);
  EXPECT_EQ(info(KeyHashId::crc16).bits, 16);
  EXPECT_EQ(info(KeyHashId::md5_ketama).bits, 32);
  EXPECT_EQ(info(KeyHashId::crc32_15bit).bits, 15);
  EXPECT_EQ(info(KeyHashId::kafka_murmur2).bits, 31);
}

TEST(KeyHash, an_unknown_name_is_not_found) {
  for (const char* name : {"", "XXH3", "xxh", "xxh3 ", "murmur3", "sha512"})
    EXPECT_EQ(find_key_hash(name), std::nullopt) << name;
}

TEST(KeyHash, published_check_values_hold) {
  EXPECT_EQ(crc16("123456789"), 0x31c3);
  EXPECT_EQ(crc16("123456789") % 16384, 12739);
  EXPECT_EQ(crc32("123456789"), 0xcbf43926U);
  EXPECT_EQ(fnv1a_64(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a_64("foobar"), 0x85944171f73967e8U);
  EXPECT_EQ(murmur3_x64_128("The quick brown fox jumps over the lazy dog"),
            (std::array<std::uint64_t, 2>{0xe34bbc7bbc071b6c, 0x7a433ca9c49a9347}));
}

TEST(Murmur3, both_words_give_the_golden_values_with_either_tail) {
  const std::string buffer = golden_buffer();
  const auto values = golden();
  const auto words = [](std::array<std::uint64_t, 2> w) { return hex(w[0], 64) + hex(w[1], 64); };
  for (std::size_t length = 0; length <= longest; ++length) {
    const std::string_view bytes = std::string_view(buffer).substr(0, length);
    EXPECT_EQ(words(murmur3_x64_128(bytes)), values.at("murmur3_words").at(length)) << length;
    EXPECT_EQ(words(murmur3_x64_128_signed_tail(bytes)), values.at("murmur3_signed_tail_words").at(length))
        << length;
  }
}

TEST(Murmur3, tokens_are_those_of_cassandra_itself) {
  const TokenSpace space = TokenSpace::signed_64();
  std::size_t unlike_the_standard = 0;
  const auto cases = vectors("cassandra-murmur3-token.json");
  ASSERT_EQ(cases.size(), 95U);
  for (const auto& v : cases) {
    const std::string key = from_hex_bytes(v.at("key_hex"));
    const auto as_signed = [](std::uint64_t word) { return std::to_string(static_cast<std::int64_t>(word)); };
    EXPECT_EQ(to_text(space, {murmur3_cassandra(key)}), v.at("cassandra_token").get<std::string>()) << v;
    EXPECT_EQ(as_signed(murmur3_x64_128_signed_tail(key)[0]), v.at("h1").get<std::string>()) << v;
    EXPECT_EQ(as_signed(murmur3_x64_128_signed_tail(key)[1]), v.at("h2").get<std::string>()) << v;
    EXPECT_EQ(as_signed(murmur3_x64_128(key)[0]), v.at("standard_murmur3_h1").get<std::string>()) << v;
    unlike_the_standard += v.at("h1") != v.at("standard_murmur3_h1") ? 1 : 0;
  }
  EXPECT_EQ(unlike_the_standard, 50U) << "the vectors no longer tell the two kinds of tail apart";
}

TEST(Murmur3, an_empty_key_has_cassandras_minimum_token_and_a_hash_of_the_minimum_the_maximum) {
  EXPECT_EQ(murmur3_cassandra(""), 0U);
  // Found by running the hash backwards from h1 = -2^63, h2 = 0.
  const std::string key = from_hex_bytes("653cbefb85ec3111b4e38fa9bc7cbcae");
  EXPECT_EQ(murmur3_x64_128_signed_tail(key), (std::array<std::uint64_t, 2>{std::uint64_t{1} << 63, 0}));
  EXPECT_EQ(to_text(TokenSpace::signed_64(), {murmur3_cassandra(key)}), "9223372036854775807");
}

TEST(Crc16, slots_are_those_of_redis_itself) {
  std::size_t untagged = 0;
  for (const auto& v : vectors("redis-keyslot.json")) {
    const std::string key = from_hex_bytes(v.at("key_hex"));
    if (key.find('{') != std::string::npos) continue;
    ++untagged;
    EXPECT_EQ(crc16(key) % 16384, v.at("slot").get<int>()) << v;
  }
  EXPECT_GT(untagged, 10U);
}

}  // namespace
}  // namespace arcwise
