#include "place/key_types.hpp"

#include <charconv>
#include <utility>

#include "arcwise/token.hpp"

namespace arcwise {
namespace {

__extension__ typedef __int128 i128;

constexpr std::size_t most_digits = 38;  // of a varint: what 128 bits hold whatever the digits are

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool put_hex(std::string_view digits, KeyBytes& out) noexcept {
  if (digits.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) return false;
    out.put(static_cast<char>(high * 16 + low));
  }
  return true;
}

bool put_uuid(std::string_view text, KeyBytes& out) noexcept {
  if (text.size() != 36) return false;
  for (const std::size_t dash : {std::size_t{8}, std::size_t{13}, std::size_t{18}, std::size_t{23}})
    if (text[dash] != '-') return false;
  for (const auto& [from, size] : {std::pair{0, 8}, {9, 4}, {14, 4}, {19, 4}, {24, 12}})
    if (!put_hex(text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(size)), out))
      return false;
  return true;
}

bool put_integer(std::string_view text, unsigned bytes, KeyBytes& out) noexcept {
  const auto value = read_integer(text);
  const std::int64_t most = static_cast<std::int64_t>(~std::uint64_t{0} >> (65 - 8 * bytes));
  if (!value || *value > most || *value < -most - 1) return false;
  out.put_big_endian(static_cast<std::uint64_t>(*value), bytes);
  return true;
}

// As few bytes of two's complement as keep the sign: 127 is 7f, 128 is 0080, -128 is 80.
bool put_varint(std::string_view text, KeyBytes& out) noexcept {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > most_digits) return false;
  i128 value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  if (negative) value = -value;
  unsigned bytes = 1;
  while (bytes < 16 && value >> (8 * bytes - 1) != 0 && value >> (8 * bytes - 1) != -1) ++bytes;
  while (bytes-- > 0) out.put(static_cast<char>(static_cast<u128>(value) >> (8 * bytes) & 255));
  return true;
}

// One column of a composite key up to the next colon; the last column takes the rest.
bool put_column(KeyType type, std::string_view& rest, bool last, KeyBytes& out) noexcept {
  if (type != KeyType::text) {
    const std::string_view value = rest.substr(0, last ? rest.npos : rest.find(':'));
    rest.remove_prefix(value.size());
    return put_value(type, value, out);
  }
  std::size_t i = 0;
  for (; i < rest.size() && (last || rest[i] != ':'); ++i) {
    if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
    out.put(rest[i]);
  }
  rest.remove_prefix(i);
  return true;
}

}  // namespace

std::optional<std::int64_t> read_integer(std::string_view text) noexcept {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<KeyType> find_key_type(std::string_view name) noexcept {
  using enum KeyType;
  for (const auto& [known, type] : {std::pair<std::string_view, KeyType>{"text", text},
                                    {"ascii", text},
                                    {"blob", blob},
                                    {"boolean", boolean},
                                    {"tinyint", tinyint},
                                    {"smallint", smallint},
                                    {"int", int_},
                                    {"bigint", bigint},
                                    {"timestamp", bigint},
                                    {"varint", varint},
                                    {"uuid", uuid}})
    if (known == name) return type;
  return std::nullopt;
}

bool put_value(KeyType type, std::string_view text, KeyBytes& out) noexcept {
  switch (type) {
    case KeyType::text:
      out.put(text);
      return true;
    case KeyType::blob:
      return text.starts_with("0x") && put_hex(text.substr(2), out);
    case KeyType::boolean:
      if (text != "true" && text != "false") return false;
      out.put(text == "true" ? '\1' : '\0');
      return true;
    case KeyType::tinyint:
      return put_integer(text, 1, out);
    case KeyType::smallint:
      return put_integer(text, 2, out);
    case KeyType::int_:
      return put_integer(text, 4, out);
    case KeyType::bigint:
      return put_integer(text, 8, out);
    case KeyType::varint:
      return put_varint(text, out);
    case KeyType::uuid:
      return put_uuid(text, out);
  }
  return false;
}

bool put_partition_key(std::span<const KeyType> columns, std::string_view text, KeyBytes& out) noexcept {
  if (columns.size() == 1) return put_value(columns[0], text, out) && !out.overflow();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) {
      if (!text.starts_with(':')) return false;
      text.remove_prefix(1);
    }
    const std::size_t length_at = out.size();
    out.put_big_endian(0, 2);
    if (!put_column(columns[i], text, i + 1 == columns.size(), out)) return false;
    const std::size_t length = out.size() - length_at - 2;
    out.put('\0');
    if (out.overflow() || length > 65535) return false;
    out.at(length_at) = static_cast<char>(length >> 8);
    out.at(length_at + 1) = static_cast<char>(length & 255);
  }
  return text.empty();
}

}  // namespace arcwise
