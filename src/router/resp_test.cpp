#include "router/resp.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace arcwise::router {
namespace {

TEST(resp_scanner, finds_the_end_of_each_kind_of_reply) {
  for (const std::string_view reply : {"+OK\r\n",
                                       "-ERR no\r\n",
                                       ":12\r\n",
                                       "$2\r\nhi\r\n",
                                       "$-1\r\n",
                                       "$0\r\n\r\n",
                                       "*0\r\n",
                                       "*-1\r\n",
                                       "*2\r\n:1\r\n$2\r\nhi\r\n",
                                       "*2\r\n*1\r\n*0\r\n+x\r\n",
                                       "%1\r\n+a\r\n:1\r\n",
                                       "~2\r\n#t\r\n_\r\n",
                                       ",1.5\r\n",
                                       "(123\r\n",
                                       "(123  123\r\n",
                                       "(\r\n",
                                       "=5\r\ntxt:x\r\n",
                                       "!3\r\nERR\r\n",
                                       "|1\r\n+k\r\n+v\r\n:1\r\n",
                                       ">2\r\n+a\r\n+b\r\n"}) {
    const std::string bytes = std::string(reply) + "+next\r\n";
    EXPECT_EQ(RespScanner().scan(bytes).size, reply.size()) << reply;
    // Byte by byte it is the same, and never too early.
    RespScanner scanner;
    for (std::size_t size = 0; size < reply.size(); ++size)
      ASSERT_EQ(scanner.scan(reply.substr(0, size)).size, 0u) << reply << " " << size;
    EXPECT_EQ(scanner.scan(reply).size, reply.size()) << reply;
    EXPECT_EQ(scanner.scan(":1\r\n").size, 4u) << "it begins anew";
  }
}

TEST(resp_scanner, tells_what_is_no_reply) {
  for (const std::string_view bytes :
       {"hello\r\n", "$x\r\n", "$-2\r\n", "*99999999999\r\n", "\r\n", "%-5\r\n"})
    EXPECT_TRUE(RespScanner().scan(bytes).broken) << bytes;
}

std::vector<std::string> words(std::string_view bytes, std::string* error = nullptr) {
  RespRequest request;
  RespRequest::Parsed parsed;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    parsed = request.parse(bytes.substr(0, size), {});
    if (parsed.what != RespRequest::What::more) break;
  }
  std::vector<std::string> out;
  if (parsed.what == RespRequest::What::request)
    for (std::size_t i = 0; i < request.words(); ++i) out.emplace_back(request.word(bytes, i));
  if (error) *error = parsed.error;
  return out;
}
using Words = std::vector<std::string>;

TEST(resp_request, takes_arrays_and_lines_byte_by_byte) {
  EXPECT_EQ(words("*2\r\n$3\r\nGET\r\n$3\r\na\r\n\r\n"), (Words{"GET", "a\r\n"}));
  EXPECT_EQ(words("*1\r\n$0\r\n\r\n"), (Words{""}));
  EXPECT_EQ(words("SET a 'b c'  \"d\"\r\n"), (Words{"SET", "a", "b c", "d"}));
  EXPECT_EQ(words("SET a\"b c\" '' \"\\x41\\n\\\"\\q\\xg\" 'it\\'s \\n'\v\r\n"),
            (Words{"SET", "ab c", "", "A\n\"qxg", "it's \\n"}));
  EXPECT_EQ(words("PING\n"), (Words{"PING"}));
}

TEST(resp_scanner, what_is_no_reply_breaks_the_connection) {
  for (const char* bytes : {"hello\r\n", "\r\n", "+OK\n", ":x\r\n", ":\r\n", "$2\r\nhiXY", "$2\nhi\r\n",
                            "$x\r\n", "$-2\r\n", "!-1\r\n", "%-1\r\n", "*-2\r\n", "*1\r\nx\r\n", "#x\r\n",
                            "_x\r\n", ",\r\n", ",x\r\n", "*2\r\n$1\r\na\rX:1\r\n", "$99999999999999999\r\n"})
    EXPECT_TRUE(RespScanner().scan(bytes).broken) << bytes;
}

TEST(resp_scanner, a_string_whose_bytes_are_not_kept_must_end_all_the_same) {
  for (const std::string_view end : {"\r\n", "XY"}) {
    for (std::size_t seen = 0; seen < 2; ++seen) {
      RespScanner scanner;
      const std::string whole = "$5\r\nhello" + std::string(end);
      ASSERT_EQ(scanner.scan(whole.substr(0, whole.size() - 2 + seen)).size, 0u);
      const std::size_t gone = scanner.forget();
      const auto found = scanner.scan(whole.substr(gone));
      EXPECT_EQ(found.broken, end == "XY");
      EXPECT_EQ(found.size, end == "XY" ? 0 : whole.size() - gone);
    }
  }
}

TEST(resp_request, a_line_is_sent_to_servers_as_the_array_it_means) {
  const std::string_view line = "SET a 'b c'\r\n", array = "*1\r\n$4\r\nPING\r\n";
  RespRequest request;
  ASSERT_EQ(request.parse(line, {}).used, line.size());
  EXPECT_EQ(request.array(line), "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$3\r\nb c\r\n");
  request.reset();
  ASSERT_EQ(request.parse(array, {}).used, array.size());
  EXPECT_EQ(request.array(array), array);
}

TEST(resp_request, an_empty_one_is_passed_over) {
  for (const std::string_view bytes : {"\r\n", "*0\r\n", "*-1\r\n", "  \r\n"}) {
    RespRequest request;
    const auto parsed = request.parse(bytes, {});
    EXPECT_EQ(parsed.what, RespRequest::What::nothing) << bytes;
    EXPECT_EQ(parsed.used, bytes.size());
  }
}

TEST(resp_request, what_breaks_the_protocol_has_rediss_own_error) {
  std::string error;
  for (const auto& [bytes, expected] :
       {std::pair{"*x\r\n", "invalid multibulk length"}, std::pair{"*1\r\nPING\r\n", "expected '$', got 'P'"},
        std::pair{"*1\r\n$-1\r\n", "invalid bulk length"},
        std::pair{"*1\r\n$99999999999\r\n", "invalid bulk length"},
        std::pair{"SET 'a\r\n", "unbalanced quotes"}, std::pair{"SET \"a\"b\r\n", "unbalanced quotes"},
        // Servers close the connection on each of these, and it is not the client's alone.
        std::pair{"*1\r\n$1\na\r\n", "invalid bulk length"}, std::pair{"*1\n", "invalid multibulk length"},
        std::pair{"*01\r\n", "invalid multibulk length"}, std::pair{"*-0\r\n", "invalid multibulk length"},
        std::pair{"*1\r\n$03\r\n", "invalid bulk length"}, std::pair{"*1\r\n$-0\r\n", "invalid bulk length"},
        std::pair{"*1\r\n$+1\r\n", "invalid bulk length"}, std::pair{"*1\r\n$1 \r\n", "invalid bulk length"},
        std::pair{"*1\r\n$\r\n", "invalid bulk length"}, std::pair{"*1\r\n$1\rX\n", "invalid bulk length"}}) {
    words(bytes, &error);
    EXPECT_NE(error.find(expected), std::string::npos) << bytes << " " << error;
  }
}

}  // namespace
}  // namespace arcwise::router
