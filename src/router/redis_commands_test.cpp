#include "router/redis_commands.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace arcwise::router {
namespace {

// The keys of a command as people write it; "?" where it is no such command.
std::string keys_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  const RedisCommand* command = find_redis_command(words[0], words.size() > 1 ? words[1] : "");
  if (!command) return "none";
  const RedisWords view{&words, words.size(), [](const void* of, std::size_t i) noexcept {
                          return std::string_view((*static_cast<const std::vector<std::string>*>(of))[i]);
                        }};
  std::string out;
  const bool fits = each_redis_key(*command, view, [&](std::size_t i) { out += words[i] + ' '; });
  return fits ? out : "?";
}

TEST(redis_commands, keys_stand_where_redis_says) {
  EXPECT_EQ(keys_of("GET a"), "a ");
  EXPECT_EQ(keys_of("get a"), "a ");
  EXPECT_EQ(keys_of("MSET a 1 b 2"), "a b ");
  EXPECT_EQ(keys_of("BLPOP a b 0"), "a b ");
  EXPECT_EQ(keys_of("BITOP AND out x y"), "out x y ");
  EXPECT_EQ(keys_of("ZUNIONSTORE out 2 a b WEIGHTS 1 2"), "out a b ");
  EXPECT_EQ(keys_of("EVAL script 1 k arg"), "k ");
  EXPECT_EQ(keys_of("EVAL script 0 arg"), "");
  EXPECT_EQ(keys_of("XREAD COUNT 2 STREAMS s1 s2 0 0"), "s1 s2 ");
  EXPECT_EQ(keys_of("XGROUP CREATE s g $"), "s ");
  EXPECT_EQ(keys_of("OBJECT ENCODING k"), "k ");
  EXPECT_EQ(keys_of("GEORADIUS k 1 2 3 km STORE out"), "k out ");
  EXPECT_EQ(keys_of("LMPOP 2 a b LEFT"), "a b ");
  EXPECT_EQ(keys_of("SORT a LIMIT 0 1 STORE b"), "a b ");
  EXPECT_EQ(keys_of("MIGRATE h 1 key 0 5 KEYS a b"), "key a b ");
}

TEST(redis_commands, of_options_the_last_holds_and_what_another_option_takes_is_none) {
  EXPECT_EQ(keys_of("SORT a STORE b STORE c"), "a c ");
  EXPECT_EQ(keys_of("SORT a BY store GET store LIMIT store store STORE b"), "a b ");
  EXPECT_EQ(keys_of("SORT a STORE b GET store"), "a b ");
  EXPECT_EQ(keys_of("SORT a STORE store"), "a store ");
  EXPECT_EQ(keys_of("GEORADIUS k 1 2 3 km STORE x STORE out"), "k out ");
}

TEST(redis_commands, a_number_of_keys_that_cannot_be_is_no_command) {
  EXPECT_EQ(keys_of("EVAL script 5 k"), "?");
  EXPECT_EQ(keys_of("EVAL script x k"), "?");
  EXPECT_EQ(keys_of("EVAL script 18446744073709551615 k"), "?");
  EXPECT_EQ(keys_of("LMPOP 9 a b LEFT"), "?");
}

TEST(redis_commands, each_has_one_route) {
  EXPECT_EQ(find_redis_command("Mget", "")->route, RedisRoute::values);
  EXPECT_EQ(find_redis_command("del", "")->route, RedisRoute::total);
  EXPECT_EQ(find_redis_command("SUBSCRIBE", "x")->route, RedisRoute::refused);
  EXPECT_EQ(find_redis_command("KEYS", "*")->route, RedisRoute::all_keys);
  EXPECT_EQ(find_redis_command("CONFIG", "SET")->route, RedisRoute::refused);
  EXPECT_EQ(find_redis_command("script", "load")->route, RedisRoute::all_same);
  EXPECT_EQ(find_redis_command("Command", "")->route, RedisRoute::any);
  EXPECT_EQ(find_redis_command("hset", "h")->route, RedisRoute::owner);
  EXPECT_EQ(find_redis_command("client", "setname")->route, RedisRoute::own);
  EXPECT_EQ(find_redis_command("nope", ""), nullptr);
}

}  // namespace
}  // namespace arcwise::router
