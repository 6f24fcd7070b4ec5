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

TEST(journal, what_several_loops_notice_at_once_is_said_once) {
  Journal journal;
  const auto event = [](std::size_t loop, const char* server) {
    Event e;
    e.loop = loop;
    e.name = "server_lost";
    e.server = server;
    return e;
  };
  for (std::size_t loop = 0; loop < 3; ++loop)
    for (const char* server : {"a", "b"}) journal.add(event(loop, server));
  EXPECT_EQ(journal.since(0).size(), 2u);
  journal.add(event(0, "a"));
  EXPECT_EQ(journal.since(0).size(), 3u) << "it has happened to the same loop again";
  journal.add(event(Event::no_loop, "a"));
  EXPECT_EQ(journal.since(0).size(), 4u);
}

TEST(journal, after_the_last_event_there_is_none) {
  std::vector<std::string> heard;
  Journal journal([&](const Event& event) { heard.push_back(event.name); });
  Event event;
  event.name = "draining";
  journal.add(event);
  event.name = "ended";
  journal.add_last(event);
  event.name = "server_lost";
  journal.add(event);
  journal.add_last(event);
  EXPECT_EQ(heard, (std::vector<std::string>{"draining", "ended"}));
  EXPECT_EQ(journal.since(0).size(), 2u);
}

}  // namespace
}  // namespace arcwise::router
