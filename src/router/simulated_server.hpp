// A server that is a map of keys and values, for tests: it hears bytes and says bytes, and knows no more of
// memcached or Redis than a router and its tests ask for.
#pragma once

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "router/memcached_request.hpp"
#include "router/pool.hpp"
#include "router/resp.hpp"

namespace arcwise::router::simulation {

/// What one connection to a server has said and not been told yet.
struct Connection {
  std::string in, out;
  std::vector<std::string> queued;  ///< since MULTI: the answers, for nobody else's command comes between
  bool transaction = false;
  bool resp3 = false;
};

class Server {
 public:
  Server(Protocol protocol, bool meta) : protocol_(protocol), meta_(meta) {}

  /// Executes the first command of a connection. False: none is whole.
  bool execute(Connection& at, Time now) {
    now_ = now;
    return protocol_ == Protocol::redis ? redis(at) : memcached(at);
  }
  void forget() { values_.clear(); }
  std::size_t executed = 0;

 private:
  struct Value {
    std::string text;
    Time expires{};  ///< 0: never
  };

  const std::string* find(const std::string& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) return nullptr;
    if (found->second.expires == Time{} || now_ < found->second.expires) return &found->second.text;
    values_.erase(found);
    return nullptr;
  }
  static long long number(std::string_view text) {
    long long value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  Time in_seconds(long long seconds) const {
    return seconds > 0 ? now_ + std::chrono::seconds(seconds) : Time{};
  }

  bool memcached(Connection& at) {
    McRequest request;
    const McParsed parsed = parse_memcached(at.in, {}, request);
    if (parsed.what == McParsed::What::more) return false;
    ++executed;
    at.out += answer_to(request);
    at.in.erase(0, parsed.used);
    return true;
  }
  std::string answer_to(const McRequest& request) {
    const std::string key(request.key);
    std::string_view rest = request.rest;
    const std::string_view data = request.data.substr(0, std::max<std::size_t>(request.data.size(), 2) - 2);
    switch (request.verb) {
      case McVerb::get:
      case McVerb::gets:
        return values(request.rest, request.verb == McVerb::gets);
      case McVerb::meta_get:
        return meta_value(key, request.rest);
      case McVerb::set: {
        next_word(rest);
        values_[key] = {std::string(data), in_seconds(number(next_word(rest)))};
        return "STORED\r\n";
      }
      case McVerb::meta_set: {
        Time expires{};
        for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest))
          if (word[0] == 'T') expires = in_seconds(number(word.substr(1)));
        values_[key] = {std::string(data), expires};
        return "HD\r\n";
      }
      case McVerb::remove:
        return values_.erase(key) ? "DELETED\r\n" : "NOT_FOUND\r\n";
      case McVerb::meta_delete:
        return values_.erase(key) ? "HD\r\n" : "NF\r\n";
      case McVerb::flush_all:
        values_.clear();
        return "OK\r\n";
      case McVerb::version:
        return "VERSION 1.6.18\r\n";
      case McVerb::meta_noop:
        return meta_ ? "MN\r\n" : "ERROR\r\n";
      default:
        return "ERROR\r\n";
    }
  }
  std::string values(std::string_view keys, bool unique) {
    std::string out;
    for (std::string_view key = next_word(keys); !key.empty(); key = next_word(keys))
      if (const std::string* text = find(std::string(key)))
        out += "VALUE " + std::string(key) + " 0 " + std::to_string(text->size()) + (unique ? " 1" : "") +
               "\r\n" + *text + "\r\n";
    return out + "END\r\n";
  }
  std::string meta_value(const std::string& key, std::string_view flags) {
    const std::string* text = find(key);
    std::string opaque;
    for (std::string_view rest = flags, word = next_word(rest); !word.empty(); word = next_word(rest))
      if (word.starts_with('O')) opaque.append(1, ' ').append(word);
    if (!text) return "EN" + opaque + "\r\n";
    std::string line = "VA " + std::to_string(text->size()) + opaque;
    for (std::string_view word = next_word(flags); !word.empty(); word = next_word(flags))
      line += word == "f" ? " f0" : word == "c" ? " c1" : "";
    return line + "\r\n" + *text + "\r\n";
  }

  bool redis(Connection& at) {
    RespRequest request;
    const auto parsed = request.parse(at.in, {});
    if (parsed.what == RespRequest::What::more) return false;
    ++executed;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < request.words(); ++i) words.emplace_back(request.word(at.in, i));
    at.in.erase(0, parsed.used);
    if (words[0] == "HELLO") {
      at.resp3 = words[1] == "3";
      at.out += at.resp3 ? "%1\r\n$5\r\nproto\r\n:3\r\n" : "*2\r\n$5\r\nproto\r\n:2\r\n";
    } else if (words[0] == "MULTI") {
      at.transaction = true;
      at.out += "+OK\r\n";
    } else if (words[0] == "EXEC") {
      at.out += "*" + std::to_string(at.queued.size()) + "\r\n";
      for (const std::string& answer : at.queued) at.out += answer;
      at.queued.clear();
      at.transaction = false;
    } else if (at.transaction) {
      at.queued.push_back(answer_to(words, at.resp3));
      at.out += "+QUEUED\r\n";
    } else {
      at.out += answer_to(words, at.resp3);
    }
    return true;
  }
  std::string bulk(const std::string& key, bool resp3) {
    if (const std::string* text = find(key))
      return "$" + std::to_string(text->size()) + "\r\n" + *text + "\r\n";
    return resp3 ? "_\r\n" : "$-1\r\n";
  }
  std::string answer_to(const std::vector<std::string>& words, bool resp3) {
    const std::string& name = words[0];
    if (name == "GET") return bulk(words[1], resp3);
    if (name == "MGET") {
      std::string out = "*" + std::to_string(words.size() - 1) + "\r\n";
      for (std::size_t i = 1; i < words.size(); ++i) out += bulk(words[i], resp3);
      return out;
    }
    if (name == "SET" || name == "MSET") {
      const bool lasts = name == "SET" && words.size() > 4;
      for (std::size_t i = 1; i + 1 < words.size() && (name == "MSET" || i == 1); i += 2)
        values_[words[i]] = {words[i + 1], lasts ? in_seconds(number(words[4])) : Time{}};
      return "+OK\r\n";
    }
    if (name == "DEL" || name == "UNLINK") {
      std::size_t count = 0;
      for (std::size_t i = 1; i < words.size(); ++i) count += values_.erase(words[i]);
      return ":" + std::to_string(count) + "\r\n";
    }
    if (name == "FLUSHALL" || name == "FLUSHDB") return values_.clear(), "+OK\r\n";
    if (name == "ECHO") return "$" + std::to_string(words[1].size()) + "\r\n" + words[1] + "\r\n";
    if (name == "PING") return "+PONG\r\n";
    if (name == "AUTH" || name == "SELECT" || name == "WATCH" || name == "UNWATCH") return "+OK\r\n";
    return "-ERR unknown command\r\n";
  }

  Protocol protocol_;
  bool meta_;
  Time now_{};
  std::map<std::string, Value> values_;
};

}  // namespace arcwise::router::simulation
