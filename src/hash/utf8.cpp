#include "hash/utf8.hpp"

namespace arcwise {
namespace {

/// Bytes of the sequence that `lead` announces, 1 if it announces none.
constexpr std::size_t announced_size(std::uint32_t lead) noexcept {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/// Least code point that needs this many bytes.
constexpr std::uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};

}  // namespace

CodePoint first_code_point(std::string_view text) noexcept {
  const std::uint32_t lead = static_cast<std::uint8_t>(text.front());
  const CodePoint latin1 = {lead, 1};
  const std::size_t size = announced_size(lead);
  if (size == 1 || size > text.size()) return latin1;
  std::uint32_t value = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const std::uint32_t next = static_cast<std::uint8_t>(text[i]);
    if ((next & 0xc0) != 0x80) return latin1;
    value = value << 6 | (next & 0x3f);
  }
  const bool surrogate = value >> 11 == 0x1b;
  if (value < least[size] || value > 0x10ffff || surrogate) return latin1;
  return {value, size};
}

}  // namespace arcwise
