// Further connections to a server: whose they are, and when they are another's.
#include <set>

#include "router/talk_testing.hpp"

namespace arcwise::router {
namespace {

using testing::command;
using testing::Talk;

std::set<Proxy::ServerId> ended(Talk& talk) {
  std::set<Proxy::ServerId> out;
  talk.proxy.each_to_disconnect([&](Proxy::ServerId s, std::string_view) { out.insert(s); });
  return out;
}

// The first server's, beside the one that all share.
Proxy::ClientId watcher(Talk& talk, Proxy::ServerId lane, const std::string& key = "a") {
  const auto id = talk.proxy.add_client();
  talk.say(id, {"WATCH", key});
  EXPECT_EQ(talk.sent(lane), command({"WATCH", key}));
  talk.answer(lane, "+OK\r\n");
  EXPECT_EQ(talk.told(id), "+OK\r\n");
  return id;
}

TEST(lanes, of_a_client_that_left_while_it_watched_nobody_has_the_connection_before_it_has_ended) {
  Talk talk(1);
  talk.proxy.drop_client(watcher(talk, 1));
  const auto next = watcher(talk, 2);  // before the loop has ended the other
  EXPECT_EQ(ended(talk), std::set<Proxy::ServerId>{1});
  talk.proxy.lost(1, "ended", talk.now);
  EXPECT_EQ(talk.told(next), "") << "it has its own";
  watcher(talk, 1);
}

TEST(lanes, a_connection_whose_unwatch_could_not_be_sent_is_not_handed_on) {
  for (const std::string how : {"UNWATCH", "DISCARD", "EXEC", "RESET"}) {
    Talk talk(1);
    const auto id = watcher(talk, 1), other = talk.proxy.add_client();
    if (how == "DISCARD" || how == "EXEC") talk.say(id, {"MULTI"});
    talk.say(other, {"GET", "a"});
    talk.now += milliseconds(200);
    talk.proxy.tick(talk.now);
    ASSERT_EQ(talk.proxy.state(0), ServerState::stalled);
    talk.say(id, {how});
    EXPECT_EQ(talk.sent(1), "") << how;
    EXPECT_EQ(ended(talk), std::set<Proxy::ServerId>{1}) << how << ": it watches still";
  }
}

TEST(lanes, one_that_nobody_has_used_for_ten_seconds_is_ended_and_its_number_used_again) {
  Talk talk(1);
  const auto id = watcher(talk, 1);
  talk.say(id, {"UNWATCH"});
  talk.answer(1, "+OK\r\n");
  talk.told(id);
  EXPECT_EQ(talk.proxy.deadline(talk.now), talk.now + milliseconds(10'000));
  talk.proxy.tick(talk.now + milliseconds(9'999));
  EXPECT_EQ(ended(talk), std::set<Proxy::ServerId>{});
  talk.proxy.tick(talk.now + milliseconds(10'000));
  EXPECT_EQ(ended(talk), std::set<Proxy::ServerId>{1});
  talk.proxy.lost(1, "ended", talk.now);
  talk.proxy.tick(talk.now + milliseconds(20'000));
  EXPECT_EQ(talk.proxy.deadline(talk.now + milliseconds(20'000)), Time::max()) << "it rests";
  talk.sent(1);
  watcher(talk, 1);
}

TEST(lanes, of_many_that_nobody_uses_any_more_few_are_kept) {
  Talk talk(1);
  std::vector<Proxy::ClientId> all;
  for (Proxy::ServerId lane = 1; lane <= 50; ++lane) all.push_back(watcher(talk, lane));
  for (const auto id : all) talk.say(id, {"UNWATCH"});
  for (Proxy::ServerId lane = 1; lane <= 50; ++lane) talk.answer(lane, "+OK\r\n");
  for (int tick = 0; tick < 50; ++tick) {
    talk.proxy.tick(talk.now);
    for (const Proxy::ServerId s : ended(talk)) talk.proxy.lost(s, "ended", talk.now);
  }
  int connected = 0;
  for (Proxy::ServerId lane = 1; lane <= 50; ++lane) connected += talk.proxy.state(lane) == ServerState::up;
  EXPECT_EQ(connected, 16);
}

TEST(lanes, maps_that_come_and_go_need_no_more_numbers_than_the_largest_of_them) {
  Talk talk(2);
  for (int round = 0; round < 50; ++round) {
    Pool next = Talk::pool(2, "");
    for (std::string& address : next.addresses) address += "-" + std::to_string(round);
    talk.proxy.adopt(next);
    const auto id = talk.proxy.add_client();
    talk.say(id, {"SET", "a", "1"});
    std::set<Proxy::ServerId> asked;
    talk.proxy.each_server_to_send([&](Proxy::ServerId s) { asked.insert(s); });
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_LT(*asked.begin(), 4u) << "two that are let go, and two that come";
    talk.sent(*asked.begin());
    talk.answer(*asked.begin(), "+OK\r\n");
    EXPECT_EQ(talk.told(id), "+OK\r\n") << round;
    talk.proxy.each_to_disconnect(
        [&](Proxy::ServerId s, std::string_view why) { talk.proxy.lost(s, why, talk.now); });
    talk.proxy.drop_client(id);
    talk.proxy.tick(talk.now);
  }
}

}  // namespace
}  // namespace arcwise::router
