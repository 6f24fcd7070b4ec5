#include "format/json_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace arcwise {
namespace {

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

RC_GTEST_PROP(JsonText, every_text_of_bytes_becomes_a_json_string, (const std::string& bytes)) {
  const Json read = Json::parse(json_string(bytes));
  RC_ASSERT(read.is_string());
  if (valid_utf8(bytes)) RC_ASSERT(read.get<std::string>() == bytes);
}

TEST(JsonText, bytes_that_are_not_utf8_are_replaced_one_by_one) {
  EXPECT_EQ(json_string("a\xff\xfe"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(json_string("\"\\\n"), "\"\\\"\\\\\\u000a\"");
}

TEST(JsonText, utf8_is_judged_as_the_standard_does) {
  for (const char* good :
       {"", "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(valid_utf8(good)) << good;
  const char* bad[] = {"\x80",         "\xc3",
                       "\xc0\x80",     "\xe0\x80\x80",
                       "\xed\xa0\x80", "\xf4\x90\x80\x80",
                       "\xf8\x88\x80", "\xf0\x80\x80\x80",
                       "a\xe2\x82",    "\xff"};
  for (const char* text : bad) EXPECT_FALSE(valid_utf8(text)) << text;
}

TEST(JsonText, an_error_is_one_line_with_every_key) {
  const std::string text =
      json_error({ErrorKind::refused, {"a.yaml", 3, 7}, "x\ny", "would change nothing", "look again"});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text,
            R"({"schema":"arcwise/error/v1","error":{"file":"a.yaml","line":3,"column":7,"what":"x\ny",)"
            R"("why":"would change nothing","advice":"look again","kind":"refused"}})");
}

}  // namespace
}  // namespace arcwise
