#include "router/memcached_reply.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace arcwise::router {
namespace {

struct Known {
  McReply kind;
  std::vector<std::string> replies;
};

const std::vector<Known>& known() {
  static const std::vector<Known> all{
      {McReply::stored, {"STORED\r\n", "NOT_STORED\r\n", "EXISTS\r\n", "NOT_FOUND\r\n"}},
      {McReply::removed, {"DELETED\r\n", "NOT_FOUND\r\n"}},
      {McReply::touched, {"TOUCHED\r\n", "NOT_FOUND\r\n"}},
      {McReply::number, {"0\r\n", "18446744073709551615\r\n", "NOT_FOUND\r\n"}},
      {McReply::done, {"OK\r\n"}},
      {McReply::values,
       {"END\r\n", "VALUE a 4294967295 5\r\nhel\r\n\r\nEND\r\n", "VALUE a 0 0\r\n\r\nEND\r\n"}},
      {McReply::unique_values, {"END\r\n", "VALUE a 0 1 18446744073709551615\r\nx\r\nEND\r\n"}},
      {McReply::meta_get,
       {"EN\r\n", "EN O1 kfoo\r\n", "HD\r\n", "HD s5 t-1\r\n", "VA 5 f0\r\nhello\r\n", "VA 0\r\n\r\n"}},
      {McReply::meta_set, {"HD\r\n", "NS O1\r\n", "EX\r\n", "NF k\r\n"}},
      {McReply::meta_delete, {"HD\r\n", "NF O1\r\n", "EX\r\n"}},
      {McReply::meta_arithmetic, {"HD\r\n", "VA 2 t0\r\n10\r\n", "NF\r\n", "NS\r\n", "EX\r\n"}},
      {McReply::debug, {"EN\r\n", "ME a exp=-1 la=0\r\n"}},
      {McReply::noop, {"MN\r\n"}},
      {McReply::version, {"VERSION 1.6.18\r\n"}}};
  return all;
}

TEST(memcached_reply, each_kind_of_question_has_its_answers_and_errors) {
  for (const auto& [kind, replies] : known()) {
    std::vector<std::string> all = replies;
    for (const char* error : {"ERROR\r\n", "CLIENT_ERROR bad\r\n", "SERVER_ERROR out of memory\r\n"})
      all.push_back(error);
    for (const std::string& reply : all) {
      EXPECT_EQ(scan_memcached(kind, reply + "END\r\n").size, reply.size()) << reply;
      for (std::size_t size = 0; size < reply.size(); ++size) {
        const McScan part = scan_memcached(kind, reply.substr(0, size));
        EXPECT_EQ(part.size, 0u);
        EXPECT_FALSE(part.broken) << reply.substr(0, size);
      }
    }
  }
}

TEST(memcached_reply, what_is_none_breaks_the_connection) {
  for (const auto& [kind, replies] : known()) {
    for (const char* garbage : {"hello\r\n",
                                "\r\n",
                                "MN \r\n",
                                "VA\r\n",
                                "VA x\r\n",
                                "VA -1\r\n",
                                "VA 5 f0\r\nhelloXY",
                                "VA 5 f0\r\nhello\r\r",
                                "VALUE a 0 5\r\nhelloXYEND\r\n",
                                "VALUE a 0 5\r\nhello\r\nVALUE",
                                "VALUE a 0 5\r\nhello\r\nhello\r\n",
                                "VALUE a 0\r\n",
                                "VALUE a 0 x\r\n",
                                "VALUE a 0 1 2 3\r\n",
                                "VALUE  a 0 1\r\n",
                                "VALUE a 0 1 \r\n",
                                "VALUE a 0 1 x\r\n",
                                "END\n",
                                "STORED\n",
                                "STORED x\r\n",
                                "HDx\r\n",
                                "XX\r\n",
                                "EN\n",
                                "1x\r\n",
                                "-1\r\n",
                                "18446744073709551616\r\n",
                                "MN\n"}) {
      EXPECT_TRUE(scan_memcached(kind, garbage).broken) << garbage << " as " << static_cast<int>(kind);
    }
  }
  EXPECT_TRUE(scan_memcached(McReply::meta_get, std::string(9000, 'x')).broken);
  EXPECT_TRUE(scan_memcached(McReply::meta_get, "VA 1073741825\r\n").broken)
      << "more than any memcached takes";
  EXPECT_FALSE(scan_memcached(McReply::meta_get, "VA 1073741824\r\n").broken);
  EXPECT_TRUE(scan_memcached(McReply::values, "VALUE a 0 1 7\r\n").broken) << "nobody asked for a cas";
  EXPECT_TRUE(scan_memcached(McReply::unique_values, "VALUE a 0 1\r\n").broken);
}

// Of the kinds that a router asks for most, and of those that tell whether it is in step.
TEST(memcached_reply, an_answer_in_anothers_place_is_none) {
  const auto takes = [](McReply kind, const std::string& reply) {
    return !scan_memcached(kind, reply).broken;
  };
  for (const auto& [kind, replies] : known()) {
    for (const std::string& reply : replies) {
      const bool value = kind == McReply::values || kind == McReply::unique_values;
      EXPECT_EQ(takes(McReply::noop, reply), kind == McReply::noop) << reply;
      EXPECT_EQ(takes(McReply::version, reply), kind == McReply::version) << reply;
      EXPECT_TRUE(value || !takes(McReply::values, reply)) << reply;
      EXPECT_FALSE((kind == McReply::stored || value) && takes(McReply::meta_get, reply)) << reply;
    }
  }
}

TEST(memcached_reply, a_value_that_is_passed_over_leaves_its_end) {
  for (const auto& [kind, head, end] : {std::tuple{McReply::values, "VALUE a 0 5\r\n", "END\r\n"},
                                        std::tuple{McReply::meta_get, "VA 5 f0\r\n", "\r\n"}}) {
    const std::string whole = std::string(head) + "hello\r\n" + (kind == McReply::values ? end : "");
    const McScan part = scan_memcached(kind, std::string(head) + "he");
    ASSERT_EQ(part.size, 0u);
    ASSERT_EQ(whole.substr(part.spare), end);
    EXPECT_EQ(scan_memcached(part.spared, end).size, std::string_view(end).size());
  }
}

TEST(memcached_reply, the_marks_of_keys_are_as_different_as_random_ones) {
  for (const char* form : {"k%", "user:%:profile:of:one", "%", "0123456789abcdef%0123456789abcdef"}) {
    std::map<McTag, int> counts;
    for (int i = 0; i < 20'000; ++i) {
      std::string key = form;
      ++counts[mc_tag(key.replace(key.find('%'), 1, std::to_string(i)))];
    }
    EXPECT_GT(counts.size(), 3900u) << form << ": of 4096";
    for (const auto& [tag, count] : counts) EXPECT_LT(count, 30) << form;
  }
}

TEST(memcached_reply, a_reply_that_names_another_key_is_not_the_keys) {
  const McTag tag = mc_tag("a"), other = mc_tag("b");
  ASSERT_NE(tag, other);
  const std::string opaque{static_cast<char>(tag >> 8), static_cast<char>(tag & 0xff)};
  for (const std::string& reply :
       {"VALUE a 0 1\r\nx\r\nEND\r\n" + std::string(), "VA 1 O" + opaque + " f0\r\nx\r\n",
        "VA 1 O" + opaque + "\r\nx\r\n", "EN O" + opaque + "\r\n"}) {
    EXPECT_TRUE(is_of_key(reply, tag)) << reply;
    EXPECT_FALSE(is_of_key(reply, other)) << reply;
  }
  for (const char* reply : {"VA 1 f0\r\nx\r\n", "EN O\r\n", "VA 1\r\nx\r\n"})
    EXPECT_FALSE(is_of_key(reply, tag)) << reply;
  for (const char* reply : {"END\r\n", "EN\r\n", "SERVER_ERROR x\r\n"})
    EXPECT_TRUE(is_of_key(reply, tag)) << reply;
}

}  // namespace
}  // namespace arcwise::router
