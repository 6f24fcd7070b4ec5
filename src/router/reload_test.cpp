#include "router/reload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "place/testing.hpp"

namespace arcwise::router {
namespace {

Pool pool_with(std::uint64_t epoch, std::size_t servers) {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < servers; ++i) nodes.push_back(testing::node("s" + std::to_string(i)));
  auto parts = testing::parts("ring", nodes, 1, Across::node, 16);
  parts.epoch = epoch;
  Pool pool(compile(testing::map_of(parts)));
  pool.name = "p";
  pool.listen = "127.0.0.1:0";
  for (std::size_t i = 0; i < servers; ++i) pool.addresses.push_back("127.0.0.1:" + std::to_string(i + 1));
  return pool;
}

class Reloading : public ::testing::Test {
 protected:
  Reloading() : loops(1, Io::epoll, journal, board), reload(loops, [this] { return read(); }, journal) {
    config.pools.push_back({pool_with(1, 2), "p.yaml", {}});
    EXPECT_FALSE(reload.begin(config));
    reload.watch();
  }
  Result<Config> read() {
    const std::lock_guard lock(mutex);
    ++reads;
    if (wrong) return *wrong;
    return config;
  }
  std::size_t count(const std::string& name) const {
    const auto all = journal.since(0);
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const Event& event) { return event.name == name; }));
  }
  bool happens(const std::string& name) {
    for (int i = 0; i < 1000; ++i, std::this_thread::sleep_for(milliseconds(10)))
      if (count(name) > 0) return true;
    return false;
  }

  Journal journal;
  Board board;
  Config config;
  std::optional<Error> wrong;
  std::mutex mutex;
  unsigned reads = 0;
  Loops loops;
  Reload reload;
};

// The file has the map of before, for a change came by HTTP; what else is new in it counts.
TEST_F(Reloading, settings_beside_a_map_that_is_refused_are_taken_up) {
  ASSERT_TRUE(reload.follow(pool_with(2, 3), {}, true));
  config.pools[0].pool.timeout = milliseconds(123);
  reload.ask();
  EXPECT_TRUE(happens("map_refused"));
  EXPECT_TRUE(happens("settings_adopted"));
  const auto serving = reload.serving().at(0);
  EXPECT_EQ(serving->pool.timeout, milliseconds(123));
  EXPECT_EQ(serving->pool.addresses.size(), 3u);
  EXPECT_EQ(serving->served.epoch, 2u);
}

TEST_F(Reloading, a_configuration_that_cannot_be_read_is_told_from_a_map) {
  wrong = Error{ErrorKind::input, {"arcwised.yaml", 3, 1}, "timeuot", "no such setting", "look"};
  reload.ask();
  EXPECT_TRUE(happens("config_refused"));
  wrong->where.file = "p.yaml";
  reload.ask();
  EXPECT_TRUE(happens("map_refused"));
}

TEST_F(Reloading, what_failed_for_want_of_a_descriptor_is_tried_again_unasked_and_told_once) {
  const auto with_lock = [this](const auto& action) {
    const std::lock_guard lock(mutex);
    return action();
  };
  with_lock([&] { wrong = Error{ErrorKind::io, {"p.yaml"}, "", "too many open files", "close some"}; });
  reload.ask();
  for (int i = 0; i < 1000 && with_lock([&] { return reads; }) < 3; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(count("map_refused"), 1u);
  with_lock([&] {
    wrong.reset();
    config.pools[0].pool = pool_with(2, 3);
  });
  EXPECT_TRUE(happens("map_adopted"));
  EXPECT_EQ(count("map_refused"), 1u);
}

// It would be as wrong the next time.
TEST_F(Reloading, what_a_file_says_wrongly_is_not_read_again_until_it_changes) {
  wrong = Error{ErrorKind::input, {"p.yaml", 3, 1}, "", "no such key", "look"};
  reload.ask();
  EXPECT_TRUE(happens("map_refused"));
  std::this_thread::sleep_for(milliseconds(700));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(reads, 1u);
}

}  // namespace
}  // namespace arcwise::router
