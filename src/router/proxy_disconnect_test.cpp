// Connections that the router ends itself.
#include "router/failing_testing.hpp"

namespace arcwise::router {
namespace {

// It goes by the connection after the one that was given up.
TEST(proxy_disconnect, what_is_asked_again_after_a_timeout_is_not_failed_with_the_old_connection) {
  Pool pool = testing::pool_of(OnFailure::error, 1);
  pool.failing.draining = false;
  pool.overload.retry_budget = 100;
  testing::Process process(pool);
  process.set("a", "1");
  process.wire("s0").held = true;  // this connection alone
  EXPECT_EQ(process.ask("get a\r\n"), "");
  process.now += milliseconds(200);
  process.proxy().tick(process.now);
  EXPECT_EQ(process.ask(""), "VALUE a 0 1\r\n1\r\nEND\r\n");
}

TEST(proxy_disconnect, a_read_that_is_lost_with_its_server_is_asked_of_who_has_its_keys_now) {
  for (const OnFailure on_failure : {OnFailure::next, OnFailure::gutter, OnFailure::error}) {
    Pool pool = testing::pool_of(on_failure);
    if (on_failure == OnFailure::gutter) pool.failing.gutter = {"spare"};
    pool.failing.ramp = milliseconds(100);
    pool.overload.retry_budget = 100;
    testing::Process process(pool);
    const std::string key = testing::key_of(pool, {0, 1});
    process.set(key, "1");
    const std::string next = on_failure == OnFailure::gutter ? "spare" : "s1";
    process.pass(milliseconds(20));  // all are connected
    process.stores[next].items[key] = {"2", ""};
    process.wire("s0").held = true;
    EXPECT_EQ(process.ask("get " + key + "\r\n"), "");
    process.kill("s0");
    const std::string told = process.ask("");
    if (on_failure == OnFailure::error)
      EXPECT_TRUE(told.starts_with("SERVER_ERROR s0: ")) << "nobody else may be asked: " << told;
    else
      EXPECT_EQ(told, "VALUE " + key + " 0 1\r\n2\r\nEND\r\n");
  }
}

TEST(proxy_disconnect, an_absence_is_as_long_as_it_is_whatever_is_attempted_meanwhile) {
  testing::Process process(testing::pool_of(OnFailure::error, 1));
  process.set("a", "1");
  process.kill("s0");
  process.pass(milliseconds(9000));
  EXPECT_GE(process.proxy().stats(process.now).servers[0].since_us, 8'900'000u);
  process.revive("s0");
  process.pass(milliseconds(3000));
  EXPECT_EQ(process.proxy().stats(process.now).servers[0].state, ServerState::up);
  process.kill("s0");
  process.pass(milliseconds(100));
  EXPECT_LE(process.proxy().stats(process.now).servers[0].since_us, 1'200'000u) << "it is another one";
}

}  // namespace
}  // namespace arcwise::router
