// In steady state no request allocates: every operator new in this program is counted.
#include <gtest/gtest.h>

#include "place/allocations_testing.hpp"
#include "place/testing.hpp"
#include "router/opaque_testing.hpp"
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

/// A question of a client, and what servers are asked for it and answer.
struct Exchange {
  std::string asked;
  std::vector<std::string> answers;  ///< of whichever server is asked, in order
  std::string told;
};

struct Steady {
  explicit Steady(Protocol protocol, const Overload& overload = {})
      : proxy(pool(protocol, overload)), id(proxy.add_client()) {
    turn();
    proxy.each_to_connect([&](Proxy::ServerId s) { proxy.connected(s, now); });
    turn();
  }
  static Pool pool(Protocol protocol, const Overload& overload) {
    const std::vector<Node> nodes{testing::node("a"), testing::node("b")};
    Pool out(compile(testing::map_of(testing::parts("ring", nodes, 1, Across::node, 16))));
    out.addresses = {"a", "b"};
    out.protocol = protocol;
    out.timeout = milliseconds(100);
    out.overload = overload;
    return out;
  }
  /// As a loop does it; what servers are asked is answered by the next of `answers`, command by command.
  void turn(const std::vector<std::string>& answers = {}) {
    now += Time(10);
    proxy.tick(now);
    std::size_t next = 0;
    proxy.each_server_to_send([&](Proxy::ServerId s) {
      const std::string_view said = proxy.server_out(s).view();
      const bool probes = said.ends_with("mn\r\n") || said.ends_with("PING\r\n");
      if (probes)
        proxy.server_in(s).append(proxy.pool().protocol == Protocol::redis ? "+PONG\r\n" : "MN\r\n");
      if (!probes && next < answers.size()) proxy.server_in(s).append(answers[next++]);
      proxy.server_out(s).clear();
      EXPECT_TRUE(proxy.answered(s, now));
    });
  }
  void exchange(const Exchange& what) {
    proxy.client_in(id).append(what.asked);
    proxy.serve(id, now);
    turn(what.answers);
    ASSERT_EQ(proxy.client_out(id).view(), what.told) << what.asked;
    proxy.client_out(id).clear();
    proxy.each_client_to_send([](Proxy::ClientId) {});
  }
  /// How often one is allocated for in so many exchanges, after some that are not counted.
  long allocations_of(const Exchange& what) {
    constexpr int before = 100, counted = 500;
    for (int i = 0; i < before; ++i) exchange(what);
    const long from = allocations;
    for (int i = 0; i < counted; ++i) exchange(what);
    return allocations - from;
  }

  Proxy proxy;
  Proxy::ClientId id;
  Time now{};
};

std::string value(std::string_view key) {
  return "VA 1" + opaque_of(key) + " f0\r\n1\r\n";
}

std::vector<Exchange> of_memcached() {
  return {{"get a\r\n", {value("a")}, "VALUE a 0 1\r\n1\r\nEND\r\n"},
          {"get none\r\n", {"EN" + opaque_of("none") + "\r\n"}, "END\r\n"},
          {"get a\r\nget a\r\nget a\r\n",
           {value("a") + value("a") + value("a")},
           "VALUE a 0 1\r\n1\r\nEND\r\nVALUE a 0 1\r\n1\r\nEND\r\nVALUE a 0 1\r\n1\r\nEND\r\n"},
          {"get a a\r\n", {value("a") + value("a")}, "VALUE a 0 1\r\n1\r\nVALUE a 0 1\r\n1\r\nEND\r\n"},
          {"gat 10 a\r\n", {"VALUE a 0 1\r\n1\r\nEND\r\n"}, "VALUE a 0 1\r\n1\r\nEND\r\n"},
          {"set a 0 0 1\r\n1\r\n", {"STORED\r\n"}, "STORED\r\n"},
          {"set a 0 0 1 noreply\r\n1\r\n", {"STORED\r\n"}, ""},
          {"cas a 0 0 1 7\r\n1\r\n", {"EXISTS\r\n"}, "EXISTS\r\n"},
          {"delete a\r\n", {"DELETED\r\n"}, "DELETED\r\n"},
          {"incr a 1\r\n", {"2\r\n"}, "2\r\n"},
          {"touch a 5\r\n", {"TOUCHED\r\n"}, "TOUCHED\r\n"},
          {"mg a v\r\n", {"VA 1\r\n1\r\n"}, "VA 1\r\n1\r\n"},
          {"mg a v q\r\nmn\r\n", {"EN\r\n"}, "MN\r\n"},
          {"ms a 1 T5\r\n1\r\n", {"HD\r\n"}, "HD\r\n"},
          {"md a q\r\nma a D5 v\r\n", {"HD\r\nVA 1\r\n6\r\n"}, "VA 1\r\n6\r\n"},
          {"version\r\n", {}, "VERSION 1.6.18\r\n"},
          {"nonsense\r\n", {}, "ERROR\r\n"}};
}

std::string command(const std::vector<std::string>& words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) out += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  return out;
}

std::vector<Exchange> of_redis() {
  const Placement placement = Steady::pool(Protocol::redis, {}).placement;
  std::string other = "b";
  while (placement.owner(other) == placement.owner("a")) other += 'b';
  return {{command({"GET", "a"}), {"$1\r\n1\r\n"}, "$1\r\n1\r\n"},
          {command({"GET", "a"}) + command({"GET", "a"}), {"$-1\r\n$-1\r\n"}, "$-1\r\n$-1\r\n"},
          {command({"SET", "a", "1", "EX", "10"}), {"+OK\r\n"}, "+OK\r\n"},
          {command({"INCR", "a"}), {":2\r\n"}, ":2\r\n"},
          {command({"HGETALL", "a"}), {"*2\r\n$1\r\nf\r\n$1\r\nv\r\n"}, "*2\r\n$1\r\nf\r\n$1\r\nv\r\n"},
          {command({"DEL", "a"}), {":1\r\n"}, ":1\r\n"},
          {command({"PING"}), {}, "+PONG\r\n"},
          {"PING\r\n", {}, "+PONG\r\n"},
          {command({"MGET", "a", other}),
           {"*1\r\n$1\r\n1\r\n", "*1\r\n$1\r\n2\r\n"},
           "*2\r\n$1\r\n1\r\n$1\r\n2\r\n"},
          {command({"DEL", "a", other}), {":1\r\n", ":1\r\n"}, ":2\r\n"},
          {command({"MSET", "a", "1", other, "2"}), {"+OK\r\n", "+OK\r\n"}, "+OK\r\n"}};
}

void expect_none(Protocol protocol, const std::vector<Exchange>& exchanges, const Overload& overload = {}) {
  for (const Exchange& each : exchanges) {
    Steady steady(protocol, overload);
    EXPECT_EQ(steady.allocations_of(each), 0) << each.asked;
  }
}

TEST(steady_state, of_memcached_requests_none_allocates) {
  expect_none(Protocol::memcached, of_memcached());
}

TEST(steady_state, of_redis_requests_none_allocates) {
  expect_none(Protocol::redis, of_redis());
}

TEST(steady_state, with_bounds_and_turns_and_retries_none_allocates) {
  Overload overload;
  overload.bound = 1000;  // none is sent elsewhere for it
  overload.in_flight = 100;
  overload.queue_deadline = milliseconds(100);
  overload.retry_budget = 10;
  expect_none(Protocol::memcached, of_memcached(), overload);
  expect_none(Protocol::redis, of_redis(), overload);
}

TEST(steady_state, of_reads_that_share_an_answer_none_allocates) {
  Overload overload;
  overload.coalesce = true;
  const std::string found = "VALUE a 0 1\r\n1\r\nEND\r\n";
  expect_none(Protocol::memcached,
              {{"get a\r\nget a\r\nget a\r\n", {value("a")}, found + found + found},
               {"set a 0 0 1\r\n1\r\nget a\r\n", {"STORED\r\n" + value("a")}, "STORED\r\n" + found}},
              overload);
  expect_none(Protocol::redis,
              {{command({"GET", "a"}) + command({"GET", "a"}), {"$1\r\n1\r\n"}, "$1\r\n1\r\n$1\r\n1\r\n"}},
              overload);
}

TEST(steady_state, a_client_that_says_nothing_for_a_while_gives_its_memory_back) {
  Exchange many{"", {""}, ""};
  for (int i = 0; i < 500; ++i) {
    many.asked += "get a\r\n";
    many.answers[0] += value("a");
    many.told += "VALUE a 0 1\r\n1\r\nEND\r\n";
  }
  Steady steady(Protocol::memcached);
  EXPECT_EQ(steady.allocations_of(many), 0);
  for (int second = 0; second < 21; ++second) {
    steady.now += milliseconds(1000);
    steady.turn();
  }
  const long before = allocations;
  steady.exchange(many);
  EXPECT_GT(allocations - before, 5) << "its queue and its buffers are made anew";
}

// Found anew for each, a fingerprint takes as long as a map is large.
TEST(steady_state, a_fingerprint_costs_the_same_whatever_the_maps_size) {
  const auto allocations_for = [](Protocol protocol, const std::string& asked, std::size_t servers) {
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < servers; ++i) nodes.push_back(testing::node("n" + std::to_string(i)));
    Pool pool(compile(testing::map_of(testing::parts("ring", nodes, 1, Across::node, 16))));
    pool.addresses.assign(servers, "a");
    pool.protocol = protocol;
    Proxy proxy(std::move(pool));
    const auto id = proxy.add_client();
    const auto ask = [&] {
      proxy.client_in(id).append(asked);
      proxy.serve(id, Time());
      EXPECT_NE(proxy.client_out(id).view().find("token_digest"), std::string_view::npos);
      proxy.client_out(id).clear();
    };
    ask();
    const long before = allocations;
    ask();
    return allocations - before;
  };
  for (const auto& [protocol, asked] : {std::pair(Protocol::memcached, std::string("stats fingerprint\r\n")),
                                        std::pair(Protocol::redis, command({"ARCWISE", "FINGERPRINT"}))})
    EXPECT_EQ(allocations_for(protocol, asked, 300), allocations_for(protocol, asked, 1)) << asked;
}

TEST(steady_state, a_session_that_begins_is_seen_to_allocate) {
  Steady steady(Protocol::memcached);
  const long before = allocations;
  steady.proxy.add_client();
  EXPECT_GT(allocations - before, 0);
}

}  // namespace
}  // namespace arcwise::router
