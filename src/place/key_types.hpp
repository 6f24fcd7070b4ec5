// Typed keys: from the text in which people write a key of a database to the bytes that it hashes.
//
// Layer: place. Pure, noexcept, no allocation: bytes go to the caller's buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace arcwise {

/// Bytes put one after another into a buffer, up to its end.
class KeyBytes {
 public:
  explicit KeyBytes(std::span<char> room) noexcept : room_(room) {}
  void put(char byte) noexcept {
    if (size_ < room_.size())
      room_[size_++] = byte;
    else
      overflow_ = true;
  }
  void put(std::string_view bytes) noexcept {
    for (char byte : bytes) put(byte);
  }
  /// The low `bytes` bytes, most significant first.
  void put_big_endian(std::uint64_t value, unsigned bytes) noexcept {
    while (bytes-- > 0) put(static_cast<char>(value >> (8 * bytes) & 255));
  }
  std::size_t size() const noexcept { return size_; }
  bool overflow() const noexcept { return overflow_; }
  std::string_view view() const noexcept { return {room_.data(), size_}; }
  char& at(std::size_t i) noexcept { return room_[i]; }

 private:
  std::span<char> room_;
  std::size_t size_ = 0;
  bool overflow_ = false;
};

std::optional<std::int64_t> read_integer(std::string_view text) noexcept;

/// CQL types of partition key columns. `blob` (0x and hex digits) can say every other one.
enum class KeyType : std::uint8_t { text, blob, boolean, tinyint, smallint, int_, bigint, varint, uuid };
std::optional<KeyType> find_key_type(std::string_view name) noexcept;

/// "0x00ff", "true", "-3", "12345678-1234-5678-1234-567812345678": appends the value's own bytes. false: the
/// text is no value of this type.
bool put_value(KeyType type, std::string_view text, KeyBytes& out) noexcept;

/// The bytes of a partition key. One column: the value alone. Several, written with colons between as
/// nodetool does: for each two bytes of length, the value, a zero byte. A backslash takes the next character
/// as it stands: `a\:b:3` is the text "a:b" and the number 3. The last column takes the rest. false: the text
/// is no such key.
bool put_partition_key(std::span<const KeyType> columns, std::string_view text, KeyBytes& out) noexcept;

}  // namespace arcwise
