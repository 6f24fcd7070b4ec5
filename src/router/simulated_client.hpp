// A client for tests that asks at random, and knows what it may be told.
//
// Values name their key and a version. A key's versions rise with each write or deletion of it, and the next
// begins when the last is answered. So a read is wrong if it finds a version below the newest that was
// acknowledged when it was asked.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hash/splitmix.hpp"
#include "router/memcached_reply.hpp"
#include "router/pool.hpp"
#include "router/resp.hpp"

namespace arcwise::router::simulation {

/// What all clients together know of keys.
class Ledger {
 public:
  struct Key {
    std::uint64_t newest = 0;
    bool pending = false;
    std::deque<std::pair<Time, std::uint64_t>> acknowledged;  ///< versions, and when they were

    /// The newest that was acknowledged by then.
    std::uint64_t at(Time time) const {
      std::uint64_t version = 0;
      for (const auto& [when, which] : acknowledged)
        if (when <= time) version = which;
      return version;
    }
  };
  Key& operator[](const std::string& key) { return keys_[key]; }

 private:
  std::map<std::string, Key> keys_;
};

class Client {
 public:
  struct Habits {
    Protocol protocol = Protocol::memcached;
    std::size_t keys = 20;
    bool fresh = true;        ///< whether versions are looked at
    Time slack{};             ///< how long after a write older ones may be found
    bool only_count = false;  ///< old values are no failure
    bool resp3 = false;
    unsigned writes_one_in = 1;  ///< of those that it would write else
    bool watches = true;         ///< which is in vain where a new map moves its key
  };
  Client(const Habits& habits, Ledger& ledger) : habits_(habits), ledger_(ledger) {}

  /// The bytes of a request.
  std::string ask(Splitmix64& random, Time now) {
    const auto one_of = [&](std::uint64_t count) { return random.next() % count; };
    const std::string key = "key" + std::to_string(one_of(habits_.keys));
    const bool redis = habits_.protocol == Protocol::redis;
    if (habits_.resp3 && !greeted_) {
      greeted_ = true;
      put(Kind::plain).expected = "%";
      return "HELLO 3\r\n";
    }
    switch (one_of(9)) {
      case 0:
      case 1:
        if (may_write(key, random)) return write(key, std::string(one_of(40), 'v'));
        break;
      case 2:
        if (may_write(key, random)) return erase(key);
        break;
      case 3:
        return plain(one_of(3));
      case 4:
        if (redis && may_write(key, random)) return transaction(key, habits_.watches && one_of(3) == 0);
        if (!redis) return quiet(key, now);
        break;
      default:
        break;
    }
    std::vector<std::string> keys{key};
    while (one_of(3) == 0) keys.push_back("key" + std::to_string(one_of(habits_.keys)));
    const bool meta = !redis && keys.size() == 1 && one_of(3) == 0;
    reads(meta ? Kind::meta_read : keys.size() == 1 && redis ? Kind::get : Kind::read, keys, now);
    std::string text = redis ? keys.size() == 1 ? "GET" : "MGET" : meta ? "mg" : one_of(3) ? "get" : "gets";
    return words(text, keys, meta ? " v f" : "");
  }

  /// Every answer belongs to the request whose turn it is.
  void hear(std::string_view bytes, Time now) {
    now_ = now;
    in_ += bytes;
    while (!asked_.empty() && answer()) {
    }
    ASSERT_TRUE(!asked_.empty() || in_.empty()) << "answers that nobody asked for: " << in_;
  }
  /// It hears no more, and begins anew. `forgotten`: what it wrote may be done at any time to come.
  void leave(bool forgotten) {
    for (const Question& question : asked_)
      if (question.version > 0) ledger_[question.keys[0]].pending = forgotten;
    asked_.clear();
    in_.clear();
    greeted_ = false;
  }
  std::size_t waiting() const { return asked_.size(); }
  std::size_t answers = 0, failures = 0, found = 0, old = 0;

 private:
  enum class Kind { read, meta_read, get, quiet, write, erase, exec, plain };
  struct Question {
    Kind kind;
    std::vector<std::string> keys;
    std::vector<std::uint64_t> floors;  ///< versions acknowledged when it was asked
    std::vector<std::uint64_t> mine;    ///< written before it on this connection, and not answered then
    std::uint64_t version = 0;          ///< of a write
    std::string expected;
    bool may_fail = false;
  };

  bool may_write(const std::string& key, Splitmix64& random) {
    return !ledger_[key].pending && random.next() % habits_.writes_one_in == 0;
  }
  Question& put(Kind kind) {
    asked_.push_back({kind, {}, {}, {}, 0, {}, false});
    return asked_.back();
  }
  void reads(Kind kind, const std::vector<std::string>& keys, Time now) {
    std::vector<std::uint64_t> floors, mine;
    for (const std::string& key : keys) {
      floors.push_back(ledger_[key].at(now - habits_.slack));
      mine.push_back(habits_.slack > Time{} ? 0 : own_pending(key));
    }
    Question& question = put(kind);
    question.keys = keys;
    question.floors = std::move(floors);
    question.mine = std::move(mine);
  }
  std::uint64_t own_pending(const std::string& key) const {
    for (const Question& question : asked_)
      if (question.version > 0 && question.keys[0] == key) return question.version;
    return 0;
  }
  static std::string bulk(const std::string& text) {
    return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
  }
  std::string words(const std::string& name, const std::vector<std::string>& keys, const char* end) const {
    std::string out = name;
    if (habits_.protocol == Protocol::redis) {
      out = "*" + std::to_string(keys.size() + 1) + "\r\n" + bulk(name);
      for (const std::string& key : keys) out += bulk(key);
      return out;
    }
    for (const std::string& key : keys) out += " " + key;
    return out + end + "\r\n";
  }
  Question& change(Kind kind, const std::string& key) {
    ledger_[key].pending = true;
    Question& question = put(kind);
    question.keys = {key};
    question.version = ++ledger_[key].newest;
    return question;
  }
  std::string write(const std::string& key, const std::string& filler) {
    const Question& question = change(Kind::write, key);
    const std::string value = key + "=" + std::to_string(question.version) + ":" + filler;
    if (habits_.protocol == Protocol::redis) return words("SET", {key, value}, "");
    return "set " + key + " 0 0 " + std::to_string(value.size()) + "\r\n" + value + "\r\n";
  }
  std::string transaction(const std::string& key, bool watches) {
    if (watches) {
      Question& watch = put(Kind::plain);
      watch.expected = "+OK";
      watch.may_fail = true;
    }
    for (const char* expected : {"+OK", "+QUEUED", "+QUEUED"}) put(Kind::plain).expected = expected;
    const Question& question = change(Kind::exec, key);
    const std::string value = key + "=" + std::to_string(question.version) + ":";
    return (watches ? words("WATCH", {key}, "") : std::string()) + "MULTI\r\n" +
           words("SET", {key, value}, "") + words("GET", {key}, "") + "EXEC\r\n";
  }
  // A miss is not told; what is behind it tells that there was one.
  std::string quiet(const std::string& key, Time now) {
    reads(Kind::quiet, {key}, now);
    put(Kind::plain).expected = "MN";
    return "mg " + key + " v q\r\nmn\r\n";
  }
  std::string erase(const std::string& key) {
    change(Kind::erase, key);
    return words(habits_.protocol == Protocol::redis ? "DEL" : "delete", {key}, "");
  }
  // What the router answers itself, and what is refused: in their turn as well.
  std::string plain(std::uint64_t which) {
    const bool redis = habits_.protocol == Protocol::redis;
    static constexpr std::string_view texts[2][3][2] = {
        {{"version\r\n", "VERSION "}, {"mn\r\n", "MN"}, {"bogus\r\n", "ERROR"}},
        {{"PING\r\n", "+PONG"}, {"*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n", "$2"}, {"BOGUS\r\n", "-ERR unknown"}}};
    put(Kind::plain).expected = texts[redis][which][1];
    return std::string(texts[redis][which][0]);
  }

  bool answer() {
    if (asked_.front().kind == Kind::quiet && in_.starts_with("MN\r\n")) asked_.pop_front();
    const Question& question = asked_.front();
    const std::size_t size =
        habits_.protocol == Protocol::redis ? redis_size() : memcached_size(question.kind);
    if (size == 0) return false;
    check(question, in_.substr(0, size));
    in_.erase(0, size);
    asked_.pop_front();
    ++answers;
    return true;
  }
  std::size_t redis_size() const {
    const auto found_reply = RespScanner().scan(in_);
    EXPECT_FALSE(found_reply.broken) << in_;
    return found_reply.size;
  }
  std::size_t memcached_size(Kind kind) const {
    if (kind == Kind::meta_read || kind == Kind::quiet) {
      const McScan found_reply = scan_memcached(McReply::meta_get, in_);
      EXPECT_FALSE(found_reply.broken) << in_;
      return found_reply.size;
    }
    for (std::size_t at = 0;;) {
      const std::size_t end = in_.find("\r\n", at);
      if (end == in_.npos) return 0;
      std::string_view line = std::string_view(in_).substr(at, end - at);
      at = end + 2;
      if (kind != Kind::read || !line.starts_with("VALUE ")) return at;
      for (int i = 0; i < 3; ++i) next_word(line);
      at += std::stoul(std::string(next_word(line))) + 2;
      if (in_.size() < at) return 0;
    }
  }

  void check(const Question& question, const std::string& text) {
    const bool redis = habits_.protocol == Protocol::redis;
    if (question.kind == Kind::plain) {
      EXPECT_TRUE(text.starts_with(question.expected) || (question.may_fail && text[0] == '-'))
          << text << " for " << question.expected;
      return;
    }
    const bool failed =
        (redis ? text[0] == '-' || nothing_done(question, text) : text.find("SERVER_ERROR") != text.npos);
    failures += failed;
    if (question.version > 0) {
      written(question.keys[0], question.version, !failed);
      if (failed) return;
      if (question.kind == Kind::exec) return check_transaction(question, text);
      const bool erases = question.kind == Kind::erase;
      EXPECT_TRUE(redis    ? text == (erases ? text[1] == '0' ? ":0\r\n" : ":1\r\n" : "+OK\r\n")
                  : erases ? text == "DELETED\r\n" || text == "NOT_FOUND\r\n"
                           : text == "STORED\r\n")
          << text;
    } else if (redis) {
      if (!failed) check_elements(question, text);
    } else if (question.kind == Kind::meta_read || question.kind == Kind::quiet) {
      if (text.starts_with("VA ")) check_value(question, 0, text.substr(text.find("\r\n") + 2));
      EXPECT_TRUE(failed || text.starts_with("VA ") || text == "EN\r\n") << text;
    } else {
      check_values(question, text);
    }
  }
  // As if a key that was watched had been changed.
  static bool nothing_done(const Question& question, const std::string& text) {
    return question.kind == Kind::exec && (text == "*-1\r\n" || text == "_\r\n");
  }
  // Nobody comes between the commands of a transaction.
  void check_transaction(const Question& question, const std::string& text) {
    const std::string value = question.keys[0] + "=" + std::to_string(question.version) + ":";
    EXPECT_EQ(text, "*2\r\n+OK\r\n" + bulk(value));
  }
  // Of the keys asked for, and in their order; one that is missing was not found.
  void check_values(const Question& question, const std::string& text) {
    std::size_t next = 0;
    for (std::size_t at = text.find("VALUE "); at != text.npos; at = text.find("VALUE ", at + 1)) {
      const std::string key = text.substr(at + 6, text.find(' ', at + 6) - at - 6);
      while (next < question.keys.size() && question.keys[next] != key) ++next;
      ASSERT_LT(next, question.keys.size()) << "not asked for, or not in order: " << text;
      check_value(question, next++, text.substr(text.find("\r\n", at) + 2));
    }
  }
  void check_elements(const Question& question, const std::string& text) {
    std::string rest = text;
    if (question.kind == Kind::read) {
      ASSERT_EQ(text.substr(0, text.find('\r')), "*" + std::to_string(question.keys.size()));
      rest.erase(0, text.find('\n') + 1);
    }
    for (std::size_t i = 0; i < question.keys.size(); ++i) {
      const std::size_t size = RespScanner().scan(rest).size;
      const bool none = rest.starts_with(habits_.resp3 ? "_\r\n" : "$-1\r\n");
      ASSERT_TRUE(none || (rest[0] == '$' && rest[1] != '-')) << text;
      if (!none) check_value(question, i, rest.substr(rest.find('\n') + 1));
      rest.erase(0, size);
    }
  }
  void check_value(const Question& question, std::size_t i, const std::string& value) {
    const std::string& key = question.keys[i];
    ASSERT_TRUE(value.starts_with(key + "=")) << "another key's value: " << value << " for " << key;
    ++found;
    if (!habits_.fresh) return;
    std::uint64_t version = 0;
    std::from_chars(value.data() + key.size() + 1, value.data() + value.size(), version);
    old += version < question.floors[i];
    if (habits_.only_count) return;
    EXPECT_GE(version, question.floors[i]) << "a value older than an acknowledged write: " << value;
  }
  // What this client has asked after its write must find it.
  void written(const std::string& key, std::uint64_t version, bool acknowledged) {
    ledger_[key].pending = false;
    if (!acknowledged) return;
    auto& all = ledger_[key].acknowledged;
    all.emplace_back(now_, version);
    while (all.size() > 1 && all[1].first <= now_ - habits_.slack) all.pop_front();
    for (Question& question : asked_)
      for (std::size_t i = 0; i < question.mine.size(); ++i)
        if (question.mine[i] == version && question.keys[i] == key) question.floors[i] = version;
  }

  Habits habits_;
  Ledger& ledger_;
  Time now_{};
  bool greeted_ = false;
  std::string in_;
  std::deque<Question> asked_;
};

}  // namespace arcwise::router::simulation
