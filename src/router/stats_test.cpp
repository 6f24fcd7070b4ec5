#include "router/stats.hpp"

#include <gtest/gtest.h>

namespace arcwise::router {
namespace {

TEST(latency, a_quantile_is_at_most_twice_what_it_was) {
  Latency latency;
  EXPECT_EQ(latency.quantile(0.5), 0u);
  for (std::uint64_t us = 1; us <= 1000; ++us) latency.add(us);
  EXPECT_GE(latency.quantile(0.5), 500u);
  EXPECT_LT(latency.quantile(0.5), 1000u);
  EXPECT_GE(latency.quantile(1), 1000u);
  latency.add(~std::uint64_t{0});
  EXPECT_EQ(latency.counts.back(), 1u);
}

TEST(board, sums_what_loops_count_and_keeps_the_worst_state) {
  Board board;
  PoolStats one{"p", 2, 10, 1, {{}, {}}}, other{"p", 3, 20, 0, {{}, {}}};
  one.servers[0].name = other.servers[0].name = "a";
  one.servers[0].state = ServerState::stalled;
  one.servers[0].why = "no reply";
  other.servers[0].state = ServerState::up;
  one.servers[0].requests = other.servers[0].requests = 7;
  board.publish(0, {one});
  board.publish(1, {other});
  board.publish(1, {other});
  const auto sum = board.read();
  ASSERT_EQ(sum.size(), 1u);
  EXPECT_EQ(sum[0].clients, 5u);
  EXPECT_EQ(sum[0].requests, 30u);
  EXPECT_EQ(sum[0].servers[0].requests, 14u);
  EXPECT_EQ(sum[0].servers[0].state, ServerState::stalled);
  EXPECT_EQ(sum[0].servers[0].why, "no reply");
}

}  // namespace
}  // namespace arcwise::router
