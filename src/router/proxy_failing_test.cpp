// What clients are told while servers are away and when they are back.
#include "router/failing_testing.hpp"

namespace arcwise::router {
namespace {

using testing::key_of;
using testing::keys_of;
using testing::pool_of;
using testing::Process;

TEST(failing, next_asks_the_next_owner_and_moves_no_other_key) {
  const Pool pool = pool_of(OnFailure::next);
  Process process(pool);
  const std::string mine = key_of(pool, {0, 1}), others = key_of(pool, {2});
  EXPECT_EQ(process.set(others, "x"), "STORED\r\n");
  process.kill("s0");
  process.pass(milliseconds(50));
  EXPECT_EQ(process.set(mine, "1"), "STORED\r\n");
  EXPECT_EQ(process.get(mine), "1");
  EXPECT_TRUE(process.stores["s1"].items.contains(mine));
  EXPECT_EQ(process.get(others), "x");
  EXPECT_EQ(process.events("server_away"), std::vector<std::string>{"s0"});
}

TEST(failing, what_is_written_elsewhere_lives_no_longer_than_the_cap) {
  const Pool pool = pool_of(OnFailure::next);
  Process process(pool);
  const std::string key = key_of(pool, {0, 1});
  EXPECT_EQ(process.set(key, "1"), "STORED\r\n");
  EXPECT_EQ(process.stores["s0"].items[key].exptime, "0");
  process.kill("s0");
  process.pass(milliseconds(50));
  for (const auto& [asked, given] : {std::pair{"0", "5"}, {"3", "3"}, {"100", "5"}, {"-1", "-1"}}) {
    process.ask("set " + key + " 0 " + asked + " 1\r\n1\r\n");
    EXPECT_EQ(process.stores["s1"].items[key].exptime, given) << asked;
  }
  process.ask("ms " + key + " 1 F3\r\n1\r\n");
  EXPECT_EQ(process.stores["s1"].heard.back(), "ms " + key + " 1 F3 T5");
  process.ask("gat 0 " + key + "\r\n");
  EXPECT_EQ(process.stores["s1"].heard.back(), "gat 5 " + key);
}

// The heart of it: a value from before an absence must not come back after one was written elsewhere.
std::string read_after_absence(OnReturn on_return, std::size_t fence_keys = 100) {
  Pool pool = pool_of(OnFailure::next);
  pool.failing.on_return = on_return;
  pool.failing.fence_keys = fence_keys;
  Process process(pool);
  const auto keys = keys_of(pool, {0, 1}, 3);
  process.set(keys[0], "old");
  process.set(keys[2], "kept");
  process.kill("s0");
  process.pass(milliseconds(50));
  process.set(keys[0], "new");
  process.ask("delete " + keys[1] + "\r\n");
  process.revive("s0");
  process.pass(milliseconds(5000));
  EXPECT_EQ(process.events("server_back"), std::vector<std::string>{"s0"});
  process.set(keys[1], "there");
  EXPECT_TRUE(process.stores["s0"].items.contains(keys[1])) << "its keys are its own again";
  return process.get(keys[0]) + "," + process.get(keys[2]);
}
TEST(failing, fence_drops_what_was_written_elsewhere_and_nothing_else) {
  EXPECT_EQ(read_after_absence(OnReturn::fence), ",kept");
}
TEST(failing, flush_drops_all) {
  EXPECT_EQ(read_after_absence(OnReturn::flush), ",");
}
TEST(failing, a_fence_that_is_full_is_a_flush) {
  EXPECT_EQ(read_after_absence(OnReturn::fence, 1), ",");
}
TEST(failing, keep_brings_old_values_back) {
  EXPECT_EQ(read_after_absence(OnReturn::keep), "old,kept");
}

TEST(failing, one_loop_does_not_read_what_another_has_written_elsewhere_since) {
  const Pool pool = pool_of(OnFailure::next);
  Process process(pool, 2);
  process.pass(milliseconds(20));
  const std::string key = key_of(pool, {0, 1});
  process.set(key, "old", 0);
  EXPECT_EQ(process.get(key, 1), "old");
  process.wire("s0", 0).held = true;
  process.set(key, "lost", 0);
  process.pass(milliseconds(200));
  EXPECT_EQ(process.set(key, "new", 0), "STORED\r\n");
  EXPECT_EQ(process.get(key, 1), "new") << "its own connection has no trouble";
  process.pass(milliseconds(1000));
  EXPECT_EQ(process.get(key, 1), "new") << "what the other loop has given up may still be done";
  process.wire("s0", 0).held = false;
  process.pass(milliseconds(200));
  EXPECT_EQ(process.get(key, 1), "");
  EXPECT_EQ(process.set(key, "newer", 1), "STORED\r\n");
  EXPECT_EQ(process.get(key, 0), "newer");
}

std::string read_after_giving_up(bool draining) {
  Pool pool = pool_of(OnFailure::error);
  pool.failing.draining = draining;
  Process process(pool, 2);
  process.pass(milliseconds(20));
  const std::string key = key_of(pool, {0});
  process.wire("s0", 0).held = true;
  process.set(key, "given up", 0);
  process.pass(milliseconds(1000));
  const bool acknowledged = process.set(key, "new", 1) == "STORED\r\n";
  EXPECT_EQ(acknowledged, !draining);
  process.wire("s0", 0).held = false;
  process.late("s0");
  process.pass(milliseconds(100));
  if (!acknowledged) {
    EXPECT_EQ(process.set(key, "new", 1), "STORED\r\n");
  }
  return process.get(key, 0);
}
TEST(failing, no_loop_writes_to_a_server_that_owes_another_an_answer_to_a_write) {
  EXPECT_EQ(read_after_giving_up(true), "new");
}
TEST(failing, without_draining_a_write_that_was_given_up_undoes_a_later_one) {
  EXPECT_EQ(read_after_giving_up(false), "given up");
}

TEST(failing, a_second_absence_does_not_bring_back_what_the_first_left_elsewhere) {
  const Pool pool = pool_of(OnFailure::next);
  Process process(pool);
  const std::string key = key_of(pool, {0, 1});
  const auto absence = [&] {
    process.kill("s0");
    process.pass(milliseconds(50));
  };
  absence();
  process.set(key, "left elsewhere");
  process.revive("s0");
  process.pass(milliseconds(3000));
  EXPECT_EQ(process.set(key, "new"), "STORED\r\n");
  absence();
  EXPECT_TRUE(process.get(key).starts_with("SERVER_ERROR s0: it is away again")) << process.get(key);
  EXPECT_TRUE(process.set(key, "newer").starts_with("SERVER_ERROR s0: it is away again"));
  process.stores["s1"].items.clear();  // their time is over
  process.pass(milliseconds(8000));
  EXPECT_EQ(process.set(key, "newer"), "STORED\r\n");
  EXPECT_EQ(process.get(key), "newer");
}

TEST(failing, where_the_next_is_away_too_the_one_behind_is_asked_and_both_drop_what_was_written) {
  const Pool pool = pool_of(OnFailure::next);
  Process process(pool);
  const std::string key = key_of(pool, {0, 1});
  process.set(key, "0");
  process.kill("s0");
  process.pass(milliseconds(50));
  process.set(key, "1");
  process.kill("s1");
  process.pass(milliseconds(50));
  process.set(key, "2");
  EXPECT_TRUE(process.stores["s2"].items.contains(key));
  process.revive("s1");
  process.pass(milliseconds(3000));
  EXPECT_EQ(process.get(key), "") << "s1 has 1, and 2 was written since";
  process.revive("s0");
  process.pass(milliseconds(3000));
  EXPECT_EQ(process.get(key), "");
}

TEST(failing, spare_servers_take_the_keys_of_those_away) {
  Pool pool = pool_of(OnFailure::gutter);
  pool.failing.gutter = {"g0", "g1"};
  Process process(pool);
  process.kill("s0");
  process.pass(milliseconds(50));
  for (const std::string& key : keys_of(pool, {0}, 20)) {
    EXPECT_EQ(process.set(key, "1"), "STORED\r\n");
    EXPECT_EQ(process.get(key), "1");
  }
  EXPECT_EQ(process.stores["g0"].items.size() + process.stores["g1"].items.size(), 20U);
  EXPECT_GT(process.stores["g0"].items.size(), 2U);
  EXPECT_GT(process.stores["g1"].items.size(), 2U);
  EXPECT_EQ(process.stores["s1"].items.size() + process.stores["s2"].items.size(), 0U);
}

TEST(failing, a_delete_that_was_refused_is_done_before_the_server_is_used_again) {
  const Pool pool = pool_of(OnFailure::error);
  Process process(pool, 2);
  process.pass(milliseconds(20));
  const std::string key = key_of(pool, {0});
  process.set(key, "old");
  process.kill("s0");
  process.pass(milliseconds(50));
  EXPECT_TRUE(process.ask("delete " + key + "\r\n", 0).starts_with("SERVER_ERROR s0"));
  process.revive("s0");
  process.pass(milliseconds(3000));
  EXPECT_EQ(process.get(key, 1), "");
}

TEST(failing, keys_come_back_part_by_part_and_none_with_an_old_value) {
  Pool pool = pool_of(OnFailure::next);
  pool.failing.ramp = milliseconds(1600);
  Process process(pool);
  const auto keys = keys_of(pool, {0}, 200);
  for (const std::string& key : keys) process.set(key, "old");
  process.kill("s0");
  process.pass(milliseconds(50));
  for (const std::string& key : keys) process.set(key, "new");
  process.revive("s0");
  std::size_t at_home = 0, parts = 0;
  for (int i = 0; i < 400 && at_home < keys.size(); ++i) {
    process.pass(milliseconds(10));
    for (const std::string& key : keys) ASSERT_NE(process.get(key), "old") << key;
    for (const std::string& key : keys) process.set(key, "newer");
    std::size_t now = 0;
    for (const std::string& key : keys)
      now += process.stores["s0"].items.contains(key) && process.stores["s0"].items[key].value == "newer";
    EXPECT_GE(now, at_home);
    EXPECT_NEAR(process.proxy().stats(process.now).servers[0].usable,
                static_cast<double>(now) / static_cast<double>(keys.size()), 0.15);
    parts += now > at_home;
    at_home = now;
  }
  EXPECT_EQ(at_home, keys.size());
  EXPECT_EQ(process.proxy().stats(process.now).servers[0].usable, 1);
  EXPECT_GE(parts, 14U);
}

TEST(failing, servers_return_one_at_a_time) {
  Pool pool = pool_of(OnFailure::next);
  pool.failing.ramp = milliseconds(1600);
  Process process(pool);
  process.kill("s0");
  process.kill("s1");
  process.pass(milliseconds(50));
  process.revive("s0");
  process.revive("s1");
  const auto first = keys_of(pool, {0}, 50), second = keys_of(pool, {1}, 50);
  bool overlap = false;
  for (int i = 0; i < 600; ++i) {
    process.pass(milliseconds(10));
    const auto part = [&](const std::vector<std::string>& keys, const std::string& server) {
      std::size_t home = 0;
      for (const std::string& key : keys) {
        process.stores[server].items.clear();
        process.set(key, "1");
        home += process.stores[server].items.contains(key);
      }
      return home;
    };
    const std::size_t a = part(first, "s0"), b = part(second, "s1");
    overlap |= a > 0 && a < first.size() && b > 0 && b < second.size();
  }
  EXPECT_FALSE(overlap);
  EXPECT_EQ(process.events("server_back").size(), 2U);
}

TEST(failing, a_server_is_known_to_be_away_and_back_before_a_client_asks) {
  const Pool pool = pool_of(OnFailure::error, 1);
  Process process(pool);
  process.kill("s0");
  process.pass(milliseconds(20));
  EXPECT_EQ(process.proxy().state(0), ServerState::waiting);
  process.revive("s0");
  process.pass(milliseconds(3000));
  EXPECT_EQ(process.proxy().state(0), ServerState::up);
  process.hold("s0", true);
  process.pass(milliseconds(1500));
  EXPECT_EQ(process.proxy().state(0), ServerState::stalled) << "a probe was not answered";
  EXPECT_TRUE(process.get("a").starts_with("SERVER_ERROR s0: no reply")) << "and no client waits for it";
}

TEST(failing, keys_that_were_written_in_base64_are_dropped_by_base64) {
  const Pool pool = pool_of(OnFailure::next);
  Process process(pool);
  process.kill("s0");
  process.pass(milliseconds(50));
  Standing& standing = pool.standings->of("s0");
  for (const char* key : {"a b", "a\nbc", "\x7f", "plain"})
    standing.record(key, 0, pool.failing, milliseconds(1000));
  process.revive("s0");
  process.pass(milliseconds(1000));
  const auto& heard = process.stores["s0"].heard;
  for (const char* line : {"md YSBi b", "md YQpiYw== b", "md fw== b", "delete plain"})
    EXPECT_EQ(std::count(heard.begin(), heard.end(), line), 1) << line;
}

// Copies that a server keeps for another are dropped by time. A write that it was given up with is done when
// it answers again, and lives from then on.
TEST(failing, a_copy_that_was_written_late_is_not_read_in_the_next_absence) {
  const Pool pool = pool_of(OnFailure::next);
  Process process(pool);
  const std::string key = key_of(pool, {0, 1, 2});
  const auto absence = [&] {
    process.kill("s0");
    process.pass(milliseconds(50));
  };
  absence();
  process.hold("s1", true);
  process.set(key, "late");
  process.revive("s0");
  process.pass(milliseconds(20'000));
  EXPECT_EQ(process.set(key, "new"), "STORED\r\n");
  process.hold("s1", false);
  process.pass(milliseconds(3000));
  EXPECT_EQ(process.stores["s1"].items[key].value, "late");
  absence();
  EXPECT_TRUE(process.get(key).starts_with("SERVER_ERROR s0: it is away again")) << process.get(key);
}

TEST(failing, owners_that_fail_in_the_order_of_the_circle_raise_an_alarm) {
  std::vector<Node> nodes;
  for (std::uint64_t i = 0; i < 6; ++i)
    nodes.push_back(arcwise::testing::node_at("s" + std::to_string(i), {i << 61}));
  const auto alarms = [&](const std::vector<std::string>& order) {
    Pool pool(compile(arcwise::testing::given_ring(nodes)));
    for (const Node& node : nodes) pool.addresses.push_back(node.name);
    Process process(pool, 2);
    process.pass(milliseconds(20));
    for (const std::string& server : order) {
      process.kill(server);
      process.pass(milliseconds(2000));
    }
    return process.events("cascade");
  };
  EXPECT_EQ(alarms({"s1", "s2", "s3"}), std::vector<std::string>{"s3"});
  EXPECT_EQ(alarms({"s3", "s1", "s5"}), std::vector<std::string>{});
}

std::string redis_set(const std::string& key, const std::string& value) {
  const auto bulk = [](const std::string& text) {
    return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
  };
  return "*3\r\n" + bulk("SET") + bulk(key) + bulk(value);
}

TEST(failing, a_write_to_redis_elsewhere_gets_a_time_to_live_in_one_transaction) {
  Pool pool = pool_of(OnFailure::next, 2);
  pool.protocol = Protocol::redis;
  Proxy proxy(pool);
  const auto id = proxy.add_client();
  const auto answer = [&](Proxy::ServerId s, std::string_view text) {
    proxy.server_out(s).clear();
    proxy.server_in(s).append(text);
    EXPECT_TRUE(proxy.answered(s, Time(0)));
  };
  const auto told = [&] {
    const std::string text(proxy.client_out(id).view());
    proxy.client_out(id).clear();
    return text;
  };
  proxy.tick(Time(0));
  for (const Proxy::ServerId s : {0u, 1u}) {
    proxy.connected(s, Time(0));
    answer(s, "+PONG\r\n");
  }
  const std::string key = key_of(pool, {0});
  proxy.client_in(id).append(redis_set(key, "1"));
  proxy.serve(id, Time(0));
  proxy.lost(0, "it closed the connection", Time(0));
  EXPECT_EQ(told(), "-ERR s0: it closed the connection\r\n");
  proxy.client_in(id).append(redis_set(key, "2"));
  proxy.serve(id, Time(0));
  const std::string name = "$" + std::to_string(key.size()) + "\r\n" + key + "\r\n";
  EXPECT_EQ(proxy.server_out(1).view(), "*1\r\n$5\r\nMULTI\r\n" + redis_set(key, "2") +
                                            "*4\r\n$7\r\nPEXPIRE\r\n" + name +
                                            "$4\r\n5000\r\n$2\r\nLT\r\n*1\r\n$4\r\nEXEC\r\n");
  answer(1, "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n:1\r\n");
  EXPECT_EQ(told(), "+OK\r\n") << "of EXEC's answer, what the client asked for";
  proxy.tick(milliseconds(60));
  proxy.connected(0, milliseconds(60));
  answer(0, "+PONG\r\n");
  EXPECT_EQ(proxy.server_out(0).view(), "*2\r\n$6\r\nUNLINK\r\n" + name);
  proxy.client_in(id).append("*2\r\n$3\r\nGET\r\n" + name);
  proxy.serve(id, milliseconds(60));
  answer(1, "$1\r\n2\r\n");
  EXPECT_EQ(told(), "$1\r\n2\r\n") << "until that is answered";
  answer(0, ":1\r\n");
  proxy.client_in(id).append("*2\r\n$3\r\nGET\r\n" + name);
  proxy.serve(id, milliseconds(60));
  answer(0, "$-1\r\n");
  EXPECT_EQ(told(), "$-1\r\n");
}

TEST(failing, ejected_servers_leave_the_ring_for_a_while_as_twemproxy_has_it) {
  Pool pool = pool_of(OnFailure::error);
  pool.failing.auto_eject = true;
  pool.failing.eject_for = milliseconds(3000);
  Process process(pool, 2);
  const std::string mine = key_of(pool, {0, 1});
  EXPECT_EQ(process.set(mine, "old"), "STORED\r\n");
  process.kill("s0");
  process.pass(milliseconds(300));
  for (const std::size_t at : {0u, 1u}) EXPECT_EQ(process.set(mine, "new", at), "STORED\r\n");
  EXPECT_TRUE(process.stores["s1"].items.contains(mine));
  EXPECT_EQ(process.events("server_ejected"), std::vector<std::string>{"s0"});
  EXPECT_EQ(process.events("auto_eject").size(), 2U) << "the warning at start, by each loop";
  process.revive("s0");
  process.pass(milliseconds(6000));
  EXPECT_EQ(process.get(mine), "old") << "what it is known for";
}

}  // namespace
}  // namespace arcwise::router
