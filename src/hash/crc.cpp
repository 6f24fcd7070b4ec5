#include "hash/crc.hpp"

#include <array>
#include <cstddef>

#include "hash/bytes.hpp"

namespace arcwise {
namespace {

using Crc32Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// Table k holds the effect of a byte that has k more bytes after it in its word of eight.
constexpr Crc32Tables make_crc32_tables() {
  Crc32Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 255];
  return tables;
}

constexpr std::array<std::uint16_t, 256> make_crc16_table() {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? 0x11021 : 0);
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}

constexpr Crc32Tables crc32_tables = make_crc32_tables();
constexpr std::array<std::uint16_t, 256> crc16_table = make_crc16_table();

}  // namespace

std::uint32_t crc32(std::string_view input, std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  const char* at = input.data();
  std::size_t left = input.size();
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint64_t word = bytes::load_le64(at) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= crc32_tables[7 - i][(word >> (8 * i)) & 255];
  }
  for (; left != 0; --left, ++at)
    crc = (crc >> 8) ^ crc32_tables[0][(crc ^ static_cast<std::uint8_t>(*at)) & 255];
  return ~crc;
}

std::uint16_t crc16(std::string_view input) noexcept {
  std::uint32_t crc = 0;
  for (const char c : input)
    crc = ((crc << 8) & 0xffff) ^ crc16_table[(crc >> 8) ^ static_cast<std::uint8_t>(c)];
  return static_cast<std::uint16_t>(crc);
}

std::uint16_t crc32_15bit(std::string_view input) noexcept {
  return static_cast<std::uint16_t>((crc32(input) >> 16) & 0x7fff);
}

std::uint32_t crc16_32(std::string_view input) noexcept {
  std::uint32_t crc = 0;
  for (const char c : input)
    crc = (crc << 8) ^ crc16_table[((crc >> 8) ^ static_cast<std::uint8_t>(c)) & 255];
  return crc;
}

}  // namespace arcwise
