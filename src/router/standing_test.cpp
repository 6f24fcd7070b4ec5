// A server's standing between threads: each decides by it where it writes and reads, and no read may be older
// than the last write that was done before it.
#include "router/standing.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace arcwise::router {
namespace {

using std::chrono::seconds;

constexpr std::size_t keys = 8;

/// The server and another, as plain as can be: the last version of each key, 0: none.
struct World {
  Standings standings;
  Standing& standing = standings.of("s");
  Failing failing;
  std::array<std::atomic<std::uint64_t>, keys> home{}, elsewhere{};
  std::array<std::atomic<std::uint64_t>, keys> acknowledged{};
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> reads{0}, writes{0}, old_reads{0}, writes_elsewhere{0};

  // One thread writes a key: what it has written last is the newest.
  void write(std::size_t key, std::uint64_t version) {
    ++writes;
    const std::string name = std::to_string(key);
    const std::uint16_t place = Standing::place(name);
    if (standing.serves(place)) {
      home[key] = version;
      acknowledged[key] = version;
      return;
    }
    switch (standing.record(name, place, failing, seconds(0))) {
      case Standing::Record::done:
        ++writes_elsewhere;
        elsewhere[key] = version;
        acknowledged[key] = version;
        return;
      default:
        return;  // refused
    }
  }
  void read(std::size_t key) {
    ++reads;
    const std::uint64_t before = acknowledged[key];
    const bool served = standing.serves(Standing::place(std::to_string(key)));
    const std::uint64_t found = served ? home[key] : elsewhere[key];
    if (found != 0 && found < before) ++old_reads;
  }
  // The server is away and back, again and again. Copies elsewhere are gone before it is away anew, as their
  // time to live has it.
  void come_and_go(int times) {
    for (int i = 0; i < times; ++i) {
      for (auto& copy : elsewhere) copy = 0;
      standing.leave(seconds(i));
      await(writes);
      await(reads);
      auto task = standing.begin_return(this, failing, seconds(i));
      ASSERT_TRUE(task);
      for (auto progress = Standing::Progress::again; progress != Standing::Progress::here;) {
        for (const std::string& name : task->remove) home[std::stoul(name)] = 0;
        if (task->flush)
          for (auto& value : home) value = 0;
        progress = standing.fulfilled(this, failing, seconds(i));
        ASSERT_NE(progress, Standing::Progress::lost);
        if (progress == Standing::Progress::again) task = standing.next_task(failing);
        if (progress == Standing::Progress::part) task = standing.begin_return(this, failing, seconds(i + 1));
        ASSERT_TRUE(task);
      }
      await(writes);
      await(reads);
    }
  }
  void await(const std::atomic<std::uint64_t>& count) {
    for (const std::uint64_t until = count + 3 * keys; count < until;) std::this_thread::yield();
  }
  void run(int times) {
    std::thread writer([this] {
      for (std::uint64_t version = 1; !stop; ++version) write(version % keys, version);
    });
    std::thread reader([this] {
      for (std::size_t i = 0; !stop; ++i) read(i % keys);
    });
    come_and_go(times);
    stop = true;
    writer.join();
    reader.join();
  }
};

// A reader looks where a key is, and then there, and the two are not one moment: what it finds may be what
// was there in between, and is no older than what was acknowledged before it looked only where nothing that
// is older is left, at either place.
TEST(standing, no_thread_reads_what_is_older_than_what_another_has_written) {
  for (const auto ramp : {milliseconds(0), milliseconds(16)}) {
    World world;
    world.failing.ramp = ramp;
    world.run(20);
    EXPECT_EQ(world.old_reads, 0U) << ramp.count();
    EXPECT_GT(world.writes_elsewhere, 0U);
  }
}

TEST(standing, what_is_written_elsewhere_during_a_return_is_dropped_too_and_at_last_refused) {
  Standings standings;
  Standing& standing = standings.of("s");
  const Failing failing;
  const int leader = 0, other = 0;
  const auto record = [&](std::string_view key) { return standing.record(key, 0, failing, seconds(0)); };
  using Keys = std::vector<std::string>;
  using Progress = Standing::Progress;
  EXPECT_TRUE(standing.leave(seconds(1)));
  EXPECT_EQ(record("a"), Standing::Record::done);
  EXPECT_EQ(standing.begin_return(&leader, failing, seconds(2))->remove, Keys{"a"});
  EXPECT_FALSE(standing.begin_return(&other, failing, seconds(2))) << "one leads";
  EXPECT_EQ(record("b"), Standing::Record::done);
  EXPECT_EQ(standing.fulfilled(&leader, failing, seconds(2)), Progress::again);
  EXPECT_EQ(standing.next_task(failing).remove, Keys{"b"});
  EXPECT_EQ(record("c"), Standing::Record::done);
  EXPECT_EQ(standing.fulfilled(&leader, failing, seconds(2)), Progress::again);
  EXPECT_EQ(standing.next_task(failing).remove, Keys{"c"});
  EXPECT_EQ(record("d"), Standing::Record::returning) << "or it would never end";
  EXPECT_FALSE(standing.here());
  EXPECT_EQ(standing.fulfilled(&leader, failing, seconds(2)), Progress::here);
  EXPECT_TRUE(standing.here());
  EXPECT_EQ(record("e"), Standing::Record::back);
}

TEST(standing, a_server_that_owes_during_its_return_gives_the_turn_to_another) {
  Standings all;
  Standing &one = all.of("one"), &other = all.of("other");
  const Failing failing;
  const int its = 0, others = 0;
  one.leave(Time(1));
  other.leave(Time(1));
  ASSERT_TRUE(one.begin_return(&its, failing, Time(2)));
  EXPECT_FALSE(other.begin_return(&others, failing, Time(2))) << "one at a time";
  one.owe();
  EXPECT_TRUE(other.begin_return(&others, failing, Time(3)));
  one.pay();
  EXPECT_FALSE(one.begin_return(&its, failing, Time(3))) << "it comes after";
  EXPECT_EQ(other.fulfilled(&others, failing, Time(4)), Standing::Progress::here);
  EXPECT_TRUE(one.begin_return(&its, failing, Time(5)));
}

TEST(standing, a_return_that_is_given_up_begins_anew_with_all_that_is_to_be_dropped) {
  Standings standings;
  Standing& standing = standings.of("s");
  const Failing failing;
  const int leader = 0;
  using Keys = std::vector<std::string>;
  standing.leave(seconds(1));
  standing.record("a", 0, failing, seconds(0));
  EXPECT_TRUE(standing.begin_return(&leader, failing, seconds(2)));
  standing.record("b", 0, failing, seconds(0));
  standing.abandoned(&leader);
  EXPECT_EQ(standing.fulfilled(&leader, failing, seconds(2)), Standing::Progress::lost);
  EXPECT_EQ(standing.begin_return(&leader, failing, seconds(3))->remove, (Keys{"a", "b"}));
  standing.owe();
  EXPECT_EQ(standing.fulfilled(&leader, failing, seconds(3)), Standing::Progress::lost);
  EXPECT_FALSE(standing.begin_return(&leader, failing, seconds(4))) << "what it owes may write them again";
  standing.pay();
  EXPECT_EQ(standing.begin_return(&leader, failing, seconds(5))->remove, (Keys{"a", "b"}));
}

}  // namespace
}  // namespace arcwise::router
