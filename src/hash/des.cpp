#include "hash/des.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <utility>

namespace arcwise {
namespace {

/// The eight substitution boxes of FIPS 46-3: four rows each, column 0 in the highest digit.
constexpr std::uint64_t boxes[8][4] = {
    {0xe4d12fb83a6c5907, 0x0f74e2d1a6cb9538, 0x41e8d62bfc973a50, 0xfc8249175b3ea06d},
    {0xf18e6b34972dc05a, 0x3d47f28ec01a69b5, 0x0e7ba4d158c6932f, 0xd8a13f42b67c05e9},
    {0xa09e63f51dc7b428, 0xd709346a285ecbf1, 0xd6498f30b12c5ae7, 0x1ad069874fe3b52c},
    {0x7de3069a1285bc4f, 0xd8b56f03472c1ae9, 0xa690cb7df13e5284, 0x3f06a1d8945bc72e},
    {0x2c417ab6853fd0e9, 0xeb2c47d150fa3986, 0x421bad78f9c5630e, 0xb8c71e2d6f09a453},
    {0xc1af92680d34e75b, 0xaf427c9561de0b38, 0x9ef528c3704a1db6, 0x432c95fabe17608d},
    {0x4b2ef08d3c975a61, 0xd0b7491ae35c2f86, 0x14bdc37eaf680592, 0x6bd814a7950fe23c},
    {0xd2846fb1a93e50c7, 0x1fd8a374c56b0e92, 0x7b419ce206adf358, 0x21e74a8dfc90356b},
};

/// Permutation P: bit i of the result (1 is the highest) is bit permutation_p[i - 1].
constexpr std::uint8_t permutation_p[32] = {16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
                                            2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25};

using BoxTables = std::array<std::array<std::uint32_t, 64>, 8>;

/// What six input bits of a box become after substitution and P.
constexpr BoxTables make_box_tables() {
  BoxTables tables{};
  for (std::size_t box = 0; box < 8; ++box)
    for (std::size_t six = 0; six < 64; ++six) {
      const std::size_t row = (six >> 4 & 2) | (six & 1);  // the outer bits; the inner four are the column
      const std::uint64_t digit = boxes[box][row] >> (60 - 4 * (six >> 1 & 15)) & 15;
      const std::uint64_t substituted = digit << (28 - 4 * box);
      for (std::size_t i = 0; i < 32; ++i)
        tables[box][six] |=
            static_cast<std::uint32_t>((substituted >> (32 - permutation_p[i]) & 1) << (31 - i));
    }
  return tables;
}
constexpr BoxTables box_tables = make_box_tables();

/// Where bit i (0 is the highest) of the initial permutation's result comes from: 57, 49, … 1, 59, 51, … in
/// rows of eight, the even rows of the table first.
constexpr unsigned initial_source(unsigned i) noexcept {
  const unsigned row = i / 8;
  return (row < 4 ? 57 + 2 * row : 56 + 2 * (row - 4)) - 8 * (i % 8);
}

std::uint64_t initial_permutation(std::uint64_t block) noexcept {
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 64; ++i) out |= (block >> (63 - initial_source(i)) & 1) << (63 - i);
  return out;
}

std::uint64_t final_permutation(std::uint64_t block) noexcept {
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 64; ++i) out |= (block >> (63 - i) & 1) << (63 - initial_source(i));
  return out;
}

/// The round function with a round key of zeros. Box k reads bits 4k…4k+5, 1 being the highest and 0 the
/// lowest.
std::uint32_t round_function(std::uint32_t right) noexcept {
  std::uint32_t out = 0;
  for (int k = 0; k < 8; ++k)
    out ^= box_tables[static_cast<std::size_t>(k)][std::rotl(right, 4 * k + 5) & 63];
  return out;
}

}  // namespace

std::uint64_t vitess_hash(std::uint64_t id) noexcept {
  const std::uint64_t block = initial_permutation(id);
  auto left = static_cast<std::uint32_t>(block >> 32);
  auto right = static_cast<std::uint32_t>(block);
  for (int round = 0; round < 16; ++round) {
    left ^= round_function(right);
    std::swap(left, right);
  }
  return final_permutation(std::uint64_t{right} << 32 | left);  // the last round does not swap
}

}  // namespace arcwise
