// MD5 in lanes against one message at a time and against OpenSSL, with every instruction set that is here.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hash/bytes.hpp"
#include "hash/isa.hpp"
#include "hash/md5.hpp"

namespace arcwise {
namespace {

/// Every instruction set in turn; all of them again afterwards.
template <class Check>
void with_each_isa(Check check) {
  for (const Isa most : {Isa::plain, Isa::vector128, Isa::avx2, Isa::avx512}) {
    limit_isa(most);
    check();
  }
  limit_isa(Isa::avx512);
}

std::array<std::uint8_t, 16> openssl_md5(std::string_view bytes) {
  std::array<std::uint8_t, 16> digest{};
  unsigned written = 0;
  EXPECT_EQ(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &written, EVP_md5(), nullptr), 1);
  return digest;
}

std::array<std::uint8_t, 16> digest_of(const Md5Batch& batch, std::size_t i) {
  std::array<std::uint8_t, 16> digest;
  for (std::size_t w = 0; w < 4; ++w) bytes::store_le32(digest.data() + 4 * w, batch.word[w][i]);
  return digest;
}

/// The messages whose digests in a batch are not OpenSSL's, or not md5()'s.
std::size_t wrong(const std::vector<std::string>& messages) {
  // Exact allocations: a sanitizer sees a lane that reads beyond its message.
  std::vector<std::unique_ptr<char[]>> copies;
  std::vector<std::string_view> views;
  for (const std::string& m : messages) {
    copies.push_back(std::make_unique<char[]>(m.size()));
    std::copy(m.begin(), m.end(), copies.back().get());
    views.emplace_back(copies.back().get(), m.size());
  }
  std::size_t count = 0;
  with_each_isa([&] {
    Md5Batch batch;
    md5_batch(views, batch);
    for (std::size_t i = 0; i < views.size(); ++i)
      count += digest_of(batch, i) != openssl_md5(views[i]) || digest_of(batch, i) != md5(views[i]);
  });
  return count;
}

std::string text(std::size_t size, std::size_t seed) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>((i + 1) * (2 * seed + 1) * 0x9e3779b1U >> 13);
  return bytes;
}

TEST(md5_batch, every_length_around_the_ends_of_blocks_in_every_lane) {
  for (std::size_t from : {0u, 32u, 96u, 160u, 224u}) {
    std::vector<std::string> mixed;
    for (std::size_t i = 0; i < Md5Batch::most; ++i) mixed.push_back(text(from + i, i));
    EXPECT_EQ(wrong(mixed), 0u) << from;
  }
  for (std::size_t size = 0; size <= 70; ++size) {
    std::vector<std::string> alike;
    for (std::size_t i = 0; i < Md5Batch::most; ++i) alike.push_back(text(size, i));
    EXPECT_EQ(wrong(alike), 0u) << size;
  }
}

TEST(md5_batch, any_number_of_messages) {
  for (std::size_t count = 0; count <= Md5Batch::most; ++count) {
    std::vector<std::string> shorts, mixed;
    for (std::size_t i = 0; i < count; ++i) shorts.push_back(text(20, i));
    for (std::size_t i = 0; i < count; ++i) mixed.push_back(text(i % 3 == 0 ? 20 + i : 80, i));
    EXPECT_EQ(wrong(shorts), 0u) << count;
    EXPECT_EQ(wrong(mixed), 0u) << count;
  }
}

TEST(md5_batch, a_message_of_many_blocks_among_short_ones) {
  std::vector<std::string> messages(Md5Batch::most, "short");
  messages[7] = text(100'000, 1);
  messages[40] = text(248, 2);
  EXPECT_EQ(wrong(messages), 0u);
}

RC_GTEST_PROP(md5_batch, is_md5_of_each, ()) {
  const auto sizes = *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0u, 201u));
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < std::min(sizes.size(), Md5Batch::most); ++i)
    messages.push_back(text(sizes[i], *rc::gen::arbitrary<std::uint8_t>()));
  RC_ASSERT(wrong(messages) == 0u);
}

}  // namespace
}  // namespace arcwise
