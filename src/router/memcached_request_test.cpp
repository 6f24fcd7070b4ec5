#include "router/memcached_request.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace arcwise::router {
namespace {

// What a stream of bytes says, a line for each command.
std::vector<std::string> heard(std::string_view bytes, const McLimits& limits = {}) {
  std::vector<std::string> out;
  while (!bytes.empty()) {
    McRequest request;
    const McParsed parsed = parse_memcached(bytes, limits, request);
    if (parsed.what == McParsed::What::more) {
      out.push_back("more");
      break;
    }
    if (parsed.what == McParsed::What::refused) {
      out.push_back(parsed.error.empty() ? "" : std::string(parsed.error.substr(0, parsed.error.size() - 2)));
    } else {
      out.push_back(std::string(request.name) + " key=" + std::string(request.key) +
                    " rest=" + std::string(request.rest) + " data=" + std::to_string(request.data.size()) +
                    (request.noreply ? " noreply" : ""));
    }
    bytes.remove_prefix(std::min(bytes.size(), parsed.used + parsed.skip));
  }
  return out;
}
using Lines = std::vector<std::string>;

TEST(memcached_request, commands_are_taken_one_after_the_other) {
  EXPECT_EQ(
      heard("get a  b\r\nset a 0 0 1\r\n1\r\nset b 1 -1 0 noreply\r\n\r\ndelete a\nincr n 5 noreply\r\n"),
      (Lines{"get key= rest= a  b data=0", "set key=a rest= 0 0 1 data=3",
             "set key=b rest= 1 -1 0 data=2 noreply", "delete key=a rest= data=0",
             "incr key=n rest= 5 data=0 noreply"}));
}

TEST(memcached_request, meta_commands_keep_their_flags) {
  EXPECT_EQ(heard("mg a v t q\r\nms a 2 T0\r\nhi\r\nmn\r\nma n D5\r\nme a\r\n"),
            (Lines{"mg key=a rest= v t q data=0", "ms key=a rest= 2 T0 data=4", "mn key= rest= data=0",
                   "ma key=n rest= D5 data=0", "me key=a rest= data=0"}));
}

TEST(memcached_request, an_error_leaves_the_stream_in_step) {
  const std::string long_key(251, 'k');
  EXPECT_EQ(heard("get\r\nbogus\r\nset a x 0 2\r\nhi\r\nset a 0 0 -1\r\nset a 0 0 1\r\n12\nset " + long_key +
                  " 0 0 2\r\nhi\r\ndelete " + long_key + "\r\ngat x a\r\nget a\r\n"),
            (Lines{"ERROR", "bogus key= rest= data=0", "CLIENT_ERROR bad command line format",
                   "CLIENT_ERROR bad command line format", "CLIENT_ERROR bad data chunk",
                   "CLIENT_ERROR bad command line format", "CLIENT_ERROR bad command line format",
                   "CLIENT_ERROR invalid exptime argument", "get key= rest= a data=0"}));
}

// As memcached 1.6.18 answers them.
TEST(memcached_request, what_is_forwarded_has_a_fixed_number_of_words) {
  EXPECT_EQ(
      heard("incr n 1 noreply noreply\r\nincr n 1 x\r\nincr n x\r\nincr n x noreply\r\nincr n noreply\r\n"),
      (Lines{"ERROR", "incr key=n rest= 1 data=0", "CLIENT_ERROR invalid numeric delta argument", "", ""}));
  EXPECT_EQ(heard("delete a noreply noreply\r\ndelete a 0 noreply\r\ndelete a 5\r\ndelete a 0 0 noreply\r\n"),
            (Lines{"", "delete key=a rest= data=0 noreply",
                   "CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]", "ERROR"}));
  EXPECT_EQ(heard("touch a 1 noreply noreply\r\ntouch a 1 x\r\ntouch a x noreply\r\nflush_all 1 noreply\r\n"
                  "flush_all 1 2 3\r\nflush_all x\r\n"),
            (Lines{"ERROR", "touch key=a rest= 1 data=0", "", "flush_all key= rest= 1 data=0 noreply",
                   "ERROR", "CLIENT_ERROR invalid exptime argument"}));
  EXPECT_EQ(heard("set a 0 0 1 x\r\n1\r\nset a 0 0 1 noreply noreply\r\n1\r\nset a x 0 1 noreply\r\n1\r\n"),
            (Lines{"set key=a rest= 0 0 1 data=3", "ERROR", ""}));
}

TEST(memcached_request, of_a_key_with_a_blank_the_value_is_passed_over) {
  const std::string bad = "CLIENT_ERROR bad command line format", get = "get key= rest= a data=0";
  EXPECT_EQ(heard("set my key 0 0 2\r\nhi\r\nget a\r\n"), (Lines{bad, get}));
  EXPECT_EQ(heard("set my dear key 0 0 2\r\nhi\r\nget a\r\n"), (Lines{"ERROR", get}));
  EXPECT_EQ(heard("add a b 5 100 0 noreply\r\n\r\nget a\r\n"), (Lines{"ERROR", get}));
  EXPECT_EQ(heard("cas my key 0 0 2 17\r\nhi\r\nget a\r\n"), (Lines{bad, get}));
  EXPECT_EQ(heard("set a 0 0\r\nget a\r\ncas a 0 0 2\r\nget a\r\n"), (Lines{"ERROR", get, "ERROR", get}));
}

TEST(memcached_request, what_a_server_would_read_otherwise_is_refused_with_its_value) {
  using namespace std::string_view_literals;
  const std::string bad = "CLIENT_ERROR bad command line format";
  EXPECT_EQ(
      heard(
          "set a\0b 0 0 7\r\nversion\r\nms a\0 7 v\r\nversion\r\nget a\0b\r\nmg a\0b v\r\nincr a\0 1\r\n"sv),
      (Lines{bad, bad, bad, bad, bad}));
  std::string flags;
  for (int i = 0; i < 30; ++i) flags += " T1";
  EXPECT_EQ(heard("ms a 7" + flags + "\r\nversion\r\n"), (Lines{"CLIENT_ERROR options flags too long"}));
}

TEST(memcached_request, a_line_for_which_a_server_closes_is_refused) {
  const std::string ones(3000, '1'), too_long = "CLIENT_ERROR line too long";
  EXPECT_EQ(heard("mg a O" + ones + "\r\nms a 1 O" + ones + "\r\nx\r\ntouch a " + ones + "\r\nflush_all " +
                  ones + "\r\n"),
            (Lines{too_long, too_long, too_long, too_long}));
  EXPECT_EQ(heard("incr a " + std::string(30, '0') + "\r\n"),
            (Lines{"CLIENT_ERROR invalid numeric delta argument"}));
  std::string keys;
  for (int i = 0; i < 2000; ++i) keys += " kk";
  EXPECT_EQ(heard("get" + keys + "\r\n"), (Lines{"get key= rest=" + keys + " data=0"}));
}

TEST(memcached_request, what_is_too_large_is_passed_over) {
  const McLimits limits{64, 10};
  EXPECT_EQ(heard("set a 0 0 11\r\n12345678901\r\nget a\r\n", limits),
            (Lines{"SERVER_ERROR object too large for cache", "get key= rest= a data=0"}));
  McRequest request;
  const McParsed parsed = parse_memcached(std::string(65, 'x'), limits, request);
  EXPECT_EQ(parsed.what, McParsed::What::refused);
  EXPECT_TRUE(parsed.skip_line);
}

TEST(memcached_request, a_length_beyond_what_memcached_counts_is_no_length) {
  EXPECT_EQ(heard("set a 0 0 2147483647\r\nset a 0 0 2147483646\r\nms a 2147483646\r\nget a\r\n"),
            (Lines{"CLIENT_ERROR bad command line format", "CLIENT_ERROR bad command line format",
                   "CLIENT_ERROR bad command line format", "get key= rest= a data=0"}));
}

// As memcached 1.6.18 answers them.
TEST(memcached_request, flags_that_memcached_refuses_are_refused_in_its_words_with_the_value) {
  const std::string token = "CLIENT_ERROR bad token in command line format";
  for (const auto& [flags, error] : {std::pair{"v v", "CLIENT_ERROR duplicate flag"},
                                     {"q k qq", "CLIENT_ERROR duplicate flag"},
                                     {"v T", token.c_str()},
                                     {"Tx", token.c_str()},
                                     {"T5x", token.c_str()},
                                     {"N", token.c_str()},
                                     {"R-", token.c_str()},
                                     {"C", token.c_str()},
                                     {"Z", "CLIENT_ERROR invalid flag"},
                                     {"1", "CLIENT_ERROR invalid flag"},
                                     {"\x7f", "CLIENT_ERROR duplicate flag"},
                                     {"\xc3\xa4", "CLIENT_ERROR duplicate flag"},
                                     {"M", "CLIENT_ERROR incorrect length for M token"},
                                     {"MSS", "CLIENT_ERROR incorrect length for M token"},
                                     {"J", "CLIENT_ERROR invalid numeric initial value"},
                                     {"D-1", "CLIENT_ERROR invalid numeric delta value"},
                                     {"F", "CLIENT_ERROR bad command line format"},
                                     {"Fx T", token.c_str()},
                                     {"T Fx", token.c_str()},
                                     {"T Z", "CLIENT_ERROR invalid flag"},
                                     {"b", "CLIENT_ERROR error decoding key"}}) {
    const std::string text(flags), wrong = "CLIENT_ERROR invalid or duplicate flag";
    EXPECT_EQ(heard("mg a " + text + "\r\nms a 9 " + text + "\r\nversion\r\n\r\nmd a " + text + "\r\nma a " +
                    text + "\r\n"),
              (Lines{error, error, wrong, wrong}))
        << text;
  }
  EXPECT_EQ(heard("mg a v k f s t c h l q u O1 T5 N7 R9 E\r\n"), (Lines{"CLIENT_ERROR invalid flag"}));
  EXPECT_EQ(heard("mg a v k f s t c h l q u O1 T-5 N7 R9\r\n").size(), 1u);
  std::string many;
  for (int i = 0; i < 18; ++i) many += " v";
  EXPECT_EQ(heard("mg a" + many + "\r\nmd a" + many + "\r\n"),
            (Lines{"CLIENT_ERROR options flags are too long", "CLIENT_ERROR options flags too long"}));
}

TEST(memcached_request, only_what_replaces_a_value_drops_it_where_it_is_too_large) {
  for (const auto& [text, drops] : {std::pair{"set a 0 0 11\r\n", true},
                                    {"ms a 11 MA\r\n", true},
                                    {"add a 0 0 11\r\n", false},
                                    {"replace a 0 0 11\r\n", false},
                                    {"append a 0 0 11\r\n", false},
                                    {"cas a 0 0 11 1\r\n", false},
                                    {"set a 0 0 -1\r\n", false},
                                    {"ms a 11 MAA\r\n", false}}) {
    McRequest request;
    const McParsed parsed = parse_memcached(text, {64, 10}, request);
    EXPECT_EQ(parsed.what, McParsed::What::refused);
    EXPECT_EQ(parsed.drops, drops) << text;
  }
}

TEST(memcached_request, a_command_that_is_not_whole_says_how_many_bytes_it_wants) {
  McRequest request;
  const std::string_view whole = "set key 0 0 5\r\nhello\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const McParsed parsed = parse_memcached(whole.substr(0, size), {}, request);
    ASSERT_EQ(parsed.what, McParsed::What::more) << size;
    ASSERT_GT(parsed.wanted, size);
    ASSERT_LE(parsed.wanted, whole.size());
  }
  EXPECT_EQ(parse_memcached(whole, {}, request).used, whole.size());
}

}  // namespace
}  // namespace arcwise::router
