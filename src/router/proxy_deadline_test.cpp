// When a proxy wants to be told the time: late enough to let its loop sleep, early enough to miss nothing.
#include <gtest/gtest.h>

#include "place/testing.hpp"
#include "router/opaque_testing.hpp"
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
    proxy.each_client_to_send([&](Proxy::ClientId id) {
      told_ += proxy.client_out(id).view();
      proxy.client_out(id).clear();
    });
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
  void adopt(const Pool& pool) {
    proxy.adopt(pool);
    proxy.take_events();
  }
  static std::string names_of(const std::vector<Event>& events) {
    std::string out;
    for (const Event& event : events) out += event.name + std::string(" ");
    return out;
  }
  std::string told() { return std::exchange(told_, {}); }
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
  std::string ended_;

 private:
  std::string told_;
};

TEST_F(Deadlines, a_request_is_given_up_after_its_time) {
  const Time now = milliseconds(10);
  ask("get x\r\n", now);
  expect_at(now + timeout + Time(1), now, [&] { return proxy.state(0) == ServerState::stalled; });
}

TEST_F(Deadlines, a_request_is_given_up_at_its_own_age_though_others_are_answered) {
  ask("get x\r\nget x\r\n", milliseconds(10));
  ask("get y\r\n", milliseconds(60));
  hear("EN" + opaque_of("x") + "\r\n", milliseconds(100));
  EXPECT_EQ(told(), "END\r\n");
  expect_at(milliseconds(110) + Time(1), milliseconds(100),
            [&] { return told().starts_with("SERVER_ERROR"); });
  expect_at(milliseconds(160) + Time(1), milliseconds(111),
            [&] { return told() == "SERVER_ERROR a: replies take longer than 100 ms\r\n"; });
  EXPECT_GT(proxy.deadline(milliseconds(161)), milliseconds(1000)) << "nobody waits for what it owes";
}

// Half an answer, or none: the server may never give it.
TEST_F(Deadlines, a_connection_on_which_only_reads_are_owed_for_long_is_ended) {
  ask("get x\r\nget y\r\n", milliseconds(10));
  proxy.server_in(0).append("VA 1000000000" + opaque_of("x") + " f0\r\nhalf");
  EXPECT_TRUE(proxy.answered(0, milliseconds(20)));
  tick(milliseconds(500));
  ASSERT_EQ(proxy.state(0), ServerState::stalled);
  const Time stalled = milliseconds(500);
  tick(stalled + milliseconds(30'000) - Time(1));
  ended_.clear();
  EXPECT_LE(proxy.deadline(stalled + milliseconds(30'000) - Time(1)), stalled + milliseconds(30'000));
  proxy.tick(stalled + milliseconds(30'000));
  proxy.each_to_disconnect([&](Proxy::ServerId, std::string_view why) { ended_ = why; });
  EXPECT_EQ(ended_, "it does not answer what it owes");
}

TEST_F(Deadlines, a_connection_on_which_a_write_is_owed_is_kept) {
  ask("get x\r\nset x 0 0 1\r\n1\r\n", milliseconds(10));
  tick(milliseconds(500));
  ASSERT_EQ(proxy.state(0), ServerState::stalled);
  proxy.tick(milliseconds(100'000));
  proxy.each_to_disconnect([&](Proxy::ServerId, std::string_view why) { ended_ = why; });
  EXPECT_EQ(ended_, "") << "what the write does nobody could tell";
  hear("EN" + opaque_of("x") + "\r\nSTORED\r\n", milliseconds(100'001));
  proxy.tick(milliseconds(130'002));
  proxy.each_to_disconnect([&](Proxy::ServerId, std::string_view why) { ended_ = why; });
  EXPECT_EQ(ended_, "it does not answer what it owes") << "the write is done, and only the sentinel is owed";
}

TEST_F(Deadlines, a_request_that_is_younger_than_the_one_given_up_has_its_own_answer) {
  ask("get x\r\nget x\r\n", milliseconds(10));
  ask("get y\r\n", milliseconds(60));
  hear("EN" + opaque_of("x") + "\r\n", milliseconds(100));
  tick(milliseconds(115));
  EXPECT_EQ(proxy.state(0), ServerState::stalled) << "nothing new is sent behind it";
  told();
  hear("EN" + opaque_of("x") + "\r\nVA 1" + opaque_of("y") + " f0\r\n1\r\n", milliseconds(150));
  EXPECT_EQ(told(), "VALUE y 0 1\r\n1\r\nEND\r\n");
  hear("VERSION 1.6.18\r\n", milliseconds(151));
  EXPECT_EQ(proxy.state(0), ServerState::up) << "it owes nothing any more";
}

TEST_F(Deadlines, what_nobody_waits_for_may_take_as_long_as_the_server_answers) {
  ask("set x 0 0 1 noreply\r\n1\r\nset x 0 0 1 noreply\r\n1\r\nset x 0 0 1 noreply\r\n1\r\n",
      milliseconds(10));
  hear("STORED\r\n", milliseconds(100));
  hear("STORED\r\n", milliseconds(190));
  const Time now = milliseconds(190);
  expect_at(now + timeout + Time(1), now, [&] { return proxy.state(0) == ServerState::stalled; });
}

TEST_F(Deadlines, a_server_that_says_nothing_is_told_of_though_a_pool_without_timeout_waits_for_it) {
  Pool pool = make_pool();
  pool.timeout.reset();
  adopt(pool);
  const Time now = milliseconds(10);
  ask("get x\r\n", now);
  const auto silent = [&] { return proxy.stats(now).servers[0].state == ServerState::silent; };
  expect_at(now + probe_every + Time(1), now, silent);
  EXPECT_EQ(told(), "") << "it is waited for";
  hear("EN" + opaque_of("x") + "\r\n", milliseconds(5000));
  EXPECT_EQ(told(), "END\r\n");
  EXPECT_FALSE(silent());
  tick(milliseconds(6000));  // asks whether it answers
  expect_at(milliseconds(7000) + Time(1), milliseconds(6000), silent);
  hear("MN\r\n", milliseconds(8000));
  EXPECT_FALSE(silent());
  EXPECT_EQ(names_of(proxy.take_events()), "server_silent server_heard server_silent server_heard ");
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

// Whoever asks for many of them would cost all others their server.
TEST_F(Deadlines, while_large_answers_come_in_nobody_is_given_up) {
  ask("get x\r\nget y\r\n", Time{});
  const std::string value(300'000, 'v');
  const std::string answer = "VA 300000" + opaque_of("x") + " f0\r\n" + value + "\r\n";
  Time now{};
  for (std::size_t at = 0; at < answer.size(); at += 70'000) {
    now += timeout - milliseconds(1);
    hear(answer.substr(at, 70'000), now);
  }
  EXPECT_EQ(proxy.state(0), ServerState::up);
  EXPECT_GT(told().size(), value.size());
  expect_at(now + timeout + Time(1), now, [&] { return proxy.state(0) == ServerState::stalled; });
}

}  // namespace
}  // namespace arcwise::router
