// Histories of the whole router on a simulated network. ROUTER_SEEDS=1000 runs so many instead of a hundred,
// ROUTER_SEED=17 that one alone.
#include "router/simulated_network.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>

namespace arcwise::router {
namespace {

using simulation::Faults;
using simulation::Network;
using simulation::Scene;

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Everything at random: protocol, policies, and what goes wrong.
Scene scene_of(std::uint64_t seed) {
  Splitmix64 random(seed ^ 0x5eed);
  const auto one_in = [&random](std::uint64_t count) { return random.next() % count == 0; };
  const auto often = [&](unsigned most) {
    return one_in(2) ? 0u : static_cast<unsigned>(random.next() % most);
  };
  Scene scene;
  scene.protocol = one_in(2) ? Protocol::memcached : Protocol::redis;
  scene.servers = 2 + random.next() % 4;
  scene.clients = 2 + random.next() % 6;
  scene.keys = one_in(2) ? 3 : 20;
  scene.ask_one_in = 1 + static_cast<unsigned>(random.next() % 5);
  scene.faults.cut = often(600);
  scene.faults.die = often(100);
  scene.faults.stop = often(100);
  scene.faults.slow = often(100);
  scene.faults.garbage = often(100);
  scene.faults.leave = often(300);
  scene.faults.deaf = often(50);
  scene.faults.swap = one_in(3) ? 300 : 0;
  scene.loops = one_in(3) ? 2 : 1;
  scene.resp3 = scene.protocol == Protocol::redis && one_in(2);
  Overload overload;
  overload.coalesce = one_in(2);
  overload.retry_budget = one_in(4) ? 0 : 20;
  overload.in_flight = one_in(2) ? 1 + random.next() % 8 : 0;
  overload.queue_deadline = milliseconds(one_in(2) ? 0 : random.next() % 50);
  if (one_in(4)) overload.bound = 100 + static_cast<unsigned>(random.next() % 100);
  Failing failing;
  failing.on_failure =
      std::array{OnFailure::error, OnFailure::miss, OnFailure::next, OnFailure::gutter}[random.next() % 4];
  failing.on_return = one_in(4) ? OnReturn::flush : OnReturn::fence;
  failing.longest_ttl = std::chrono::seconds(1 + random.next() % 2);
  failing.ramp = milliseconds(one_in(4) ? 200 : 0);
  failing.probe_every = milliseconds(one_in(2) ? 50 : one_in(2) ? 0 : 1000);
  failing.fence_keys = one_in(4) ? 2 : 10'000;
  if (failing.on_failure == OnFailure::gutter) scene.spares = 2;
  const bool elsewhere = scene.spares > 0 || failing.on_failure == OnFailure::next;
  scene.forgotten_writes_last = elsewhere || scene.loops > 1 || scene.protocol == Protocol::redis;
  // A map moves keys and leaves their values; and a bound gives a key two servers.
  scene.fresh = scene.faults.swap == 0 && !overload.bound;
  const std::size_t requests = one_in(4) ? 4 : 1024, unsent = one_in(4) ? 500 : std::size_t{4} << 20;
  scene.settings = [=](Pool& pool) {
    const std::vector<std::string> gutter = pool.failing.gutter;
    pool.overload = overload;
    pool.failing = failing;
    pool.failing.gutter = gutter;
    pool.limits.requests = requests;
    pool.limits.unsent = unsent;
  };
  return scene;
}

TEST(router_simulation, every_answer_belongs_to_its_request_and_no_value_is_older_than_one_acknowledged) {
  const std::uint64_t one = number_in("ROUTER_SEED", 0), count = number_in("ROUTER_SEEDS", 100);
  Network::Sums all;
  for (std::uint64_t seed = one ? one : 1; seed <= (one ? one : count); ++seed) {
    Network network(scene_of(seed), seed);
    network.run(400);
    ASSERT_FALSE(HasFailure()) << "to see it again: ROUTER_SEED=" << seed;
    const Network::Sums sums = network.sums();
    all.answers += sums.answers;
    all.failures += sums.failures;
    all.found += sums.found;
    all.overload.add(sums.overload);
  }
  if (one) return;
  // All of it has been there.
  EXPECT_GT(all.answers, count * 100);
  EXPECT_GT(all.found, count * 20);
  EXPECT_GT(all.failures, count);
  EXPECT_GT(all.overload.shared, count);
  EXPECT_GT(all.overload.repeated, count / 20);
  EXPECT_GT(all.overload.waited, count);
  EXPECT_GT(all.overload.refused, count / 10);
  EXPECT_GT(all.overload.spilled, count);
}

TEST(router_simulation, without_faults_nothing_fails_whatever_the_pieces) {
  for (const Protocol protocol : {Protocol::memcached, Protocol::redis})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Scene scene;
      scene.protocol = protocol;
      Network network(scene, seed);
      network.run(200);
      ASSERT_EQ(network.sums().failures, 0u) << seed;
    }
}

TEST(router_simulation, maps_are_swapped_and_nothing_fails) {
  for (const Protocol protocol : {Protocol::memcached, Protocol::redis})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Scene scene;
      scene.protocol = protocol;
      scene.fresh = false;
      scene.faults.swap = 1000;
      Network network(scene, seed);
      network.run(200);
      ASSERT_EQ(network.sums().failures, 0u) << seed;
    }
}

TEST(router_simulation, the_same_seed_is_the_same_history) {
  const auto run = [] {
    Network network(scene_of(7), 7);
    network.run(300);
    const Network::Sums sums = network.sums();
    return std::vector<std::size_t>{sums.answers, sums.failures, sums.found, sums.executed};
  };
  EXPECT_EQ(run(), run());
}

// Two loops with connections of their own: a read that rides on one sent before another loop's write was
// acknowledged would be old.
TEST(router_simulation, loops_that_share_reads_do_not_give_values_older_than_each_others_writes) {
  std::size_t shared = 0;
  for (const Protocol protocol : {Protocol::memcached, Protocol::redis})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Scene scene;
      scene.protocol = protocol;
      scene.servers = scene.loops = 2;
      scene.clients = 8;
      scene.keys = 2;
      scene.settings = [](Pool& pool) { pool.overload.coalesce = true; };
      Network network(scene, seed);
      network.run(400);
      ASSERT_FALSE(HasFailure()) << seed;
      shared += network.sums().overload.shared;
    }
  EXPECT_GT(shared, 1000u);
}

// With a bound a key lives on several servers, but what is written on another than its owner does not stay.
TEST(router_simulation,
     under_a_bound_values_are_older_than_the_last_write_only_by_the_time_that_copies_live) {
  std::size_t spilled = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Scene scene;
    scene.keys = 4;
    scene.clients = 8;
    scene.ask_one_in = 2;
    scene.writes_one_in = 100;  // else every copy is soon overwritten
    scene.slack = milliseconds(1200);
    scene.settings = [seed](Pool& pool) {
      pool.overload.bound = 100;
      pool.overload.in_flight = seed % 2 ? 4 : 0;
      pool.overload.queue_deadline = milliseconds(20);
      pool.overload.coalesce = true;
      pool.failing.longest_ttl = std::chrono::seconds(1);
    };
    Network network(scene, seed);
    network.run(4000);
    ASSERT_FALSE(HasFailure()) << seed;
    spilled += network.sums().overload.spilled;
  }
  EXPECT_GT(spilled, 1000u);
}

// What the rules are there for: with one of them switched off, a history is found in which an old value comes
// back.
TEST(router_simulation, without_its_rules_old_values_come_back) {
  const auto found = [](const std::function<void(Pool&)>& without) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Scene scene;
      scene.servers = 3;
      scene.keys = 4;
      scene.ask_one_in = 1;
      scene.only_count = true;
      scene.faults.stop = 150;
      scene.faults.cut = 100;
      scene.settings = without;
      Network network(scene, seed);
      network.run(500);
      if (network.sums().old > 0) return true;
    }
    return false;
  };
  EXPECT_FALSE(found({}));
  EXPECT_TRUE(found([](Pool& pool) { pool.failing.draining = false; }));
  EXPECT_TRUE(found([](Pool& pool) {
    pool.failing.on_failure = OnFailure::next;
    pool.failing.on_return = OnReturn::keep;
  }));
  EXPECT_FALSE(found([](Pool& pool) { pool.failing.on_failure = OnFailure::next; }));
}

}  // namespace
}  // namespace arcwise::router
