#include "place/key_types.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>

namespace arcwise {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    out += "0123456789abcdef"[c >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

// "-": no such key.
std::string key(std::vector<KeyType> columns, std::string_view text) {
  std::array<char, 65535> room;
  KeyBytes out(room);
  return put_partition_key(columns, text, out) ? hex(out.view()) : "-";
}

std::string value(const char* type, std::string_view text) {
  return key({*find_key_type(type)}, text);
}

TEST(key_types, a_single_column_is_its_value_alone) {
  struct Row {
    const char *type, *text, *bytes;
  };
  for (const Row& r : {Row{"text", "a:b", "613a62"},
                       {"ascii", "", ""},
                       {"blob", "0x00Ff", "00ff"},
                       {"blob", "0x", ""},
                       {"boolean", "true", "01"},
                       {"boolean", "false", "00"},
                       {"tinyint", "-128", "80"},
                       {"smallint", "258", "0102"},
                       {"int", "143", "0000008f"},
                       {"int", "-1", "ffffffff"},
                       {"bigint", "-9223372036854775808", "8000000000000000"},
                       {"timestamp", "1700000000000", "0000018bcfe56800"},
                       {"varint", "0", "00"},
                       {"varint", "127", "7f"},
                       {"varint", "128", "0080"},
                       {"varint", "-128", "80"},
                       {"varint", "-129", "ff7f"},
                       {"varint", "18446744073709551616", "010000000000000000"},
                       {"uuid", "12345678-1234-5678-1234-567812345678", "12345678123456781234567812345678"}})
    EXPECT_EQ(value(r.type, r.text), r.bytes) << r.type << " " << r.text;
}

TEST(key_types, what_is_no_value_of_its_type_is_refused) {
  struct Row {
    const char *type, *text;
  };
  for (const Row& r : {Row{"blob", "00ff"},
                       {"blob", "0x0"},
                       {"blob", "0x0g"},
                       {"boolean", "1"},
                       {"tinyint", "128"},
                       {"smallint", "-32769"},
                       {"int", "2147483648"},
                       {"int", ""},
                       {"int", "1 "},
                       {"int", "+1"},
                       {"bigint", "9223372036854775808"},
                       {"varint", "-"},
                       {"varint", "1e3"},
                       {"uuid", "123456781234567812345678123456780000"},
                       {"uuid", "12345678-1234-5678-1234-56781234567"}})
    EXPECT_EQ(value(r.type, r.text), "-") << r.type << " " << r.text;
}

TEST(key_types, columns_of_a_composite_key_have_a_length_and_a_closing_zero) {
  using enum KeyType;
  EXPECT_EQ(key({int_, int_}, "143:234"),
            "00040000008f00"
            "0004000000ea00");
  EXPECT_EQ(key({text, int_}, "ab:1"),
            "0002616200"
            "00040000000100");
  EXPECT_EQ(key({text, text}, ":"),
            "000000"
            "000000");
  EXPECT_EQ(key({text, int_}, "a\\:b:3"),
            "0003613a6200"
            "00040000000300");
  EXPECT_EQ(key({text, text}, "a:b:c"),
            "00016100"
            "0003623a6300");
  EXPECT_EQ(key({int_, int_}, "143"), "-");
  EXPECT_EQ(key({int_, int_}, "1:2:3"), "-");
  EXPECT_EQ(key({int_, int_}, "1:x"), "-");
}

TEST(key_types, a_key_longer_than_the_databases_take_is_refused) {
  using enum KeyType;
  EXPECT_EQ(key({text, int_}, std::string(65525, 'x') + ":1").size(), 2 * 65535u);
  EXPECT_EQ(key({text, int_}, std::string(65526, 'x') + ":1"), "-");
}

RC_GTEST_PROP(key_types, two_different_pairs_never_have_the_same_bytes, ()) {
  const auto text = rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab:\\")));
  const auto escaped = [](const std::string& plain) {
    std::string out;
    for (char c : plain) {
      if (c == ':' || c == '\\') out += '\\';
      out += c;
    }
    return out;
  };
  const auto a = *rc::gen::pair(text, text), b = *rc::gen::pair(text, text);
  const auto bytes = [&](const auto& pair) {
    return key({KeyType::text, KeyType::text}, escaped(pair.first) + ":" + escaped(pair.second));
  };
  RC_ASSERT((a == b) == (bytes(a) == bytes(b)));
}

}  // namespace
}  // namespace arcwise
