// What Redis clients settle with the router, and where their commands go: said and answered by hand.
#include <gtest/gtest.h>

#include <set>

#include "router/talk_testing.hpp"

namespace arcwise::router {
namespace {

using testing::command;
using testing::hello3;
using testing::hello3_answer;
using testing::Talk;

TEST(proxy_redis, each_version_of_the_protocol_has_its_connection) {
  Talk talk(1);
  const auto old = talk.proxy.add_client(), modern = talk.proxy.add_client();
  talk.say(modern, {"HELLO", "3"});
  EXPECT_EQ(talk.told(modern).substr(0, 4), "%7\r\n");
  talk.say(old, {"GET", "a"});
  talk.say(modern, {"HGETALL", "a"});
  EXPECT_EQ(talk.sent(0), command({"GET", "a"}));
  EXPECT_EQ(talk.sent(1), hello3 + command({"HGETALL", "a"}));
  talk.answer(1, hello3_answer);
  talk.answer(1, "%1\r\n$1\r\nf\r\n$1\r\nv\r\n");
  EXPECT_EQ(talk.told(modern), "%1\r\n$1\r\nf\r\n$1\r\nv\r\n");
  EXPECT_EQ(talk.told(old), "");
  talk.answer(0, "$-1\r\n");
  EXPECT_EQ(talk.told(old), "$-1\r\n");
}

TEST(proxy_redis, a_client_changes_connections_only_when_all_it_asked_for_is_answered) {
  Talk talk(1);
  const auto id = talk.proxy.add_client();
  talk.proxy.client_in(id).append(command({"SET", "a", "1"}) + hello3 + command({"GET", "a"}));
  talk.serve(id);
  EXPECT_EQ(talk.sent(0), command({"SET", "a", "1"}));
  EXPECT_EQ(talk.told(id), "");
  talk.answer(0, "+OK\r\n");
  EXPECT_EQ(talk.told(id), "+OK\r\n");
  EXPECT_EQ(talk.told(id).substr(0, 2), "%7");
  EXPECT_EQ(talk.sent(1), hello3 + command({"GET", "a"}));
}

TEST(proxy_redis, a_transaction_that_watches_goes_on_its_clients_own_connection) {
  Talk talk(1);
  const auto id = talk.proxy.add_client(), other = talk.proxy.add_client();
  talk.say(id, {"WATCH", "a"});
  talk.say(id, {"GET", "a"});
  talk.say(other, {"SET", "a", "2"});
  EXPECT_EQ(talk.sent(0), command({"SET", "a", "2"}));
  EXPECT_EQ(talk.sent(1), command({"WATCH", "a"}) + command({"GET", "a"}));
  talk.answer(1, "+OK\r\n$1\r\n1\r\n");
  talk.told(id);
  talk.proxy.client_in(id).append(command({"MULTI"}) + command({"SET", "a", "3"}) + command({"EXEC"}) +
                                  command({"GET", "a"}));
  talk.serve(id);
  EXPECT_EQ(talk.sent(1), command({"MULTI"}) + command({"SET", "a", "3"}) + command({"EXEC"}));
  EXPECT_EQ(talk.sent(0), "") << "what stands behind EXEC waits for it";
  talk.answer(1, "+OK\r\n+QUEUED\r\n*-1\r\n");
  EXPECT_EQ(talk.told(id), "+OK\r\n+QUEUED\r\n*-1\r\n");
  EXPECT_EQ(talk.sent(0), command({"GET", "a"}));
  // The connection is used again.
  talk.say(other, {"PING"});
  talk.answer(0, "+OK\r\n$1\r\n2\r\n");
  talk.told(other);
  talk.say(other, {"WATCH", "b"});
  EXPECT_EQ(talk.sent(1), command({"WATCH", "b"}));
}

TEST(proxy_redis, a_watch_that_is_lost_makes_exec_do_nothing) {
  Talk talk(1);
  const auto id = talk.proxy.add_client();
  talk.say(id, {"WATCH", "a"});
  talk.answer(1, "+OK\r\n");
  talk.proxy.lost(1, "it closed the connection", talk.now);
  talk.say(id, {"MULTI"});
  talk.say(id, {"SET", "a", "3"});
  talk.say(id, {"EXEC"});
  EXPECT_EQ(talk.told(id), "+OK\r\n+OK\r\n+QUEUED\r\n*-1\r\n");
  EXPECT_EQ(talk.sent(0) + talk.sent(1), "");
  talk.say(id, {"MULTI"});
  talk.say(id, {"SET", "a", "3"});
  talk.say(id, {"EXEC"});
  EXPECT_EQ(talk.sent(0), command({"MULTI"}) + command({"SET", "a", "3"}) + command({"EXEC"}))
      << "once, and no more";
}

TEST(proxy_redis, a_new_map_ends_what_is_watched) {
  Talk talk(1);
  const auto id = talk.proxy.add_client();
  talk.say(id, {"WATCH", "a"});
  talk.answer(1, "+OK\r\n");
  talk.say(id, {"MULTI"});
  talk.proxy.adopt(Talk::pool(3, ""));
  for (const std::string key : {"a", "b", "c", "d"}) {
    if (talk.owner(key) == talk.owner("a")) talk.say(id, {"SET", key, "1"});
  }
  talk.say(id, {"EXEC"});
  const std::string told = talk.told(id);
  EXPECT_TRUE(told.ends_with("+QUEUED\r\n*-1\r\n")) << told;
}

TEST(proxy_redis, what_is_watched_ends_with_discard_unwatch_reset_and_the_client) {
  for (const std::string how : {"DISCARD", "UNWATCH", "RESET"}) {
    Talk talk(1);
    const auto id = talk.proxy.add_client();
    talk.say(id, {"WATCH", "a"});
    talk.answer(1, "+OK\r\n");
    talk.told(id);
    talk.sent(1);
    if (how == "DISCARD") talk.say(id, {"MULTI"});
    talk.say(id, {how});
    EXPECT_EQ(talk.sent(1), command({"UNWATCH"})) << how;
  }
  Talk talk(1);
  const auto id = talk.proxy.add_client();
  talk.say(id, {"WATCH", "a"});
  talk.proxy.drop_client(id);
  std::set<Proxy::ServerId> ended;
  talk.proxy.each_to_disconnect([&](Proxy::ServerId s, std::string_view) { ended.insert(s); });
  EXPECT_EQ(ended, std::set<Proxy::ServerId>{1});
}

TEST(proxy_redis, nothing_is_sent_to_a_server_while_one_of_its_connections_owes_what_was_given_up) {
  Talk talk(1);
  const auto old = talk.proxy.add_client(), modern = talk.proxy.add_client();
  talk.say(modern, {"HELLO", "3"});
  talk.say(modern, {"SET", "a", "1"});
  talk.say(old, {"GET", "a"});
  talk.answer(0, "$-1\r\n");
  talk.proxy.tick(milliseconds(101));
  talk.told(modern);
  talk.told(old);
  talk.sent(0);
  talk.now = milliseconds(102);
  talk.say(old, {"SET", "a", "2"});
  EXPECT_EQ(talk.sent(0), "") << "the write on the other connection may still be done";
  EXPECT_EQ(talk.told(old), "-ERR s0: no reply for 100 ms\r\n");
  const std::string sentinel = talk.sent(1);
  ASSERT_NE(sentinel.find("ECHO"), sentinel.npos) << sentinel;
  talk.answer(1, std::string(hello3_answer) + "+OK\r\n");
  talk.say(old, {"SET", "a", "3"});
  EXPECT_EQ(talk.sent(0), "") << "more may come that nobody asked for";
  talk.told(old);
  talk.answer(1, sentinel.substr(sentinel.find("ECHO") + 6));
  talk.say(old, {"SET", "a", "3"});
  EXPECT_EQ(talk.sent(0), command({"SET", "a", "3"}));
}

TEST(proxy_redis, a_scan_goes_from_server_to_server_and_lists_each_ones_own_keys) {
  Talk talk(2);
  const auto id = talk.proxy.add_client();
  const std::string first = talk.key_of(0), second = talk.key_of(1);
  const auto two = [&] { return "*2\r\n" + resp_bulk(first) + resp_bulk(second); };
  talk.say(id, {"SCAN", "0", "COUNT", "5"});
  EXPECT_EQ(talk.sent(0), command({"SCAN", "0", "COUNT", "5"}));
  talk.answer(0, "*2\r\n$2\r\n96\r\n" + two());
  const auto page = [](std::uint64_t cursor, const std::string& key) {
    return "*2\r\n" + resp_bulk(std::to_string(cursor)) + "*1\r\n" + resp_bulk(key);
  };
  EXPECT_EQ(talk.told(id), page(96 << 16, first));
  talk.say(id, {"SCAN", std::to_string(96 << 16)});
  EXPECT_EQ(talk.sent(0), command({"SCAN", "96"}));
  talk.answer(0, "*2\r\n$1\r\n0\r\n" + two());
  EXPECT_EQ(talk.told(id), page(1, first));
  talk.say(id, {"SCAN", "1"});
  EXPECT_EQ(talk.sent(1), command({"SCAN", "0"}));
  talk.answer(1, "*2\r\n$1\r\n0\r\n" + two());
  EXPECT_EQ(talk.told(id), page(0, second));
  talk.say(id, {"SCAN", "2"});
  EXPECT_EQ(talk.told(id), "-ERR invalid cursor\r\n") << "there is no third server";
}

TEST(proxy_redis, answers_of_all_servers_become_one) {
  Talk talk(2);
  const auto id = talk.proxy.add_client();
  const auto ask = [&](const std::vector<std::string>& words, std::string_view x, std::string_view y) {
    talk.say(id, words);
    talk.answer(0, x);
    EXPECT_EQ(talk.told(id), "") << words[0];
    talk.answer(1, y);
    return talk.told(id);
  };
  const std::string first = talk.key_of(0), second = talk.key_of(1);
  const std::string both = "*2\r\n" + resp_bulk(first) + resp_bulk(second);
  EXPECT_EQ(ask({"KEYS", "*"}, both, both), both);
  EXPECT_EQ(ask({"SCRIPT", "EXISTS", "a", "b", "c"}, "*3\r\n:1\r\n:0\r\n:1\r\n", "*3\r\n:1\r\n:1\r\n:0\r\n"),
            "*3\r\n:1\r\n:0\r\n:0\r\n");
  EXPECT_EQ(ask({"SCRIPT", "LOAD", "x"}, "$2\r\nab\r\n", "$2\r\nab\r\n"), "$2\r\nab\r\n");
  EXPECT_EQ(ask({"SCRIPT", "LOAD", "x"}, "$2\r\nab\r\n", "-ERR no\r\n"), "-ERR no\r\n");
  EXPECT_EQ(ask({"DBSIZE"}, ":2\r\n", ":40\r\n"), ":42\r\n");
  EXPECT_EQ(ask({"RANDOMKEY"}, "$-1\r\n", "$1\r\nk\r\n"), "$1\r\nk\r\n");
  EXPECT_EQ(ask({"RANDOMKEY"}, "$1\r\nk\r\n", "$-1\r\n"), "$1\r\nk\r\n");
  EXPECT_EQ(ask({"RANDOMKEY"}, "$-1\r\n", "$-1\r\n"), "$-1\r\n");
  std::set<std::string> drawn;
  for (int i = 0; i < 30; ++i) drawn.insert(ask({"RANDOMKEY"}, "$1\r\nk\r\n", "$1\r\nj\r\n"));
  EXPECT_EQ(drawn.size(), 2u);
}

TEST(proxy_redis, without_the_pools_password_a_client_may_only_give_it) {
  Talk talk(1, "secret");
  const auto id = talk.proxy.add_client();
  const auto ask = [&](const std::vector<std::string>& words) {
    talk.say(id, words);
    return talk.told(id);
  };
  EXPECT_EQ(ask({"PING"}), "-NOAUTH Authentication required.\r\n");
  EXPECT_EQ(ask({"NOPE"}), "-NOAUTH Authentication required.\r\n");
  EXPECT_EQ(ask({"HELLO", "3"}).substr(0, 7), "-NOAUTH");
  EXPECT_EQ(ask({"AUTH", "secre"}).substr(0, 10), "-WRONGPASS");
  EXPECT_EQ(ask({"AUTH", "secretsecret"}).substr(0, 10), "-WRONGPASS");
  EXPECT_EQ(ask({"AUTH", "someone", "secret"}).substr(0, 10), "-WRONGPASS");
  EXPECT_EQ(ask({"HELLO", "3", "AUTH", "default", "secret", "SETNAME", "me"}).substr(0, 2), "%7");
  EXPECT_EQ(ask({"CLIENT", "GETNAME"}), "$2\r\nme\r\n");
  EXPECT_EQ(ask({"RESET"}), "+RESET\r\n");
  EXPECT_EQ(ask({"CLIENT", "GETNAME"}), "-NOAUTH Authentication required.\r\n");
  EXPECT_EQ(ask({"AUTH", "secret"}), "+OK\r\n");
  EXPECT_EQ(ask({"CLIENT", "GETNAME"}), "$-1\r\n");
}

TEST(proxy_redis, what_is_not_routed_has_one_error_and_what_is_behind_it_is_answered) {
  Talk talk(1);
  const auto id = talk.proxy.add_client();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"SUBSCRIBE", "x"},
                                             {"SSUBSCRIBE", "x"},
                                             {"PUBLISH", "x", "y"},
                                             {"BLPOP", "a", "0"},
                                             {"XREAD", "BLOCK", "0", "STREAMS", "s", "0"},
                                             {"MONITOR"},
                                             {"SHUTDOWN"},
                                             {"SYNC"},
                                             {"WAIT", "0", "0"},
                                             {"CLIENT", "REPLY", "OFF"},
                                             {"CLIENT", "TRACKING", "ON"},
                                             {"CLIENT", "CACHING", "YES"},
                                             {"CLIENT", "NOPE"},
                                             {"READONLY"},
                                             {"ASKING"},
                                             {"PSYNC", "?", "-1"},
                                             {"PFDEBUG", "GETREG", "a"},
                                             {"CLUSTER", "SLOTS"},
                                             {"CONFIG", "SET", "a", "b"},
                                             {"SELECT", "1"},
                                             {"SELECT", "0x"},
                                             {"SELECT", "zero"},
                                             {"OBJECT"},
                                             {"NOPE", "x"}}) {
    talk.proxy.client_in(id).append(command(words) + command({"PING"}));
    talk.serve(id);
    const std::string said = talk.told(id);
    EXPECT_EQ(said.front(), '-') << said;
    EXPECT_EQ(said.substr(said.find('\n') + 1), "+PONG\r\n") << words[0];
  }
  EXPECT_EQ(talk.sent(0), "");
  talk.say(id, {"XREAD", "COUNT", "1", "STREAMS", "block", "0"});
  EXPECT_EQ(talk.sent(0), command({"XREAD", "COUNT", "1", "STREAMS", "block", "0"}));
}

TEST(proxy_redis, what_would_change_a_shared_connection_is_not_queued) {
  Talk talk(1);
  const auto id = talk.proxy.add_client();
  talk.say(id, {"MULTI"});
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"SSUBSCRIBE", "x"},
                                             {"SELECT", "1"},
                                             {"AUTH", "x"},
                                             {"HELLO", "3"},
                                             {"MONITOR"},
                                             {"WATCH", "a"},
                                             {"PFDEBUG", "GETREG", "a"},
                                             {"CLIENT", "REPLY", "OFF"},
                                             {"CLIENT", "TRACKING", "ON"},
                                             {"CLIENT", "CACHING", "YES"},
                                             {"WAIT", "0", "0"}}) {
    talk.told(id);
    talk.say(id, words);
    EXPECT_EQ(talk.told(id).front(), '-') << words[0];
  }
  talk.say(id, {"EXEC"});
  const std::string said = talk.told(id);
  EXPECT_NE(said.find("-EXECABORT"), said.npos) << said;
  EXPECT_EQ(talk.sent(0), "");
}

TEST(proxy_redis, a_server_that_refuses_the_greeting_is_told_with_its_words) {
  Talk talk(1);
  const auto id = talk.proxy.add_client();
  talk.say(id, {"HELLO", "3"});
  talk.told(id);
  talk.say(id, {"GET", "a"});
  talk.answer(1, "-ERR unknown command `HELLO`\r\n-NOAUTH\r\n");
  talk.proxy.each_to_disconnect([&](Proxy::ServerId s, std::string_view why) {
    EXPECT_EQ(why, "it refused: ERR unknown command `HELLO`");
    talk.proxy.lost(s, why, talk.now);
  });
  EXPECT_EQ(talk.told(id), "-ERR s0: it refused: ERR unknown command `HELLO`\r\n");
}

TEST(proxy_redis, what_is_said_to_a_web_server_ends_the_connection) {
  for (const std::string line : {"POST / HTTP/1.1\r\n", "Host: localhost\r\n"}) {
    Talk talk(1);
    const auto id = talk.proxy.add_client();
    talk.proxy.client_in(id).append(line + "SET a 1\r\n");
    talk.serve(id);
    EXPECT_TRUE(talk.proxy.finished(id));
    EXPECT_EQ(talk.told(id) + talk.sent(0), "");
  }
}

TEST(proxy_redis, what_only_a_server_knows_is_not_made_up) {
  Talk talk(1);
  const auto id = talk.proxy.add_client();
  talk.say(id, {"CONFIG", "GET", "save", "appendonly"});
  EXPECT_EQ(talk.told(id).substr(0, 4), "*4\r\n");
  for (const char* name : {"maxmemory", "max*", "nope"}) {
    talk.say(id, {"CONFIG", "GET", "save", name});
    EXPECT_EQ(talk.told(id).substr(0, 17 + std::string(name).size()),
              "-ERR 'config get " + std::string(name));
  }
}

TEST(proxy_redis, a_transaction_ends_with_its_session) {
  Talk talk(1);
  const auto id = talk.proxy.add_client();
  talk.proxy.client_in(id).append("MULTI\r\nSET a 1\r\nRESET\r\nEXEC\r\nMULTI\r\nQUIT\r\n");
  talk.serve(id);
  EXPECT_EQ(talk.told(id), "+OK\r\n+QUEUED\r\n+RESET\r\n-ERR EXEC without MULTI\r\n+OK\r\n+OK\r\n");
  EXPECT_TRUE(talk.proxy.finished(id));
  EXPECT_EQ(talk.sent(0), "");
}

TEST(proxy_redis, a_push_answers_nothing) {
  Talk talk(1);
  const auto id = talk.proxy.add_client();
  talk.say(id, {"HELLO", "3"});
  talk.told(id);
  talk.say(id, {"GET", "a"});
  talk.answer(1, std::string(hello3_answer) + ">2\r\n$10\r\ninvalidate\r\n_\r\n$1\r\n7\r\n");
  EXPECT_EQ(talk.told(id), "$1\r\n7\r\n");
}

}  // namespace
}  // namespace arcwise::router
