// When a proxy wants to be told the time: late enough to let its loop sleep, early enough to miss nothing.
#include <gtest/gtest.h>

#include "place/testing.hpp"
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

constexpr milliseconds timeout{100}, probe_every{1000};

class Deadlines : public ::testing::Test {
 protected:
  Deadlines() : proxy(make_pool()) {
    tick(Time{});
    proxy.connected(0, Time{});
    hear("MN\r\n", Time{});
    client = proxy.add_client();
  }
  static Pool make_pool() {
    Pool pool(compile(testing::map_of(testing::parts("ring", {testing::node("a")}, 1, Across::node, 16))));
    pool.addresses = {"a"};
    pool.timeout = timeout;
    pool.failing.probe_every = probe_every;
    return pool;
  }
  // As a loop does it: a tick, and what it asks for.
  void tick(Time now) {
    proxy.tick(now);
    proxy.each_to_disconnect([](Proxy::ServerId, std::string_view) {});
    proxy.each_to_connect([](Proxy::ServerId) {});
    proxy.each_server_to_send([&](Proxy::ServerId s) { proxy.server_out(s).clear(); });
    proxy.each_client_to_send([&](Proxy::ClientId id) { proxy.client_out(id).clear(); });
    EXPECT_GT(proxy.deadline(now), now) << "it would go round without end";
  }
  void ask(std::string_view text, Time now) {
    proxy.client_in(client).append(text);
    proxy.serve(client, now);
    tick(now);
  }
  void hear(std::string_view text, Time now) {
    proxy.server_in(0).append(text);
    EXPECT_TRUE(proxy.answered(0, now));
    tick(now);
  }
  // Nothing happens before the deadline, and something at it.
  template <class Happened>
  void expect_at(Time at, Time now, Happened&& happened) {
    EXPECT_EQ(proxy.deadline(now), at);
    tick(at - Time(1));
    EXPECT_FALSE(happened());
    tick(at);
    EXPECT_TRUE(happened());
  }

  Proxy proxy;
  Proxy::ClientId client = 0;
};

TEST_F(Deadlines, a_request_is_given_up_after_its_time) {
  const Time now = milliseconds(10);
  ask("get x\r\n", now);
  expect_at(now + timeout + Time(1), now, [&] { return proxy.state(0) == ServerState::stalled; });
}

TEST_F(Deadlines, a_server_that_goes_on_answering_is_not_given_up_and_not_looked_at_all_the_time) {
  ask("get x\r\nget x\r\nget x\r\n", milliseconds(10));
  hear("EN\r\n", milliseconds(100));
  hear("EN\r\n", milliseconds(190));
  const Time now = milliseconds(190);
  expect_at(now + timeout + Time(1), now, [&] { return proxy.state(0) == ServerState::stalled; });
}

TEST_F(Deadlines, an_idle_server_is_asked_now_and_then) {
  const Time now = milliseconds(10);
  tick(now);
  const auto asked = [&] { return proxy.stats(now).servers[0].in_flight > 0; };
  expect_at(probe_every, now, asked);
}

TEST_F(Deadlines, a_lost_server_is_connected_to_again_when_its_wait_is_over) {
  const Time now = milliseconds(10);
  ask("get x\r\n", now);
  proxy.lost(0, "gone", now);
  tick(now);
  expect_at(now + Failing{}.first_retry, now, [&] { return proxy.state(0) == ServerState::connecting; });
}

}  // namespace
}  // namespace arcwise::router
