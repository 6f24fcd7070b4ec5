// What clients get while there is no room for more of theirs: nothing is lost, nothing waits for ever, and
// what is kept is bounded.
#include "router/proxy.hpp"

#include <gtest/gtest.h>

#include "place/testing.hpp"
#include "router/opaque_testing.hpp"

namespace arcwise::router {
namespace {

Pool pool_of_one() {
  Pool pool(compile(testing::map_of(testing::parts("ring", {testing::node("s")}, 1, Across::node, 16))));
  pool.timeout = milliseconds(100);
  pool.addresses.push_back("s");
  return pool;
}

// Connected, and known to speak meta.
Proxy::ClientId begin(Proxy& proxy) {
  const auto id = proxy.add_client();
  proxy.client_in(id).append("get a\r\n");
  proxy.serve(id, Time(0));
  proxy.connected(0, Time(0));
  proxy.server_in(0).append("MN\r\nEND\r\n");
  EXPECT_TRUE(proxy.answered(0, Time(0)));
  proxy.client_out(id).clear();
  proxy.server_out(0).clear();
  return id;
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(proxy_room, answers_that_nobody_wants_to_hear_make_room_too) {
  Pool pool = pool_of_one();
  pool.limits.requests = 10;
  Proxy proxy(std::move(pool));
  const auto id = begin(proxy);
  for (int i = 0; i < 35; ++i) proxy.client_in(id).append("mg a v q\r\n");
  proxy.client_in(id).append("mn\r\n");
  proxy.serve(id, Time(0));
  for (int turn = 0; turn < 10; ++turn) {
    const std::size_t asked = count_of(proxy.server_out(0).view(), "mg a");
    proxy.server_out(0).clear();
    for (std::size_t i = 0; i < asked; ++i) proxy.server_in(0).append("EN\r\n");
    EXPECT_TRUE(proxy.answered(0, Time(0)));
    proxy.tick(Time(0));
    proxy.each_client_to_send([&](Proxy::ClientId c) {
      if (proxy.waits_for_service(c)) proxy.serve(c, Time(0));
    });
  }
  EXPECT_EQ(proxy.client_out(id).view(), "MN\r\n");
}

TEST(proxy_room, the_keys_of_a_get_are_asked_bit_by_bit_until_their_values_come) {
  const auto hear = [](Proxy& proxy, std::string_view text) {
    proxy.server_out(0).clear();
    proxy.server_in(0).append(text);
    EXPECT_TRUE(proxy.answered(0, Time(0)));
    proxy.client_out(0).clear();
  };
  for (const auto& [before, answer, expected] :
       {std::tuple{std::string(), std::string(), 16u},
        {"set a 0 0 1\r\n1\r\n", "STORED\r\n", 16u},
        {"get a\r\n", "VA 1" + opaque_of("a") + " f0\r\n1\r\n", 64u}}) {
    Proxy proxy(pool_of_one());
    const auto id = begin(proxy);
    proxy.client_in(id).append(before);
    proxy.serve(id, Time(0));
    if (!answer.empty()) hear(proxy, answer);
    std::string keys, values;
    for (int i = 0; i < 500; ++i) keys += " k" + std::to_string(i);
    proxy.client_in(id).append("get" + keys + "\r\n");
    proxy.serve(id, Time(0));
    EXPECT_EQ(count_of(proxy.server_out(0).view(), "mg k"), expected) << before;
    for (unsigned i = 0; i < expected; ++i)
      values += "VA 1" + opaque_of("k" + std::to_string(i)) + " f0\r\n1\r\n";
    hear(proxy, values);
    proxy.serve(id, Time(0));
    EXPECT_EQ(count_of(proxy.server_out(0).view(), "mg k"), 2 * expected) << before;
  }
}

TEST(proxy_room, a_client_goes_on_when_a_server_takes_what_it_was_sent_and_others_do_not_wait) {
  Pool pool = pool_of_one();
  pool.limits.unsent = 1000;
  Proxy proxy(std::move(pool));
  const auto id = begin(proxy), other = proxy.add_client();
  const std::string write = "set a 0 0 100\r\n" + std::string(100, 'v') + "\r\n";
  for (int i = 0; i < 100; ++i) proxy.client_in(id).append(write);
  proxy.serve(id, Time(0));
  EXPECT_LT(proxy.server_out(0).size(), 1300u);
  EXPECT_FALSE(proxy.wants_bytes(id));
  proxy.client_in(other).append("mn\r\n");
  proxy.serve(other, Time(0));
  EXPECT_EQ(proxy.client_out(other).view(), "MN\r\n");
  std::size_t sent = 0;
  for (int turn = 0; turn < 100 && sent < 100; ++turn) {
    const std::size_t now = count_of(proxy.server_out(0).view(), "set a");
    sent += now;
    proxy.server_out(0).clear();
    for (std::size_t i = 0; i < now; ++i) proxy.server_in(0).append("STORED\r\n");
    EXPECT_TRUE(proxy.answered(0, Time(0)));
    proxy.tick(Time(0));
    proxy.each_client_to_send([&](Proxy::ClientId c) {
      if (proxy.waits_for_service(c)) proxy.serve(c, Time(0));
    });
    EXPECT_LT(proxy.server_out(0).size(), 1300u);
  }
  EXPECT_EQ(count_of(proxy.client_out(id).view(), "STORED\r\n"), 100u);
}

TEST(proxy_room, many_clients_of_a_server_that_takes_nothing_are_refused_before_too_much_waits) {
  Pool pool = pool_of_one();
  pool.limits.unsent = 1000;
  Proxy proxy(std::move(pool));
  begin(proxy);
  const std::string write = "set a 0 0 500\r\n" + std::string(500, 'v') + "\r\n";
  std::size_t refused = 0;
  for (int i = 0; i < 100; ++i) {
    const auto id = proxy.add_client();
    proxy.client_in(id).append(write);
    proxy.serve(id, Time(0));
    refused += proxy.client_out(id).view() == "SERVER_ERROR busy: s: more waits for it than it takes\r\n";
  }
  EXPECT_GT(refused, 50u);
  EXPECT_LT(proxy.server_out(0).size(), 10'000u);
}

TEST(proxy_room, a_client_that_is_held_back_is_told_when_the_server_is_given_up) {
  Pool pool = pool_of_one();
  pool.limits.unsent = 1000;
  Proxy proxy(std::move(pool));
  const auto id = begin(proxy);
  const std::string write = "set a 0 0 100\r\n" + std::string(100, 'v') + "\r\n";
  for (int i = 0; i < 100; ++i) proxy.client_in(id).append(write);
  proxy.serve(id, Time(0));
  std::size_t told = 0;
  for (int turn = 0; turn < 20; ++turn) {
    proxy.tick(milliseconds(101));
    proxy.each_client_to_send([&](Proxy::ClientId c) {
      if (proxy.waits_for_service(c)) proxy.serve(c, milliseconds(101));
    });
    told += count_of(proxy.client_out(id).view(), "no reply for 100 ms");
    proxy.client_out(id).clear();
  }
  EXPECT_EQ(told, 100u);
}

}  // namespace
}  // namespace arcwise::router
