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
      out.push_back(std::string(parsed.error.substr(0, parsed.error.size() - 2)));
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
             "set key=b rest= 1 -1 0  data=2 noreply", "delete key=a rest= data=0",
             "incr key=n rest= 5  data=0 noreply"}));
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

TEST(memcached_request, what_is_too_large_is_passed_over) {
  const McLimits limits{64, 10};
  EXPECT_EQ(heard("set a 0 0 11\r\n12345678901\r\nget a\r\n", limits),
            (Lines{"SERVER_ERROR object too large for cache", "get key= rest= a data=0"}));
  McRequest request;
  const McParsed parsed = parse_memcached(std::string(65, 'x'), limits, request);
  EXPECT_EQ(parsed.what, McParsed::What::refused);
  EXPECT_TRUE(parsed.skip_line);
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
