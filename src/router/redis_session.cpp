#include "router/redis_session.hpp"

#include <algorithm>
#include <charconv>

#include "router/secret.hpp"

namespace arcwise::router {
namespace {

// The version of Redis whose commands the table has: clients look at it to know what they may say.
constexpr std::string_view version = "7.0.0";

constexpr std::string_view ok = "+OK\r\n";
constexpr std::string_view syntax_error = "-ERR syntax error\r\n";
constexpr std::string_view wrong_password =
    "-WRONGPASS invalid username-password pair or user is disabled.\r\n";

struct Question {
  const RedisWords& words;
  const RedisFacts& facts;
  RedisSession& session;
  bool is(std::size_t word, std::string_view text) const noexcept {
    return word < words.count && equal_ignoring_case(words[word], text);
  }
};

std::string number(std::uint64_t value) {
  return ":" + std::to_string(value) + "\r\n";
}

// Pairs are a map in RESP3, and one list before.
std::string map_of(std::uint32_t protocol, std::size_t pairs) {
  return protocol == 3 ? "%" + std::to_string(pairs) + "\r\n" : "*" + std::to_string(2 * pairs) + "\r\n";
}

std::string text_for_people(std::uint32_t protocol, const std::string& text) {
  if (protocol == 2) return resp_bulk(text);
  return "=" + std::to_string(text.size() + 4) + "\r\ntxt:" + text + "\r\n";
}

bool may_enter(const Pool& pool, std::string_view user, std::string_view password) noexcept {
  return user == "default" && (pool.client_password.empty() || same_secret(password, pool.client_password));
}

bool is_name(std::string_view name) noexcept {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; });
}
constexpr std::string_view bad_name =
    "-ERR Client names cannot contain spaces, newlines or special characters.\r\n";

std::string auth(const Question& q) {
  if (q.words.count > 3) return std::string(syntax_error);
  if (q.words.count == 2 && q.facts.pool.client_password.empty())
    return "-ERR AUTH <password> called without any password configured for the default user. Are you sure "
           "your configuration is correct?\r\n";
  const bool named = q.words.count == 3;
  if (!may_enter(q.facts.pool, named ? q.words[1] : "default", q.words[q.words.count - 1]))
    return std::string(wrong_password);
  q.session.authenticated = true;
  return std::string(ok);
}

std::string said_hello(const Question& q) {
  const std::uint32_t protocol = q.session.protocol;
  return map_of(protocol, 7) + resp_bulk("server") + resp_bulk("redis") + resp_bulk("version") +
         resp_bulk(version) + resp_bulk("proto") + number(protocol) + resp_bulk("id") + number(q.facts.id) +
         resp_bulk("mode") + resp_bulk("standalone") + resp_bulk("role") + resp_bulk("master") +
         resp_bulk("modules") + "*0\r\n";
}

// HELLO [version [AUTH user password] [SETNAME name]]: all of it or nothing.
std::string hello(const Question& q) {
  RedisSession next = q.session;
  if (q.words.count > 1) {
    std::uint32_t protocol = 0;
    const std::string_view text = q.words[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), protocol);
    if (error != std::errc() || end != text.data() + text.size())
      return "-ERR Protocol version is not an integer or out of range\r\n";
    if (protocol != 2 && protocol != 3) return "-NOPROTO unsupported protocol version\r\n";
    next.protocol = protocol;
  }
  for (std::size_t i = 2; i < q.words.count;) {
    if (q.is(i, "auth") && i + 2 < q.words.count) {
      if (!may_enter(q.facts.pool, q.words[i + 1], q.words[i + 2])) return std::string(wrong_password);
      next.authenticated = true;
      i += 3;
    } else if (q.is(i, "setname") && i + 1 < q.words.count) {
      if (!is_name(q.words[i + 1])) return std::string(bad_name);
      next.name = q.words[i + 1];
      i += 2;
    } else {
      return "-ERR Syntax error in HELLO option '" + shown(q.words[i]) + "'\r\n";
    }
  }
  if (!q.facts.pool.client_password.empty() && !next.authenticated)
    return "-NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> "
           "AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol "
           "version at the same time\r\n";
  q.session = std::move(next);
  return said_hello(q);
}

std::string client_line(const Question& q) {
  return "id=" + std::to_string(q.facts.id) + " name=" + q.session.name +
         " db=" + std::to_string(q.facts.pool.database) +
         " user=default resp=" + std::to_string(q.session.protocol) + " lib-name= lib-ver=\n";
}

std::string client_command(std::string_view name, const Question& q) {
  const std::uint32_t protocol = q.session.protocol;
  if (name == "client id") return number(q.facts.id);
  if (name == "client getname")
    return q.session.name.empty() ? std::string(resp_nil(protocol)) : resp_bulk(q.session.name);
  if (name == "client setname") {
    if (!is_name(q.words[2])) return std::string(bad_name);
    q.session.name = q.words[2];
    return std::string(ok);
  }
  if (name == "client info" || name == "client list") return text_for_people(protocol, client_line(q));
  if (name == "client getredir") return ":-1\r\n";
  if (name == "client trackinginfo")
    return map_of(protocol, 3) + resp_bulk("flags") + (protocol == 3 ? "~1\r\n" : "*1\r\n") +
           resp_bulk("off") + resp_bulk("redirect") + ":-1\r\n" + resp_bulk("prefixes") + "*0\r\n";
  if (name == "client reply" && !q.is(2, "on"))
    return q.is(2, "off") || q.is(2, "skip")
               ? "-ERR CLIENT REPLY OFF and SKIP are not routed: each command has its answer\r\n"
               : std::string(syntax_error);
  if (name == "client tracking" && !q.is(2, "off"))
    return "-ERR CLIENT TRACKING is not routed: servers' connections are shared\r\n";
  if ((name == "client no-evict" || name == "client no-touch") && !q.is(2, "on") && !q.is(2, "off"))
    return std::string(syntax_error);
  return std::string(ok);  // SETINFO too: it is for people who look at a server's list of clients
}

// What tools ask before they begin. The servers' own settings are asked of them: an empty answer would say
// that there is none of the name.
std::string settings(const Question& q) {
  static constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"appendonly", "no"}, {"databases", "1"}, {"save", ""}};
  for (std::size_t i = 2; i < q.words.count; ++i) {
    const bool is_known = std::any_of(std::begin(known), std::end(known),
                                      [&](const auto& setting) { return q.is(i, setting.first); });
    if (!is_known && q.words[i] != "*")
      return "-ERR 'config get " + shown(q.words[i]) +
             "' is not routed: it is a server's; ask that itself\r\n";
  }
  std::string out;
  std::size_t pairs = 0;
  for (const auto& [name, value] : known) {
    bool asked = false;
    for (std::size_t i = 2; i < q.words.count; ++i) asked |= q.is(i, name) || q.words[i] == "*";
    if (!asked) continue;
    ++pairs;
    out += resp_bulk(name) + resp_bulk(value);
  }
  return map_of(q.session.protocol, pairs) + out;
}

std::string info(const Question& q) {
  static constexpr std::string_view sections[] = {"server", "default", "all", "everything"};
  bool asked = q.words.count == 1;
  for (std::size_t i = 1; i < q.words.count; ++i)
    for (const std::string_view section : sections) asked |= q.is(i, section);
  std::string text;
  if (asked)
    text = "# Server\r\nredis_version:" + std::string(version) +
           "\r\nredis_mode:standalone\r\nserver_name:arcwised\r\nloading:0\r\nrole:master\r\npool:" +
           q.facts.pool.name + "\r\nconnected_clients:" + std::to_string(q.facts.clients) +
           "\r\ntotal_commands_processed:" + std::to_string(q.facts.requests) +
           "\r\ntotal_error_replies:" + std::to_string(q.facts.errors) + "\r\n";
  return text_for_people(q.session.protocol, text);
}

std::string select(const Question& q) {
  unsigned wanted = 0;
  const std::string_view text = q.words[1];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  if (error != std::errc() || end != text.data() + text.size())
    return "-ERR value is not an integer or out of range\r\n";
  if (wanted == q.facts.pool.database) return std::string(ok);
  return "-ERR DB index is out of range: this pool's database is " + std::to_string(q.facts.pool.database) +
         "\r\n";
}

// COMMAND GETKEYS and the command in question.
std::string keys_of(const Question& q) {
  const RedisWords inner{&q.words, q.words.count - 2, [](const void* of, std::size_t i) noexcept {
                           return (*static_cast<const RedisWords*>(of))[i + 2];
                         }};
  const RedisCommand* command = find_redis_command(inner[0], inner.count > 1 ? inner[1] : std::string_view());
  if (!command) return "-ERR Invalid command specified\r\n";
  if (command->keys[0].at == 0) return "-ERR The command has no key arguments\r\n";
  if (!has_arity(*command, inner.count)) return "-ERR Invalid number of arguments specified for command\r\n";
  std::size_t count = 0;
  std::string keys;
  const bool fits = each_redis_key(*command, inner, [&](std::size_t i) {
    ++count;
    keys += resp_bulk(inner[i]);
  });
  if (!fits) return "-ERR Invalid arguments specified for command\r\n";
  return "*" + std::to_string(count) + "\r\n" + keys;
}

}  // namespace

std::string answer_redis(const RedisCommand& command, const RedisWords& words, const RedisFacts& facts,
                         RedisSession& session) {
  const Question q{words, facts, session};
  const std::string_view name = command.name;
  if (name == "ping" && words.count > 2) return "-ERR wrong number of arguments for 'ping' command\r\n";
  if (name == "ping") return words.count > 1 ? resp_bulk(words[1]) : "+PONG\r\n";
  if (name == "echo") return resp_bulk(words[1]);
  if (name == "auth") return auth(q);
  if (name == "hello") return hello(q);
  if (name == "select") return select(q);
  if (name == "info") return info(q);
  if (name == "acl whoami") return resp_bulk("default");
  if (name == "config get") return settings(q);
  if (name == "command getkeys") return keys_of(q);
  if (name.starts_with("client ")) return client_command(name, q);
  if (name == "reset") {
    session = {};
    return "+RESET\r\n";
  }
  return std::string(ok);
}

bool is_open_to_all(const RedisCommand& command) noexcept {
  return command.name == "auth" || command.name == "hello" || command.name == "quit" ||
         command.name == "reset";
}

std::string resp_bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

std::string_view resp_nil(std::uint32_t protocol, bool array) noexcept {
  if (protocol == 3) return "_\r\n";
  return array ? "*-1\r\n" : "$-1\r\n";
}

std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 64)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

}  // namespace arcwise::router
