// Answers that are not those of what was asked.
#include <gtest/gtest.h>

#include "place/testing.hpp"
#include "router/opaque_testing.hpp"
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

/// A client and one server, which has said that it knows meta commands, or is a Redis.
struct Pair {
  explicit Pair(Protocol protocol) : proxy(pool_of(protocol)), id(proxy.add_client()) {
    ask(protocol == Protocol::redis ? "PING\r\nGET none\r\n" : "get none\r\n", Time(0));
    proxy.connected(0, Time(0));
    EXPECT_TRUE(hear(protocol == Protocol::redis ? "$-1\r\n" : "MN\r\nEND\r\n"));
    told();
    sent();
  }
  static Pool pool_of(Protocol protocol) {
    Pool pool(compile(testing::map_of(testing::parts("ring", {testing::node("a")}, 1, Across::node, 16))));
    pool.addresses = {"a"};
    pool.protocol = protocol;
    pool.timeout = milliseconds(100);
    pool.failing.probe_every = milliseconds(0);
    return pool;
  }
  void ask(std::string_view text, Time now) {
    proxy.client_in(id).append(text);
    proxy.serve(id, now);
  }
  bool hear(std::string_view text) {
    proxy.server_in(0).append(text);
    return proxy.answered(0, milliseconds(150));
  }
  std::string told() {
    std::string out(proxy.client_out(id).view());
    proxy.client_out(id).clear();
    return out;
  }
  std::string sent() {
    std::string out(proxy.server_out(0).view());
    proxy.server_out(0).clear();
    return out;
  }

  Proxy proxy;
  ClientId id;
};

TEST(proxy_answers, who_breaks_the_protocol_is_told_of_with_what_was_asked) {
  const auto told = [](std::string_view asked, std::string_view heard) {
    Pair pair(Protocol::redis);
    if (!asked.empty()) pair.ask(asked, milliseconds(140));
    EXPECT_FALSE(pair.hear(heard));
    const std::vector<Event> events = pair.proxy.take_events();
    return events.empty() ? std::string() : events.back().text;
  };
  EXPECT_EQ(told("GET my:key\r\n", "hello\r\n"), "it said 'hello' when it was asked 'get my:key'");
  EXPECT_EQ(told("", "$5\r\nhello\r\n"), "it said '$5', and was asked nothing");
  EXPECT_EQ(told("GET a\r\n", "\x01\x02 is no answer to anything that was asked\r\n"),
            "it said '?? is no answer to anything that...' when it was asked 'get a'");
}

TEST(proxy_answers, what_is_no_answer_to_the_question_is_told_to_nobody_and_ends_the_connection) {
  for (const auto& [asked, heard] : {std::pair{"get a\r\n", "hello\r\n"},
                                     {"get a\r\n", "VA 5 f0\r\nhelloXYHD\r\n"},
                                     {"get a\r\n", "STORED\r\n"},
                                     {"gat 0 a\r\n", "VALUE a 0 5\r\nhello END\r\n"},
                                     {"gat 0 a\r\n", "VALUE b 0 1\r\nx\r\nEND\r\n"},
                                     {"gats 0 a\r\n", "VALUE a 0 1\r\nx\r\nEND\r\n"},
                                     {"mg a v\r\n", "XX\r\n"},
                                     {"mg a v\r\n", "MN\r\n"},
                                     {"ms a 1\r\n1\r\n", "EN\r\n"},
                                     {"set a 0 0 1\r\n1\r\n", "DELETED\r\n"},
                                     {"delete a\r\n", "STORED\r\n"},
                                     {"incr a 1\r\n", "OK\r\n"},
                                     {"touch a 1\r\n", "NOT_STORED\r\n"},
                                     {"flush_all\r\n", "END\r\n"},
                                     {"me a\r\n", "HD\r\n"}}) {
    Pair pair(Protocol::memcached);
    pair.ask(asked, milliseconds(140));
    EXPECT_FALSE(pair.hear(heard)) << asked << heard;
    EXPECT_EQ(pair.told(), "") << asked;
    const std::vector<Event> events = pair.proxy.take_events();
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().name, std::string("server_broke_protocol"));
    const std::string_view begins = heard;
    EXPECT_NE(events.back().text.find("it said '" + std::string(begins.substr(0, begins.find('\r')))),
              std::string::npos)
        << events.back().text;
    pair.proxy.lost(0, "it broke the protocol", milliseconds(150));
    EXPECT_EQ(pair.told(), "SERVER_ERROR a: it broke the protocol\r\n") << asked;
  }
}

TEST(proxy_answers, the_answer_to_another_key_is_not_passed_on) {
  for (const std::string& heard : {"VA 1" + opaque_of("b") + " f0\r\nx\r\n", "EN" + opaque_of("b") + "\r\n",
                                   std::string("VA 1 f0\r\nx\r\n")}) {
    Pair pair(Protocol::memcached);
    pair.ask("get a\r\n", milliseconds(140));
    EXPECT_FALSE(pair.hear(heard)) << heard;
    EXPECT_EQ(pair.told(), "");
  }
}

// The first servers that knew meta commands gave nothing back with a miss.
TEST(proxy_answers, a_miss_without_an_opaque_is_one) {
  Pair pair(Protocol::memcached);
  pair.ask("get a\r\n", milliseconds(140));
  EXPECT_TRUE(pair.hear("EN\r\n"));
  EXPECT_EQ(pair.told(), "END\r\n");
}

// What it answers once too often, or not at all, would be taken for the next one's answer.
TEST(proxy_answers, a_server_that_is_out_of_step_when_it_has_drained_is_not_used_on) {
  struct Case {
    Protocol protocol;
    const char* asked;
    const char* answer;
  };
  for (const Case& c : {Case{Protocol::memcached, "set a 0 0 1\r\n1\r\nset b 0 0 1\r\n1\r\n", "STORED\r\n"},
                        Case{Protocol::redis, "SET a 1\r\nSET b 1\r\n", "+OK\r\n"}}) {
    for (const int answers : {0, 1, 2, 3}) {
      Pair pair(c.protocol);
      pair.ask(c.asked, milliseconds(10));
      pair.sent();
      pair.proxy.tick(milliseconds(120));
      ASSERT_EQ(pair.proxy.state(0), ServerState::stalled);
      const std::string question = pair.sent();
      const std::string sentinel =
          c.protocol == Protocol::redis ? question.substr(question.find("ECHO") + 6) : "VERSION 1\r\n";
      std::string heard;
      for (int i = 0; i < answers; ++i) heard += c.answer;
      EXPECT_EQ(pair.hear(heard + sentinel), answers == 2) << answers;
      EXPECT_EQ(pair.proxy.state(0), answers == 2 ? ServerState::up : ServerState::stalled) << answers;
    }
  }
}

}  // namespace
}  // namespace arcwise::router
