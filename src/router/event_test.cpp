#include "router/event.hpp"

#include <gtest/gtest.h>

namespace arcwise::router {
namespace {

TEST(journal, keeps_the_newest_events_in_their_order) {
  std::size_t heard = 0;
  Journal journal([&](const Event&) { ++heard; });
  for (std::size_t i = 0; i < Journal::kept + 5; ++i) journal.add({});
  EXPECT_EQ(heard, Journal::kept + 5);
  const auto all = journal.since(0);
  ASSERT_EQ(all.size(), Journal::kept);
  EXPECT_EQ(all.front().number, 6u);
  EXPECT_EQ(all.back().number, Journal::kept + 5);
  EXPECT_EQ(journal.since(Journal::kept + 4).size(), 1u);
  EXPECT_TRUE(journal.since(Journal::kept + 5).empty());
}

}  // namespace
}  // namespace arcwise::router
