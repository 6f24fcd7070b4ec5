// What is kept for a client that does not read, and of answers that are too long.
#include <gtest/gtest.h>

#include "place/testing.hpp"
#include "router/opaque_testing.hpp"
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

Pool one_server(Protocol protocol) {
  Pool pool(compile(testing::map_of(testing::parts("ring", {testing::node("s0")}, 1, Across::node, 16))));
  pool.protocol = protocol;
  pool.addresses = {"s0"};
  pool.failing.probe_every = milliseconds(0);
  return pool;
}

std::string value(std::size_t size) {
  return "VALUE a 0 " + std::to_string(size) + "\r\n" + std::string(size, 'v') + "\r\nEND\r\n";
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(proxy_bounds, a_client_that_asks_for_long_values_has_few_requests_under_way) {
  Pool pool = one_server(Protocol::memcached);
  pool.limits.unsent = 100'000;
  Proxy proxy(std::move(pool));
  const auto id = proxy.add_client();
  proxy.client_in(id).append("get a\r\n");
  proxy.serve(id, Time(0));
  proxy.connected(0, Time(0));
  proxy.server_in(0).append("MN\r\n" + value(20'000));
  EXPECT_TRUE(proxy.answered(0, Time(0)));
  proxy.client_out(id).clear();
  for (int i = 0; i < 1000; ++i) proxy.client_in(id).append("get a\r\n");
  proxy.serve(id, Time(0));
  EXPECT_LE(proxy.counters().parts, 6u);
  EXPECT_GE(proxy.counters().parts, 3u);
  std::size_t most = 0, answers = 0;
  for (std::uint64_t sent = 1; answers < 1000;) {
    for (; sent < proxy.counters().parts; ++sent)
      proxy.server_in(0).append("VA 20000" + opaque_of("a") + " f0\r\n" + std::string(20'000, 'v') + "\r\n");
    EXPECT_TRUE(proxy.answered(0, Time(0)));
    most = std::max(most, proxy.client_out(id).size());
    answers += count(proxy.client_out(id).view(), "END\r\n");
    proxy.client_out(id).clear();
    ASSERT_TRUE(proxy.waits_for_service(id) || answers == 1000);
    proxy.serve(id, Time(0));
  }
  EXPECT_LT(most, 150'000u);
}

TEST(proxy_bounds, beyond_what_is_held_answers_are_errors_one_for_each) {
  for (const bool in_order : {true, false}) {
    Pool pool = one_server(Protocol::redis);
    pool.limits.held = 100'000;
    pool.limits.unsent = 50'000;
    Proxy proxy(std::move(pool));
    const auto id = proxy.add_client();
    for (int i = 0; i < 500; ++i) proxy.client_in(id).append("GET a\r\n");
    proxy.serve(id, Time(0));
    proxy.connected(0, Time(0));
    const std::string answer = "$20000\r\n" + std::string(20'000, 'v') + "\r\n";
    for (int i = 0; i < 500; ++i) {
      proxy.server_in(0).append(answer);
      if (in_order) {
        EXPECT_TRUE(proxy.answered(0, Time(0)));
      }
    }
    EXPECT_TRUE(proxy.answered(0, Time(0)));
    EXPECT_EQ(count(proxy.client_out(id).view(), "$20000\r\n"), 4u);
    EXPECT_EQ(count(proxy.client_out(id).view(), "-ERR out of memory"), 496u);
  }
}

TEST(proxy_bounds, what_many_clients_leave_unread_is_bounded_for_all_and_one_that_reads_is_answered) {
  Pool pool = one_server(Protocol::redis);
  pool.limits.held = 1'000'000;
  pool.limits.unsent = 50'000;
  Proxy proxy(std::move(pool));
  std::vector<Proxy::ClientId> deaf;
  for (int i = 0; i < 10; ++i) {
    deaf.push_back(proxy.add_client());
    for (int n = 0; n < 100; ++n) proxy.client_in(deaf.back()).append("GET a\r\n");
    proxy.serve(deaf.back(), Time(0));
  }
  proxy.connected(0, Time(0));
  const std::string answer = "$20000\r\n" + std::string(20'000, 'v') + "\r\n";
  for (int i = 0; i < 1000; ++i) {
    proxy.server_in(0).append(answer);
    ASSERT_TRUE(proxy.answered(0, milliseconds(i)));
  }
  std::size_t kept = 0;
  for (const auto id : deaf) kept += proxy.client_out(id).size();
  EXPECT_LT(kept, 1'000'000u + 10 * 80'000u);
  const auto other = proxy.add_client();
  proxy.client_in(other).append("GET a\r\n");
  proxy.serve(other, milliseconds(1000));
  proxy.server_in(0).append(answer);
  ASSERT_TRUE(proxy.answered(0, milliseconds(1000)));
  EXPECT_EQ(proxy.client_out(other).view(), answer);
  // When they go, there is room again.
  for (const auto id : deaf) proxy.drop_client(id);
  for (int n = 0; n < 40; ++n) proxy.client_in(other).append("GET a\r\n");
  for (int turn = 0; turn < 40; ++turn) {
    proxy.client_out(other).clear();
    proxy.serve(other, milliseconds(1001 + turn));
    proxy.server_in(0).append(answer);
    ASSERT_TRUE(proxy.answered(0, milliseconds(1001 + turn)));
    EXPECT_EQ(count(proxy.client_out(other).view(), "-ERR"), 0u);
  }
}

TEST(proxy_bounds, what_waits_for_an_answer_before_it_is_counted_too) {
  Pool pool = one_server(Protocol::redis);
  pool.limits.unsent = 100'000;
  Proxy proxy(std::move(pool));
  const auto id = proxy.add_client();
  proxy.client_in(id).append("GET a\r\n");
  for (int i = 0; i < 500; ++i) proxy.client_in(id).append("ECHO " + std::string(1000, 'e') + "\r\n");
  proxy.serve(id, Time(0));
  proxy.connected(0, Time(0));
  EXPECT_LT(proxy.counters().requests, 110u);
  proxy.server_in(0).append("$1\r\nx\r\n");
  EXPECT_TRUE(proxy.answered(0, Time(0)));
  std::size_t echoes = 0;
  for (int i = 0; i < 10; ++i) {
    EXPECT_LT(proxy.client_out(id).size(), 110'000u);
    echoes += count(proxy.client_out(id).view(), "$1000\r\n");
    proxy.client_out(id).clear();
    proxy.serve(id, Time(0));
  }
  EXPECT_EQ(echoes, 500u);
}

TEST(proxy_bounds, an_answer_that_is_too_long_is_an_error_and_is_not_kept) {
  struct Case {
    Protocol protocol;
    std::string asked, head, tail;  ///< the answer is head, a MB, tail
    std::string next;               ///< and that to the request behind it
  };
  const std::string mb(1 << 20, 'v');
  for (const Case& c : std::vector<Case>{
           {Protocol::memcached, "gat 0 a\r\ngat 0 a\r\n", "MN\r\nVALUE a 0 1048576\r\n", "\r\nEND\r\n",
            "END\r\n"},
           {Protocol::memcached, "mg a v\r\nmg a v\r\n", "MN\r\nVA 1048576\r\n", "\r\n", "EN\r\n"},
           {Protocol::redis, "GET a\r\nGET a\r\n", "$1048576\r\n", "\r\n", "$-1\r\n"},
           {Protocol::redis, "LRANGE a 0 -1\r\nGET a\r\n", "*3\r\n$2\r\nhi\r\n$1048576\r\n", "\r\n:1\r\n",
            "$-1\r\n"}}) {
    Pool pool = one_server(c.protocol);
    pool.limits.reply = 10'000;
    Proxy proxy(std::move(pool));
    const auto id = proxy.add_client();
    proxy.client_in(id).append(c.asked);
    proxy.serve(id, Time(0));
    proxy.connected(0, Time(0));
    const std::string answer = c.head + mb + c.tail + c.next;
    for (std::size_t at = 0; at < answer.size(); at += 1000) {
      proxy.server_in(0).append(std::string_view(answer).substr(at, 1000));
      ASSERT_TRUE(proxy.answered(0, Time(0)));
      ASSERT_LT(proxy.server_in(0).size(), 12'000u);
    }
    const std::string_view told = proxy.client_out(id).view();
    EXPECT_NE(told.find("the answer is longer than the router's limit\r\n" + c.next), told.npos)
        << c.asked << told.substr(0, 200);
    EXPECT_LT(told.size(), 200u);
  }
}

TEST(proxy_bounds, an_endless_list_of_small_parts_is_not_kept_either) {
  Pool pool = one_server(Protocol::redis);
  pool.limits.reply = 10'000;
  Proxy proxy(std::move(pool));
  const auto id = proxy.add_client();
  proxy.client_in(id).append("LRANGE a 0 -1\r\nGET a\r\n");
  proxy.serve(id, Time(0));
  proxy.connected(0, Time(0));
  proxy.server_in(0).append("*100000\r\n");
  for (int i = 0; i < 100'000; ++i) {
    proxy.server_in(0).append("$5\r\nhello\r\n");
    ASSERT_TRUE(proxy.answered(0, Time(0)));
    ASSERT_LT(proxy.server_in(0).size(), 11'000u);
  }
  proxy.server_in(0).append("$1\r\n7\r\n");
  EXPECT_TRUE(proxy.answered(0, Time(0)));
  EXPECT_EQ(proxy.client_out(id).view(), "-ERR the answer is longer than the router's limit\r\n$1\r\n7\r\n");
}

}  // namespace
}  // namespace arcwise::router
