// The proxy, step by step. What holds over whole histories is in router_simulation_test.cpp.
#include "router/proxy.hpp"

#include <gtest/gtest.h>

#include "router/simulated_network.hpp"

namespace arcwise::router {
namespace {

using simulation::pool_of;

Proxy::ClientId client_that_says(Proxy& proxy, std::string_view text) {
  const auto id = proxy.add_client();
  proxy.client_in(id).append(text);
  proxy.serve(id, Time(0));
  return id;
}

TEST(proxy, a_server_that_has_left_the_map_answers_what_it_was_asked_and_is_let_go) {
  Proxy proxy(pool_of(Protocol::memcached, 1));
  const auto id = client_that_says(proxy, "get a\r\n");
  proxy.connected(0, Time(0));
  proxy.adopt(pool_of(Protocol::memcached, 2, 1));
  bool let_go = false;
  proxy.each_to_disconnect([&](Proxy::ServerId, std::string_view) { let_go = true; });
  EXPECT_FALSE(let_go) << "it owes an answer";
  proxy.server_in(0).append("MN\r\nVALUE a 0 1\r\n1\r\nEND\r\n");
  EXPECT_TRUE(proxy.answered(0, Time(0)));
  EXPECT_EQ(proxy.client_out(id).view(), "VALUE a 0 1\r\n1\r\nEND\r\n");
  proxy.each_to_disconnect([&](Proxy::ServerId s, std::string_view) { let_go = s == 0; });
  EXPECT_TRUE(let_go);
}

TEST(proxy, a_server_that_says_what_nobody_asked_for_is_given_up) {
  Proxy proxy(pool_of(Protocol::memcached, 1));
  const auto id = client_that_says(proxy, "get a\r\n");
  proxy.connected(0, Time(0));
  proxy.server_in(0).append("MN\r\nEND\r\nVALUE a 0 1\r\n1\r\nEND\r\n");
  EXPECT_FALSE(proxy.answered(0, Time(0)));
  EXPECT_EQ(proxy.client_out(id).view(), "END\r\n");
}

TEST(proxy, no_answer_within_the_time_is_an_error_that_names_the_server) {
  Proxy proxy(pool_of(Protocol::memcached, 1));
  const auto id = client_that_says(proxy, "get a\r\nset a 0 0 1\r\n1\r\n");
  proxy.connected(0, Time(0));
  proxy.tick(milliseconds(100));
  EXPECT_EQ(proxy.client_out(id).view(), "");
  proxy.tick(milliseconds(101));
  EXPECT_EQ(proxy.client_out(id).view(),
            "SERVER_ERROR s0: no reply for 100 ms\r\nSERVER_ERROR s0: no reply for 100 ms\r\n");
}

TEST(proxy, nothing_is_sent_to_a_server_before_it_has_answered_what_was_given_up) {
  Proxy proxy(pool_of(Protocol::memcached, 1));
  const auto id = proxy.add_client();
  const auto ask = [&](std::string_view text, Time now) {
    proxy.client_in(id).append(text);
    proxy.serve(id, now);
  };
  const auto told = [&] {
    const std::string text(proxy.client_out(id).view());
    proxy.client_out(id).clear();
    return text;
  };
  ask("set a 0 0 1\r\n1\r\n", Time(0));
  proxy.connected(0, Time(0));
  proxy.server_out(0).clear();
  proxy.tick(milliseconds(101));
  EXPECT_EQ(told(), "SERVER_ERROR s0: no reply for 100 ms\r\n");
  ask("set a 0 0 1\r\n2\r\n", milliseconds(5000));
  EXPECT_EQ(told(), "SERVER_ERROR s0: no reply for 100 ms\r\n");
  EXPECT_EQ(proxy.server_out(0).view(), "version\r\n")
      << "the first write may still be done, and undo this one";
  proxy.server_out(0).clear();
  proxy.server_in(0).append("MN\r\nSTORED\r\n");
  EXPECT_TRUE(proxy.answered(0, milliseconds(5001)));
  EXPECT_EQ(told(), "") << "that answer comes too late";
  EXPECT_EQ(proxy.state(0), ServerState::stalled) << "more may come that nobody asked for";
  proxy.server_in(0).append("VERSION 1.6.18\r\n");
  EXPECT_TRUE(proxy.answered(0, milliseconds(5001)));
  ask("set a 0 0 1\r\n3\r\n", milliseconds(5002));
  EXPECT_EQ(proxy.server_out(0).view(), "set a 0 0 1\r\n3\r\n");
}

TEST(proxy, no_server_is_asked_to_be_quiet) {
  Proxy proxy(pool_of(Protocol::memcached, 1));
  const auto id = client_that_says(proxy, "mg a v q1\r\nma n qq v\r\nmd a q\r\n");
  proxy.connected(0, Time(0));
  EXPECT_EQ(proxy.server_out(0).view(), "mn\r\nmg a v\r\nma n v\r\nmd a\r\n");
  proxy.server_in(0).append("MN\r\nEN\r\nVA 1\r\n6\r\nNF\r\n");
  EXPECT_TRUE(proxy.answered(0, Time(0)));
  EXPECT_EQ(proxy.client_out(id).view(), "NF\r\n");
}

TEST(proxy, a_miss_by_policy_is_for_reads_only) {
  Pool pool = pool_of(Protocol::memcached, 1);
  pool.failing.on_failure = OnFailure::miss;
  Proxy proxy(std::move(pool));
  const auto id = proxy.add_client();
  proxy.client_in(id).append("get a b\r\nset a 0 0 1\r\n1\r\nmg a v\r\nmg a v q\r\n");
  proxy.client_in(id).append("mg a O12 v k\r\nmg YQ== k b Ox q\r\nmg Y!Q== k b Ox\r\n");
  proxy.serve(id, Time(0));
  proxy.lost(0, "Connection refused", Time(0));
  EXPECT_EQ(proxy.client_out(id).view(),
            "END\r\nSERVER_ERROR s0: Connection refused\r\nEN\r\nEN O12 ka\r\nEN kYQ== b Ox\r\n");
}

TEST(proxy, a_value_that_is_too_large_takes_the_old_one_with_it) {
  Pool pool = pool_of(Protocol::memcached, 1);
  pool.limits.memcached.value = 3;
  Proxy proxy(std::move(pool));
  const auto id = proxy.add_client();
  proxy.client_in(id).append(
      "set a 0 0 4\r\n1234\r\nset b 0 0 4 noreply\r\n1234\r\nms YQ== 4 b q\r\n1234\r\nadd c 0 0 "
      "4\r\n1234\r\nget a\r\n");
  proxy.serve(id, Time(0));
  proxy.connected(0, Time(0));
  EXPECT_EQ(proxy.server_out(0).view(), "mn\r\ndelete a\r\ndelete b\r\ndelete a\r\nget a\r\n");
  EXPECT_EQ(proxy.client_out(id).view(), "") << "it is not told before the old value is gone";
  proxy.server_in(0).append("ERROR\r\nDELETED\r\nNOT_FOUND\r\nDELETED\r\n");
  EXPECT_TRUE(proxy.answered(0, Time(0)));
  const std::string refused = "SERVER_ERROR object too large for cache\r\n";
  EXPECT_EQ(proxy.client_out(id).view(), refused + refused + refused);
}

TEST(proxy, a_get_of_many_keys_is_asked_for_bit_by_bit) {
  Pool pool = pool_of(Protocol::memcached, 1);
  pool.limits.unsent = 100'000;
  Proxy proxy(std::move(pool));
  const auto id = proxy.add_client();
  std::string keys;
  for (int i = 0; i < 1000; ++i) keys += " k" + std::to_string(i);
  proxy.client_in(id).append("get" + keys + "\r\nmn\r\n");
  proxy.serve(id, Time(0));
  proxy.connected(0, Time(0));
  const std::string value(10'000, 'v');
  std::size_t most_asked = 0, most_kept = 0;
  std::string told;
  proxy.server_in(0).append("ERROR\r\n");
  for (std::size_t asked = 0; proxy.counters().parts > asked;) {
    most_asked = std::max<std::size_t>(most_asked, proxy.counters().parts - asked);
    for (; asked < proxy.counters().parts; ++asked)
      proxy.server_in(0).append("VALUE k" + std::to_string(asked) + " 0 10000\r\n" + value + "\r\nEND\r\n");
    ASSERT_TRUE(proxy.answered(0, Time(0)));
    most_kept = std::max(most_kept, proxy.client_out(id).size());
    told += proxy.client_out(id).view();
    proxy.client_out(id).clear();
    if (proxy.waits_for_service(id)) proxy.serve(id, Time(0));
  }
  told += proxy.client_out(id).view();
  EXPECT_EQ(proxy.counters().parts, 1000u);
  EXPECT_EQ(proxy.counters().requests, 2u);
  EXPECT_LE(most_asked, 64u);
  EXPECT_LT(most_kept, 700'000u);
  for (std::size_t i = 0, at = 0; i < 1000; ++i) {
    at = told.find("VALUE k" + std::to_string(i) + " 0 10000\r\n", at);
    ASSERT_NE(at, told.npos) << i;
  }
  EXPECT_TRUE(told.ends_with("\r\nEND\r\nMN\r\n"));
}

TEST(proxy, a_client_that_never_reads_is_not_served_beyond_its_limits) {
  Pool pool = pool_of(Protocol::memcached, 1);
  pool.limits.requests = 10;
  Proxy proxy(std::move(pool));
  const auto id = proxy.add_client();
  for (int i = 0; i < 1000; ++i) proxy.client_in(id).append("delete a\r\n");
  proxy.serve(id, Time(0));
  EXPECT_FALSE(proxy.waits_for_service(id)) << "there is no room";
  EXPECT_FALSE(proxy.wants_bytes(id));
  EXPECT_EQ(proxy.counters().requests, 10u);
}

}  // namespace
}  // namespace arcwise::router
