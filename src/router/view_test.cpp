#include "router/view.hpp"

#include <gtest/gtest.h>

#include "router/ask.hpp"
#include "router/http_server.hpp"
#include "router/lookout.hpp"
#include "router/metrics.hpp"
#include "router/view_json.hpp"

namespace arcwise::router {
namespace {

ServerStats server(ServerState state, std::uint64_t since_us, std::string why = "",
                   std::uint64_t waited_us = 0) {
  ServerStats out;
  out.state = state;
  out.since_us = since_us;
  out.waited_us = waited_us;
  out.why = std::move(why);
  return out;
}

TEST(View, words_say_what_is_known_and_for_how_long) {
  EXPECT_EQ(words_of(server(ServerState::up, 9'000'000)), "answers");
  ServerStats back = server(ServerState::up, 1);
  back.usable = 0.25;
  EXPECT_EQ(words_of(back), "answers, and has 25 % of its keys back");
  EXPECT_EQ(words_of(server(ServerState::idle, 0)), "not asked yet");
  EXPECT_EQ(words_of(server(ServerState::stalled, 4'700'000, "", 5'100'000)), "no reply for 5 s");
  EXPECT_EQ(words_of(server(ServerState::stalled, 300'000, "", 700'000)), "no reply for 700 ms");
  EXPECT_EQ(words_of(server(ServerState::stalled, 3'000'000, "", 10'000)), "answers too late, for 3 s");
  EXPECT_EQ(words_of(server(ServerState::silent, 9'000'000, "", 3'000'000)), "no reply for 3 s");
  EXPECT_EQ(words_of(server(ServerState::waiting, 130'000'000, "Connection refused")),
            "Connection refused, for 2 min");
}

TEST(View, rates_are_the_difference_of_two_moments) {
  ServerStats before, now;
  before.requests = 100;
  before.hits = 50;
  before.misses = 50;
  before.latency.add(1'000'000);
  now = before;
  now.requests = 300;
  now.hits = 80;
  now.misses = 60;
  for (int i = 0; i < 99; ++i) now.latency.add(100);
  now.latency.add(3000);
  const Rates rates = rates_of(before, now, 10);
  EXPECT_DOUBLE_EQ(rates.requests, 20);
  EXPECT_DOUBLE_EQ(*rates.hit_ratio, 0.75);
  EXPECT_EQ(rates.p50_us, 96u);
  EXPECT_EQ(rates.p99_us, 128u);
  EXPECT_FALSE(rates_of(before, before, 10).hit_ratio);
  EXPECT_EQ(rates_of(before, now, 0).seconds, 0);
  EXPECT_DOUBLE_EQ(rates_of(now, before, 1).requests, 100) << "it began anew";
}

TEST(View, a_window_keeps_the_last_seconds) {
  Window window;
  const steady_clock::time_point start{};
  for (int i = 0; i <= 30; ++i) {
    PoolStats pool;
    pool.pool = "p";
    pool.requests = static_cast<std::uint64_t>(i) * 7;
    window.add(start + std::chrono::seconds(i), {pool});
  }
  EXPECT_DOUBLE_EQ(window.seconds(), 10);
  EXPECT_EQ(window.pool_before("p")->requests, 20u * 7);
  EXPECT_EQ(window.pool_before("q"), nullptr);
}

TEST(View, what_servers_say_of_themselves_is_read) {
  const Measured memcached = read_measured(
      Protocol::memcached,
      "STAT pid 1\r\nSTAT limit_maxbytes 67108864\r\nSTAT bytes 120\r\nSTAT curr_items 2\r\nEND\r\n");
  EXPECT_EQ(memcached.bytes, 120u);
  EXPECT_EQ(memcached.items, 2u);
  EXPECT_EQ(memcached.limit_bytes, 67108864u);
  const Measured redis = read_measured(
      Protocol::redis, "+OK\r\n$50\r\n# Memory\r\nused_memory:900\r\nmaxmemory:0\r\n\r\n:17\r\n");
  EXPECT_EQ(redis.bytes, 900u);
  EXPECT_EQ(redis.items, 17u);
  EXPECT_FALSE(redis.limit_bytes);
  EXPECT_NE(read_measured(Protocol::redis, "-NOAUTH\r\n-NOAUTH\r\n").why, "");
}

TEST(View, what_another_router_answers_is_read_and_garbage_is_not) {
  const auto maps = read_fingerprints(
      R"({"schema":"arcwise/fingerprints/v1","pools":[{"pool":"p","cluster":"c","fingerprint":"f","epoch":3},)"
      R"({"pool":"q","cluster":"","fingerprint":"g","epoch":null}]})");
  ASSERT_TRUE(maps);
  ASSERT_EQ(maps->size(), 2u);
  EXPECT_EQ((*maps)[0].epoch, 3u);
  EXPECT_FALSE((*maps)[1].epoch);
  for (const char* bad :
       {"", "[]", "{", R"({"schema":"arcwise/fingerprints/v1","pools":[1]})", R"({"schema":3})"})
    EXPECT_FALSE(read_fingerprints(bad)) << bad;
}

TEST(Http, a_target_is_taken_apart) {
  HttpRequest request;
  split_target("/a%20b?key=x%2By+z&pool=&&flag&key=%zz", request);
  EXPECT_EQ(request.path, "/a b");
  const std::vector<std::pair<std::string, std::string>> expected{
      {"key", "x+y z"}, {"pool", ""}, {"flag", ""}, {"key", "%zz"}};
  EXPECT_EQ(request.query, expected);
  EXPECT_EQ(request.param("key"), "x+y z");
  EXPECT_EQ(request.param("none", "so"), "so");
}

TEST(Http, only_names_of_this_machine_are_its_own) {
  for (const char* host : {"127.0.0.1:9900", "localhost", "LOCALHOST:1", "[::1]:9900", "[::1]", "router-1:80",
                           "Router-1.example.net"})
    EXPECT_TRUE(own_host(host, {"router-1", "router-1.example.net"})) << host;
  for (const char* host : {"", "evil.example", "router-12", "localhost.evil.example", "x.router-1",
                           "router-1.evil.example", "router-1.", "router-1:80.evil.example", "[evil.example]",
                           "[::1].evil.example", "1.2.3.4.evil.example"})
    EXPECT_FALSE(own_host(host, {"router-1", ""})) << host;
}

TEST(Ask, one_that_cannot_be_reached_says_why_and_holds_up_no_other) {
  const auto replies =
      ask_all({{"127.0.0.1:1", "x", {}}, {"nowhere", "x", {}}}, std::chrono::milliseconds(2000));
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(replies[0].why, "Connection refused");
  EXPECT_EQ(replies[1].why, "no port: write host:port");
}

}  // namespace
}  // namespace arcwise::router
