#include "router/redis_commands.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace arcwise::router {
namespace {

constexpr RedisCommand table[] = {
#include "router/redis_commands.inc"
    // Later than 7.0, and said by clients before they begin.
    {"client setinfo", 4, 0, {}},
    {"client no-touch", 3, 0, {}},
};

struct Decision {
  std::string_view name;
  RedisRoute route;
};
// What is not listed goes to the owner of its keys, or is refused where it has none.
constexpr Decision decisions[] = {
    {"mget", RedisRoute::values},
    {"del", RedisRoute::total},
    {"unlink", RedisRoute::total},
    {"exists", RedisRoute::total},
    {"touch", RedisRoute::total},
    {"mset", RedisRoute::pairs},
    {"flushall", RedisRoute::all_ok},
    {"flushdb", RedisRoute::all_ok},
    {"script flush", RedisRoute::all_ok},
    {"function flush", RedisRoute::all_ok},
    {"function delete", RedisRoute::all_ok},
    {"function restore", RedisRoute::all_ok},
    {"config resetstat", RedisRoute::all_ok},
    {"dbsize", RedisRoute::all_sum},
    {"script load", RedisRoute::all_same},
    {"function load", RedisRoute::all_same},
    {"script exists", RedisRoute::all_true},
    {"keys", RedisRoute::all_keys},
    {"randomkey", RedisRoute::all_one},
    {"scan", RedisRoute::scan},
    {"command", RedisRoute::any},
    {"command count", RedisRoute::any},
    {"command docs", RedisRoute::any},
    {"command info", RedisRoute::any},
    {"command list", RedisRoute::any},
    {"command getkeysandflags", RedisRoute::any},
    {"time", RedisRoute::any},
    {"lolwut", RedisRoute::any},
    {"lastsave", RedisRoute::any},
    {"function list", RedisRoute::any},
    {"function dump", RedisRoute::any},
    {"function stats", RedisRoute::any},
    {"memory doctor", RedisRoute::any},
    {"acl cat", RedisRoute::any},
    {"acl genpass", RedisRoute::any},
    {"acl help", RedisRoute::any},
    {"client help", RedisRoute::any},
    {"cluster help", RedisRoute::any},
    {"command help", RedisRoute::any},
    {"config help", RedisRoute::any},
    {"function help", RedisRoute::any},
    {"latency help", RedisRoute::any},
    {"memory help", RedisRoute::any},
    {"module help", RedisRoute::any},
    {"object help", RedisRoute::any},
    {"pubsub help", RedisRoute::any},
    {"script help", RedisRoute::any},
    {"slowlog help", RedisRoute::any},
    {"xgroup help", RedisRoute::any},
    {"xinfo help", RedisRoute::any},
    {"multi", RedisRoute::transaction},
    {"exec", RedisRoute::transaction},
    {"discard", RedisRoute::transaction},
    {"watch", RedisRoute::transaction},
    {"unwatch", RedisRoute::transaction},
    {"quit", RedisRoute::session},
    {"reset", RedisRoute::session},
    {"ping", RedisRoute::own},
    {"echo", RedisRoute::own},
    {"hello", RedisRoute::own},
    {"auth", RedisRoute::own},
    {"select", RedisRoute::own},
    {"info", RedisRoute::own},
    {"acl whoami", RedisRoute::own},
    {"command getkeys", RedisRoute::own},
    {"config get", RedisRoute::own},
    {"client id", RedisRoute::own},
    {"client setname", RedisRoute::own},
    {"client getname", RedisRoute::own},
    {"client setinfo", RedisRoute::own},
    {"client info", RedisRoute::own},
    {"client list", RedisRoute::own},
    {"client reply", RedisRoute::own},
    {"client no-evict", RedisRoute::own},
    {"client no-touch", RedisRoute::own},
    {"client getredir", RedisRoute::own},
    {"client tracking", RedisRoute::own},
    {"client trackinginfo", RedisRoute::own},
};

constexpr std::string_view pure[] = {"get",           "mget",        "exists",
                                     "strlen",        "getrange",    "substr",
                                     "getbit",        "bitcount",    "bitpos",
                                     "hget",          "hmget",       "hgetall",
                                     "hkeys",         "hvals",       "hlen",
                                     "hexists",       "hstrlen",     "lindex",
                                     "llen",          "lrange",      "scard",
                                     "sismember",     "smismember",  "smembers",
                                     "zcard",         "zcount",      "zscore",
                                     "zmscore",       "zrange",      "zrevrange",
                                     "zrangebyscore", "zrangebylex", "zrevrangebyscore",
                                     "zrank",         "zrevrank",    "ttl",
                                     "pttl",          "type",        "xlen",
                                     "xrange",        "xrevrange"};

RedisRoute route_of(const RedisCommand& command) noexcept {
  for (const Decision& d : decisions)
    if (d.name == command.name) return d.route;
  const bool keyless = command.keys[0].at == 0;
  const bool unfit = (command.traits & (redis_pubsub | redis_admin)) != 0;
  return keyless || unfit ? RedisRoute::refused : RedisRoute::owner;
}

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

std::size_t hash_of(std::string_view name) noexcept {
  std::size_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(lower(c))) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

/// Open addressing over the table's rows, with what is done with each settled.
class Index {
 public:
  Index() : rows_(std::begin(table), std::end(table)), slots_(1024, none) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].route = route_of(rows_[i]);
      if (std::find(std::begin(pure), std::end(pure), rows_[i].name) != std::end(pure))
        rows_[i].traits |= redis_pure;
      if (i + 1 < rows_.size() && rows_[i].route == RedisRoute::refused &&
          rows_[i + 1].name.starts_with(std::string(rows_[i].name) + " "))
        rows_[i].traits |= redis_container;
      std::size_t slot = hash_of(rows_[i].name) % slots_.size();
      while (slots_[slot] != none) slot = (slot + 1) % slots_.size();
      slots_[slot] = static_cast<std::uint16_t>(i);
    }
  }
  template <class Matches>
  const RedisCommand* find(std::size_t hash, Matches&& matches) const noexcept {
    for (std::size_t slot = hash % slots_.size(); slots_[slot] != none; slot = (slot + 1) % slots_.size())
      if (matches(rows_[slots_[slot]].name)) return &rows_[slots_[slot]];
    return nullptr;
  }

 private:
  static constexpr std::uint16_t none = 0xffff;
  std::vector<RedisCommand> rows_;
  std::vector<std::uint16_t> slots_;
};

const Index& index() {
  static const Index all;
  return all;
}

constexpr std::size_t longest_name = 64;

}  // namespace

bool may_write(const RedisCommand& command) noexcept {
  return (command.traits & redis_write) != 0 || command.name == "eval" || command.name == "evalsha" ||
         command.name == "fcall";
}

bool has_arity(const RedisCommand& command, std::size_t words) noexcept {
  return command.arity >= 0 ? words == static_cast<std::size_t>(command.arity)
                            : words >= static_cast<std::size_t>(-command.arity);
}

bool may_be_queued(const RedisCommand& command) noexcept {
  if (command.route == RedisRoute::refused) return false;
  if (command.keys[0].at != 0) return true;
  static constexpr std::string_view others[] = {"ping", "echo", "time", "unwatch"};
  return std::find(std::begin(others), std::end(others), command.name) != std::end(others);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

const RedisCommand* find_redis_command(std::string_view name, std::string_view second) noexcept {
  const auto by = [](std::string_view wanted) {
    return index().find(hash_of(wanted), [&](std::string_view n) { return equal_ignoring_case(wanted, n); });
  };
  const RedisCommand* plain = by(name);
  if (!plain || plain->keys[0].at != 0 || second.empty() || name.size() + second.size() >= longest_name)
    return plain;
  std::array<char, longest_name> both;
  std::copy(name.begin(), name.end(), both.begin());
  both[name.size()] = ' ';
  std::copy(second.begin(), second.end(), both.begin() + static_cast<std::ptrdiff_t>(name.size()) + 1);
  const RedisCommand* whole = by({both.data(), name.size() + 1 + second.size()});
  return whole ? whole : plain;
}

namespace {

// Options that come in any order: the last one holds, and what belongs to another option is none. Worked
// example, SORT a GET store STORE b STORE c: the key is c.
std::size_t find_option(const RedisKeys& keys, const RedisWords& words) noexcept {
  std::size_t found = 0;
  for (auto i = static_cast<std::size_t>(keys.at); i < words.count; ++i) {
    if (equal_ignoring_case(words[i], "limit")) {
      i += 2;
    } else if (equal_ignoring_case(words[i], "by") || equal_ignoring_case(words[i], "get")) {
      ++i;
    } else if (equal_ignoring_case(words[i], keys.word) && i + 1 < words.count) {
      found = i++;
    }
  }
  return found;
}

// Where the word stands behind which the keys do; 0: nowhere.
std::size_t find_word(const RedisKeys& keys, const RedisWords& words) noexcept {
  const std::size_t count = words.count;
  if (keys.word.starts_with("STORE")) return find_option(keys, words);
  const bool back = keys.at < 0;
  const std::size_t from =
      back ? count - std::min(count, static_cast<std::size_t>(-keys.at)) : static_cast<std::size_t>(keys.at);
  for (std::size_t i = from; i > 0 && i < count; i += back ? std::size_t(-1) : 1)
    if (equal_ignoring_case(words[i], keys.word)) return i;
  return 0;
}

}  // namespace

// Worked example, ZUNIONSTORE out 2 a b WEIGHTS 1 2: first the key at position 1, last 0: itself alone. Then,
// counted from position 2: the number stands there + 0 and says 2, keys begin there + 1: words 3 and 4.
RedisKeyRange find_redis_keys(const RedisKeys& keys, const RedisWords& words) noexcept {
  const std::size_t count = words.count;
  std::size_t begin = static_cast<std::size_t>(keys.at);
  if (!keys.word.empty()) {
    const std::size_t found = find_word(keys, words);
    if (found == 0) return {};
    begin = found + 1;
  }
  if (begin >= count) return {0, 0, 1, true};
  const auto step = static_cast<std::size_t>(keys.step);
  if (keys.counted) {
    const std::size_t at = begin + static_cast<std::size_t>(keys.last);
    if (at >= count) return {0, 0, 1, true};
    std::size_t many = 0;
    const std::string_view text = words[at];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), many);
    const std::size_t first = begin + static_cast<std::size_t>(keys.limit);
    if (error != std::errc() || end != text.data() + text.size() || many > count || first + many > count)
      return {0, 0, 1, true};
    return many == 0 ? RedisKeyRange{} : RedisKeyRange{first, first + (many - 1) * step, step, false};
  }
  std::size_t last = begin + static_cast<std::size_t>(std::max(keys.last, 0));
  if (keys.last < 0) {
    const std::size_t rest = count - begin;
    last = keys.limit > 1 ? begin + rest / static_cast<std::size_t>(keys.limit) - 1
                          : count - static_cast<std::size_t>(-keys.last);
    if (keys.limit > 1 && rest < static_cast<std::size_t>(keys.limit)) return {0, 0, 1, true};
  }
  if (last < begin || last >= count) return {0, 0, 1, true};
  return {begin, last, step, false};
}

}  // namespace arcwise::router
