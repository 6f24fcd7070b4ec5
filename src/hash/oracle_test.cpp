// Our hashes against the libraries that everyone else's rings use: libxxhash, OpenSSL, zlib.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <rapidcheck/gtest.h>
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/hash.hpp"
#include "hash/bytes.hpp"
#include "hash/crc.hpp"
#include "hash/des.hpp"
#include "hash/digest_positions.hpp"
#include "hash/md5.hpp"
#include "hash/sha1.hpp"
#include "hash/sha256.hpp"
#include "hash/xxh.hpp"

namespace arcwise {
namespace {

template <std::size_t size>
std::array<std::uint8_t, size> openssl(const EVP_MD* algorithm, std::string_view bytes) {
  std::array<std::uint8_t, size> digest{};
  unsigned written = 0;
  EXPECT_EQ(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &written, algorithm, nullptr), 1);
  EXPECT_EQ(written, size);
  return digest;
}

bool agrees_with_the_libraries(std::string_view bytes) {
  const auto* zlib_bytes = reinterpret_cast<const Bytef*>(bytes.data());
  return xxh3_64(bytes) == XXH3_64bits(bytes.data(), bytes.size()) &&
         xxh64(bytes) == XXH64(bytes.data(), bytes.size(), 0) &&
         md5(bytes) == openssl<16>(EVP_md5(), bytes) && sha1(bytes) == openssl<20>(EVP_sha1(), bytes) &&
         sha256(bytes) == openssl<32>(EVP_sha256(), bytes) &&
         crc32(bytes) == ::crc32_z(0, zlib_bytes, bytes.size());
}

std::string sample(std::size_t size) {
  std::string bytes;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    bytes.push_back(static_cast<char>(state >> 24));
  }
  return bytes;
}

/// A string of a length that reaches past every internal block of the hashes.
rc::Gen<std::string> long_bytes() {
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, 4097), [](std::size_t size) {
    return rc::gen::container<std::string>(size, rc::gen::arbitrary<char>());
  });
}

TEST(Oracle, libraries_agree_at_every_length_and_alignment) {
  const std::string bytes = sample(300 + 16);
  for (std::size_t offset = 0; offset < 16; ++offset)
    for (std::size_t length = 0; length <= 300; ++length)
      ASSERT_TRUE(agrees_with_the_libraries(std::string_view(bytes).substr(offset, length)))
          << length << " bytes at offset " << offset;
}

TEST(Oracle, libraries_agree_on_megabytes) {
  EXPECT_TRUE(agrees_with_the_libraries(sample((1U << 22) + 5)));
}

RC_GTEST_PROP(Oracle, libraries_agree_on_any_key, (const std::string& key)) {
  RC_ASSERT(agrees_with_the_libraries(key));
}

RC_GTEST_PROP(Oracle, libraries_agree_on_any_long_key, ()) {
  const std::string key = *long_bytes();
  RC_ASSERT(agrees_with_the_libraries(key));
}

RC_GTEST_PROP(Sha256, pieces_give_the_digest_of_the_whole, ()) {
  const std::string bytes = *long_bytes();
  auto cuts =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  std::sort(cuts.begin(), cuts.end());
  cuts.push_back(bytes.size());
  Sha256 hash;
  std::size_t done = 0;
  for (const std::size_t cut : cuts) {
    hash.update(std::string_view(bytes).substr(done, cut - done));
    done = cut;
  }
  RC_ASSERT(hash.finish() == openssl<32>(EVP_sha256(), bytes));
}

RC_GTEST_PROP(Sha1, pieces_give_the_digest_of_the_whole, ()) {
  const std::string bytes = *long_bytes();
  const std::size_t cut = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
  Sha1 hash;
  hash.update(std::string_view(bytes).substr(0, cut));
  hash.update(std::string_view(bytes).substr(cut));
  RC_ASSERT(hash.finish() == openssl<20>(EVP_sha1(), bytes));
}

TEST(Sha256, byte_by_byte_gives_the_digest_of_the_whole) {
  const std::string bytes = sample(300);
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    Sha256 hash;
    for (std::size_t i = 0; i < length; ++i) hash.update(std::string_view(bytes).substr(i, 1));
    ASSERT_EQ(hash.finish(), sha256(std::string_view(bytes).substr(0, length))) << length;
  }
}

TEST(Sha256, a_finished_hash_starts_anew) {
  Sha256 hash;
  hash.update("something else");
  hash.finish();
  EXPECT_EQ(hash.finish(), sha256(""));
  hash.update("abc");
  EXPECT_EQ(hash.finish(), sha256("abc"));
}

TEST(Sha256, a_copy_continues_from_the_same_prefix) {
  Sha256 hash;
  hash.update("ring ");
  Sha256 copy = hash;
  hash.update("a");
  copy.update("b");
  EXPECT_EQ(hash.finish(), sha256("ring a"));
  EXPECT_EQ(copy.finish(), sha256("ring b"));
}

/// Triple DES with three equal keys is DES.
std::uint64_t openssl_des_of_zero_key(std::uint64_t block) {
  const unsigned char key[24] = {};
  unsigned char in[8], out[16];
  bytes::store_be64(in, block);
  int written = 0;
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  EXPECT_EQ(EVP_EncryptInit_ex(context, EVP_des_ede3_ecb(), nullptr, key, nullptr), 1);
  EXPECT_EQ(EVP_EncryptUpdate(context, out, &written, in, sizeof in), 1);
  EVP_CIPHER_CTX_free(context);
  EXPECT_EQ(written, 8);
  return bytes::load_be64(out);
}

RC_GTEST_PROP(Vitess, the_hash_is_des_with_a_key_of_zeros, (std::uint64_t id)) {
  RC_ASSERT(vitess_hash(id) == openssl_des_of_zero_key(id));
}

RC_GTEST_PROP(RandomPartitioner, a_token_is_the_digest_or_its_negative, (const std::string& key)) {
  const auto digest = openssl<16>(EVP_md5(), key);
  u128 number = 0;
  for (const std::uint8_t byte : digest) number = number << 8 | byte;
  RC_ASSERT((md5_u128(key) == number));
  const u128 token = random_partitioner_token(key);
  RC_ASSERT((token <= u128{1} << 127));
  const u128 absolute = digest[0] < 0x80 ? number : ~number + 1;
  RC_ASSERT((token == (key.empty() ? u128{0} : absolute)));
}

RC_GTEST_PROP(KeyHash, digest_hashes_are_the_printed_digests_first_digits, (const std::string& key)) {
  const auto leading = [](const auto& digest, int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | digest[static_cast<std::size_t>(i)];
    return value;
  };
  const auto digest = openssl<16>(EVP_md5(), key);
  RC_ASSERT(key_hash(KeyHashId::md5, key) == leading(digest, 8));
  RC_ASSERT(key_hash(KeyHashId::sha1, key) == leading(openssl<20>(EVP_sha1(), key), 8));
  RC_ASSERT(key_hash(KeyHashId::sha256, key) == leading(openssl<32>(EVP_sha256(), key), 8));
  const std::uint64_t ketama = std::uint64_t{digest[3]} << 24 | std::uint64_t{digest[2]} << 16 |
                               std::uint64_t{digest[1]} << 8 | digest[0];
  RC_ASSERT(key_hash(KeyHashId::md5_ketama, key) == ketama);
}

RC_GTEST_PROP(KeyHash, values_stay_within_their_width, (const std::string& key)) {
  for (const KeyHashInfo& hash : key_hashes())
    RC_ASSERT((hash.bits >= 128 || wide_key_hash(hash.id, key) >> hash.bits == 0U));
}

}  // namespace
}  // namespace arcwise
