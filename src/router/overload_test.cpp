#include "router/overload.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "router/proxy.hpp"
#include "router/simulated_network.hpp"

namespace arcwise::router {
namespace {

// A proxy before one server that speaks plain memcached or Redis, with a few clients.
class Stage {
 public:
  explicit Stage(const Overload& overload, Protocol protocol = Protocol::redis)
      : Stage(with(overload, simulation::pool_of(protocol, 1))) {}
  explicit Stage(Pool pool) : proxy(std::move(pool)) {
    for (int i = 0; i < 3; ++i) clients_.push_back(proxy.add_client());
  }
  static Pool with(const Overload& overload, Pool pool) {
    pool.overload = overload;
    pool.failing.probe_every = milliseconds(0);
    return pool;
  }

  void ask(std::size_t client, std::string_view text) {
    proxy.client_in(clients_[client]).append(text);
    proxy.serve(clients_[client], now);
    if (proxy.state(0) == ServerState::connecting) connect();
  }
  void connect() {
    proxy.connected(0, now);
    if (proxy.pool().protocol == Protocol::memcached) {
      EXPECT_TRUE(proxy.server_out(0).view().starts_with("mn\r\n"));
      proxy.server_out(0).consume(4);
      answer("ERROR\r\n");
    }
  }
  void answer(std::string_view text) {
    proxy.server_in(0).append(text);
    EXPECT_TRUE(proxy.answered(0, now));
  }
  std::string told(std::size_t client) { return take(proxy.client_out(clients_[client])); }
  std::string sent() { return take(proxy.server_out(0)); }
  const OverloadCounts& counts() const { return proxy.counters().overload; }
  void tick(milliseconds later) {
    now += later;
    proxy.tick(now);
  }

  Proxy proxy;
  Time now{milliseconds(1)};

 private:
  static std::string take(Buffer& buffer) {
    std::string text(buffer.view());
    buffer.clear();
    return text;
  }
  std::vector<Proxy::ClientId> clients_;
};

TEST(overload, what_waits_comes_out_as_it_went_in) {
  Held held;
  for (std::uint32_t round = 0; round < 100; ++round) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      Part part;
      part.client = round * 3 + i;
      held.push(part, std::string(i, 'x'));
    }
    for (std::uint32_t i = 0; i < 2; ++i, held.pop()) {
      const std::uint32_t number = round * 2 + i;
      EXPECT_EQ(held.front().client, number);
      EXPECT_EQ(held.command(), std::string(number % 3, 'x'));
    }
  }
  EXPECT_EQ(held.size(), 100u);
}

TEST(overload, of_a_hundred_so_many_may_be_done_again_and_a_few_from_the_start) {
  RetryBudget budget;
  const auto spend_all = [&] {
    int spent = 0;
    while (budget.spend()) ++spent;
    return spent;
  };
  EXPECT_EQ(spend_all(), 10);
  for (int i = 0; i < 200; ++i) budget.earn(20);
  EXPECT_EQ(spend_all(), 40);
  for (int i = 0; i < 1'000'000; ++i) budget.earn(20);
  EXPECT_EQ(spend_all(), 100) << "what is saved up is limited";
}

TEST(overload, beyond_the_limit_requests_wait_for_their_turn_and_keep_their_order) {
  Overload overload;
  overload.in_flight = 2;
  overload.queue_deadline = milliseconds(50);
  Stage stage(overload);
  stage.ask(0, "GET a\r\nGET b\r\nSET c 1\r\nGET d\r\n");
  stage.ask(1, "GET e\r\n");
  EXPECT_EQ(stage.sent(), "*2\r\n$3\r\nGET\r\n$1\r\na\r\n*2\r\n$3\r\nGET\r\n$1\r\nb\r\n");
  stage.answer("$1\r\n1\r\n");
  EXPECT_EQ(stage.sent(), "*3\r\n$3\r\nSET\r\n$1\r\nc\r\n$1\r\n1\r\n");
  stage.answer("$1\r\n2\r\n+OK\r\n");
  EXPECT_EQ(stage.sent(), "*2\r\n$3\r\nGET\r\n$1\r\nd\r\n*2\r\n$3\r\nGET\r\n$1\r\ne\r\n");
  stage.answer("$1\r\n4\r\n$1\r\n5\r\n");
  EXPECT_EQ(stage.told(0), "$1\r\n1\r\n$1\r\n2\r\n+OK\r\n$1\r\n4\r\n");
  EXPECT_EQ(stage.told(1), "$1\r\n5\r\n");
  EXPECT_EQ(stage.counts().waited, 3u);
  EXPECT_TRUE(stage.proxy.quiet());
}

TEST(overload, who_gets_no_turn_in_time_is_told_that_the_server_is_busy) {
  Overload overload;
  overload.in_flight = 1;
  overload.queue_deadline = milliseconds(50);
  for (const Protocol protocol : {Protocol::redis, Protocol::memcached}) {
    const bool redis = protocol == Protocol::redis;
    Stage stage(overload, protocol);
    stage.ask(0, redis ? "GET a\r\n" : "get a\r\n");
    stage.ask(1, redis ? "SET a 1\r\n" : "set a 0 0 1\r\n1\r\n");
    stage.tick(milliseconds(50));
    EXPECT_EQ(stage.told(1), "");
    stage.tick(milliseconds(1));
    EXPECT_EQ(stage.told(1), redis ? "-TRYAGAIN busy: s0: no turn within 50 ms\r\n"
                                   : "SERVER_ERROR busy: s0: no turn within 50 ms\r\n");
    const std::vector<Event> events = stage.proxy.take_events();
    EXPECT_EQ(
        std::count_if(events.begin(), events.end(), [](const Event& e) { return e.name == "server_busy"; }),
        1);
    stage.answer(redis ? "$-1\r\n" : "END\r\n");
    EXPECT_EQ(stage.told(0), redis ? "$-1\r\n" : "END\r\n");
    EXPECT_EQ(stage.counts().refused, 1u);
  }
}

TEST(overload, without_a_deadline_nobody_waits_and_a_policy_makes_no_miss_of_it) {
  Overload overload;
  overload.in_flight = 1;
  Pool pool = Stage::with(overload, simulation::pool_of(Protocol::memcached, 1));
  pool.failing.on_failure = OnFailure::miss;
  Stage stage(std::move(pool));
  stage.ask(0, "get a\r\n");
  stage.ask(1, "get a\r\n");
  EXPECT_EQ(stage.told(1), "SERVER_ERROR busy: s0: 1 requests are in flight\r\n");
  EXPECT_EQ(stage.sent(), "get a\r\n");
}

TEST(overload, a_transaction_is_one_request_and_is_never_cut) {
  Overload overload;
  overload.in_flight = 1;
  overload.queue_deadline = milliseconds(50);
  Stage stage(overload);
  stage.ask(0, "GET a\r\n");
  stage.ask(1, "MULTI\r\nSET b 1\r\nGET b\r\nEXEC\r\n");
  stage.ask(0, "GET c\r\n");
  stage.sent();
  stage.answer("$-1\r\n");
  EXPECT_TRUE(stage.sent().ends_with("$4\r\nEXEC\r\n"));
  stage.answer("+OK\r\n+QUEUED\r\n+QUEUED\r\n");
  EXPECT_EQ(stage.sent(), "") << "it is in flight";
  stage.answer("*2\r\n+OK\r\n$1\r\n1\r\n");
  EXPECT_EQ(stage.told(1), "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n$1\r\n1\r\n");
  EXPECT_NE(stage.sent(), "");
}

TEST(overload, a_read_whose_connection_is_lost_is_asked_once_more_and_a_write_is_not) {
  Overload overload;
  overload.retry_budget = 10;
  for (const Protocol protocol : {Protocol::redis, Protocol::memcached}) {
    const bool redis = protocol == Protocol::redis;
    Stage stage(overload, protocol);
    stage.ask(0, redis ? "GET a\r\n" : "get a\r\n");
    stage.ask(1, redis ? "SET b 1\r\n" : "set b 0 0 1\r\n1\r\n");
    stage.ask(2, redis ? "GET c\r\n" : "mg c T30 v\r\n");
    stage.sent();
    stage.proxy.lost(0, "it closed the connection", stage.now);
    EXPECT_EQ(stage.told(0), "");
    EXPECT_EQ(stage.told(1),
              std::string(redis ? "-ERR" : "SERVER_ERROR") + " s0: it closed the connection\r\n");
    stage.connect();
    EXPECT_EQ(stage.sent(),
              redis ? "*2\r\n$3\r\nGET\r\n$1\r\na\r\n*2\r\n$3\r\nGET\r\n$1\r\nc\r\n" : "get a\r\n");
    if (redis) {
      stage.answer("$1\r\n1\r\n");
      EXPECT_EQ(stage.told(0), "$1\r\n1\r\n");
    } else {
      EXPECT_EQ(stage.told(2), "SERVER_ERROR s0: it closed the connection\r\n") << "it touches";
    }
    stage.proxy.lost(0, "it closed the connection", stage.now);
    EXPECT_EQ(stage.told(redis ? 2 : 0),
              std::string(redis ? "-ERR" : "SERVER_ERROR") + " s0: it closed the connection\r\n")
        << "once";
    EXPECT_EQ(stage.counts().repeated, redis ? 2u : 1u);
  }
}

TEST(overload, a_lost_connection_is_no_reason_to_ask_more_than_the_budget_has) {
  Overload overload;
  overload.retry_budget = 1;
  Stage stage(overload);
  for (int i = 0; i < 500; ++i) stage.ask(0, "GET a\r\n");
  stage.proxy.lost(0, "it closed the connection", stage.now);
  EXPECT_EQ(stage.counts().repeated, 15u) << "10, and one of a hundred";
}

TEST(overload, reads_of_a_key_that_is_being_read_share_its_answer) {
  Overload overload;
  overload.coalesce = true;
  for (const Protocol protocol : {Protocol::redis, Protocol::memcached}) {
    const bool redis = protocol == Protocol::redis;
    Stage stage(overload, protocol);
    const std::string_view question = redis ? "GET a\r\n" : "get a\r\n";
    for (std::size_t client = 0; client < 3; ++client) stage.ask(client, question);
    EXPECT_EQ(stage.sent(), redis ? "*2\r\n$3\r\nGET\r\n$1\r\na\r\n" : "get a\r\n");
    const std::string_view answer = redis ? "$1\r\n1\r\n" : "VALUE a 0 1\r\n1\r\nEND\r\n";
    stage.answer(answer);
    for (std::size_t client = 0; client < 3; ++client) EXPECT_EQ(stage.told(client), answer);
    stage.ask(0, question);
    EXPECT_NE(stage.sent(), "") << "that answer is over";
    EXPECT_EQ(stage.counts().shared, 2u);
  }
}

TEST(overload, a_read_behind_a_write_of_its_key_is_asked_itself) {
  Overload overload;
  overload.coalesce = true;
  Stage stage(overload);
  stage.ask(0, "GET a\r\n");
  stage.ask(1, "SET a 2\r\nGET a\r\n");
  stage.ask(2, "GET a\r\n");
  stage.answer("$1\r\n1\r\n+OK\r\n$1\r\n2\r\n");
  EXPECT_EQ(stage.told(0), "$1\r\n1\r\n");
  EXPECT_EQ(stage.told(1), "+OK\r\n$1\r\n2\r\n");
  EXPECT_EQ(stage.told(2), "$1\r\n2\r\n") << "it shares the newer one";
  EXPECT_EQ(stage.counts().shared, 1u);
  for (const std::string_view write : {"DEL a b\r\n", "FLUSHALL\r\n", "MULTI\r\nSET a 3\r\nEXEC\r\n"}) {
    stage.sent();
    stage.ask(0, "GET a\r\n");
    stage.ask(1, write);
    stage.ask(2, "GET a\r\n");
    EXPECT_EQ(stage.counts().shared, 1u) << write;
    stage.proxy.lost(0, "it closed the connection", stage.now);
    stage.now += std::chrono::seconds(10);
  }
}

TEST(overload, a_read_that_waited_before_a_write_is_shared_by_none_behind_that_write) {
  Overload overload;
  overload.coalesce = true;
  overload.in_flight = 1;
  overload.queue_deadline = milliseconds(50);
  Stage stage(overload);
  stage.ask(0, "GET b\r\nGET a\r\nSET a 2\r\n");
  stage.ask(1, "GET a\r\n");
  stage.answer("$1\r\n0\r\n");
  stage.answer("$1\r\n1\r\n");
  stage.answer("+OK\r\n");
  stage.answer("$1\r\n2\r\n");
  EXPECT_EQ(stage.told(1), "$1\r\n2\r\n");
  EXPECT_EQ(stage.counts().shared, 0u);
}

TEST(overload, a_read_does_not_share_what_was_read_before_another_loops_write_was_acknowledged) {
  Overload overload;
  overload.coalesce = true;
  const Pool pool = Stage::with(overload, simulation::pool_of(Protocol::redis, 1));
  Stage one(pool), two(pool);
  two.ask(0, "SET a 2\r\n");
  one.ask(0, "GET a\r\n");  // done before the write, and slow to come back
  two.answer("+OK\r\n");
  one.sent();
  one.ask(1, "GET a\r\n");
  EXPECT_NE(one.sent(), "");
  one.answer("$1\r\n1\r\n$1\r\n2\r\n");
  EXPECT_EQ(one.told(1), "$1\r\n2\r\n");
}

TEST(overload, who_shares_an_answer_also_shares_its_failure) {
  Overload overload;
  overload.coalesce = true;
  Stage stage(overload);
  stage.ask(0, "GET a\r\n");
  stage.ask(1, "GET a\r\n");
  stage.tick(milliseconds(101));
  EXPECT_EQ(stage.told(0), "-ERR s0: no reply for 100 ms\r\n");
  EXPECT_EQ(stage.told(1), "-ERR s0: no reply for 100 ms\r\n");
  stage.answer("$1\r\n1\r\n");
  EXPECT_EQ(stage.told(1), "");
}

TEST(overload, an_answer_is_shared_though_who_asked_for_it_has_gone) {
  Overload overload;
  overload.coalesce = true;
  overload.retry_budget = 10;
  Stage stage(overload);
  stage.ask(0, "GET a\r\n");
  stage.ask(1, "GET a\r\n");
  stage.proxy.drop_client(0);
  stage.proxy.lost(0, "it closed the connection", stage.now);
  stage.connect();
  stage.answer("$1\r\n1\r\n");
  EXPECT_EQ(stage.told(1), "$1\r\n1\r\n");
}

TEST(overload, a_server_with_its_part_of_what_is_in_flight_leaves_the_next_key_to_another) {
  Overload overload;
  overload.bound = 100;
  Stage stage(Stage::with(overload, simulation::pool_of(Protocol::memcached, 4)));
  for (int i = 0; i < 400; ++i) stage.ask(0, "get hot\r\n");
  std::size_t most = 0;
  for (const ServerStats& server : stage.proxy.stats(stage.now).servers)
    most = std::max<std::size_t>(most, server.in_flight);
  EXPECT_LE(most, 101u) << "and the greeting";
  overload.bound = 250;  // with one in flight 2 of the next 2; with a greeting counted 2 of 3
  Stage idle(Stage::with(overload, simulation::pool_of(Protocol::memcached, 4)));
  idle.ask(0, "get a\r\nget a\r\n");
  EXPECT_EQ(idle.counts().spilled, 0u) << "questions of the router's own are no load";
  EXPECT_GT(stage.counts().spilled, 250u);
}

}  // namespace
}  // namespace arcwise::router
