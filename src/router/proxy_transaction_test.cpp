// Transactions whose map changes while their commands are queued.
#include "router/talk_testing.hpp"

namespace arcwise::router {
namespace {

using testing::command;
using testing::Talk;

// By the second map, which has one server more, it is another's.
std::string moved_key(const Placement& before, const Placement& after, int from = 0) {
  const auto key = [&] { return "key" + std::to_string(from); };
  while (after.owner(key()) == before.owner(key()) || after.owner(key()) == no_node) ++from;
  return key();
}

TEST(proxy_transaction, goes_where_its_keys_are_when_it_is_executed) {
  Talk talk(2);
  const Pool larger = Talk::pool(3, "");
  const auto id = talk.proxy.add_client();
  const std::string key = moved_key(talk.proxy.pool().placement, larger.placement);
  talk.say(id, {"MULTI"});
  talk.say(id, {"SET", key, "1"});
  talk.proxy.adopt(larger);
  talk.say(id, {"GET", key});
  EXPECT_EQ(talk.told(id), "+OK\r\n+QUEUED\r\n+QUEUED\r\n");
  talk.say(id, {"EXEC"});
  EXPECT_EQ(talk.sent(talk.owner(key)),
            command({"MULTI"}) + command({"SET", key, "1"}) + command({"GET", key}) + command({"EXEC"}));
}

TEST(proxy_transaction, whose_keys_a_new_map_parts_is_told_so_and_not_done) {
  for (const bool another : {false, true}) {
    Talk talk(2);
    const Pool larger = Talk::pool(3, "");
    const auto id = talk.proxy.add_client();
    const std::string key = moved_key(talk.proxy.pool().placement, larger.placement);
    std::string beside;
    for (int i = 0; beside.empty(); ++i) {
      const std::string each = "beside" + std::to_string(i);
      const auto owner = talk.owner(key);
      if (talk.owner(each) == owner && larger.placement.owner(each) == owner) beside = each;
    }
    talk.say(id, {"MULTI"});
    talk.say(id, {"SET", key, "1"});
    talk.say(id, {"SET", beside, "1"});
    EXPECT_EQ(talk.told(id), "+OK\r\n+QUEUED\r\n+QUEUED\r\n");
    talk.proxy.adopt(larger);
    if (another) {
      talk.say(id, {"GET", key});
      EXPECT_EQ(talk.told(id),
                "-ERR a new map has given the keys of this transaction to different nodes\r\n");
    }
    talk.say(id, {"EXEC"});
    EXPECT_EQ(talk.told(id),
              "-EXECABORT Transaction discarded because a new map has given its keys to different nodes; "
              "begin it again\r\n");
    for (Proxy::ServerId s = 0; s < 3; ++s) EXPECT_EQ(talk.sent(s), "") << s;
  }
}

TEST(proxy_transaction, what_clients_queue_is_bounded_for_all_of_them_together) {
  Talk talk(1);
  Pool pool = Talk::pool(1, "");
  pool.limits.held = 1000;
  talk.proxy.adopt(pool);
  const auto one = talk.proxy.add_client(), other = talk.proxy.add_client();
  for (const auto id : {one, other}) talk.say(id, {"MULTI"});
  talk.say(one, {"SET", "a", std::string(600, 'x')});
  EXPECT_EQ(talk.told(one), "+OK\r\n+QUEUED\r\n");
  talk.say(other, {"SET", "b", std::string(600, 'x')});
  talk.say(other, {"EXEC"});
  const std::string told = talk.told(other);
  EXPECT_NE(told.find("-ERR out of memory"), told.npos) << told;
  EXPECT_NE(told.find("-EXECABORT"), told.npos) << told;
  for (const bool executes : {false, true}) {  // room again, however the one before ended
    if (executes)
      talk.say(one, {"DISCARD"});
    else
      talk.proxy.drop_client(other);
    const auto id = talk.proxy.add_client();
    talk.say(id, {"MULTI"});
    talk.say(id, {"SET", "b", std::string(executes ? 600 : 300, 'x')});
    EXPECT_EQ(talk.told(id), "+OK\r\n+QUEUED\r\n");
  }
}

}  // namespace
}  // namespace arcwise::router
