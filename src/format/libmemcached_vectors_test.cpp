// What libmemcached and PHP's extension answered, asked of their configurations as texts: the vector files'
// configurations are written as an option string and as PHP calls, read back, and every key compared.
#include <gtest/gtest.h>

#include "format/import_testing.hpp"
#include "place/vectors_testing.hpp"

namespace arcwise {
namespace {

using testing::Json;

// Options as words, in order; "servers" stands where the servers are added.
using Calls = std::vector<std::string>;

// "distribution": "CONSISTENT" and its like; the traps by the names of their files.
std::optional<Calls> libmemcached_calls(const std::string& file, const Json& config) {
  const auto has = [&](const char* part) { return file.find(part) != std::string::npos; };
  if (has("-spy-") || has("-ketama-md5-")) return std::nullopt;  // settings that neither text has
  if (has("dist-after-servers")) return Calls{"servers", "distribution CONSISTENT"};
  if (has("hash-after-ketama-weighted")) return Calls{"ketama_weighted", "servers", "hash CRC"};
  if (has("hash-after-ring")) return Calls{"distribution CONSISTENT", "servers", "hash MD5"};
  if (has("ketamahash-ignored")) return Calls{"distribution CONSISTENT,MD5", "servers"};
  if (has("sort-hosts")) return Calls{"sort_hosts", "servers"};
  if (has("weightedflag-by-weight")) return Calls{"distribution CONSISTENT", "servers"};
  if (has("ketama_weighted-") || has("-tie-")) return Calls{"ketama_weighted", "servers"};
  Calls calls;
  const std::string distribution = config.at("distribution"), hash = config.value("hash", "DEFAULT");
  if (hash != "DEFAULT") calls.push_back("hash " + hash);
  calls.push_back("distribution " + distribution.substr(0, distribution.find(' ')));
  if (config.contains("prefix")) calls.push_back("prefix " + config["prefix"].get<std::string>());
  if (config.value("HASH_WITH_PREFIX_KEY", 0) == 1) calls.emplace_back("hash_with_prefix");
  calls.emplace_back("servers");
  return calls;
}

Calls php_calls(const Json& config) {
  const std::string options = config.at("options"), order = config.at("order");
  Calls calls;
  if (options == "distribution-consistent" || options == "consistent-hash-md5")
    calls = {"distribution CONSISTENT"};
  if (options == "consistent-hash-md5") calls.emplace_back("hash MD5");
  if (options.starts_with("libketama")) calls.emplace_back("ketama_weighted");
  if (options == "libketama-then-hash-crc") calls.emplace_back("hash CRC");
  const bool after = order.find("after") != std::string::npos;
  calls.insert(after ? calls.begin() : calls.end(), "servers");
  return calls;
}

struct Host {
  std::string host;
  int port = 0;
  std::optional<int> weight;
};

std::vector<Host> hosts_of(const Json& servers) {
  std::vector<Host> out;
  for (const Json& s : servers) {
    if (s.is_array())
      out.push_back({s[0], s[1], s.size() > 2 ? std::optional<int>(s[2].get<int>()) : std::nullopt});
    else if (s.contains("unix"))
      out.push_back({s["unix"], 0, s["weight"].get<int>()});
    else
      out.push_back({s["host"], s["port"], s["weight"].get<int>()});
  }
  return out;
}

std::string second_word(const std::string& call) {
  return call.substr(call.find(' ') + 1);
}

// Empty: the option string cannot say it.
std::string as_options(const Calls& calls, const std::vector<Host>& hosts) {
  std::string out;
  for (const std::string& call : calls) {
    if (call == "ketama_weighted" || call == "hash MURMUR3") return "";
    if (call.starts_with("hash ")) out += " --HASH=" + second_word(call);
    if (call.starts_with("distribution ")) out += " --DISTRIBUTION=" + second_word(call);
    if (call.starts_with("prefix ")) out += " --NAMESPACE=\"" + second_word(call) + "\"";
    if (call == "hash_with_prefix") out += " --HASH-WITH-NAMESPACE";
    if (call == "sort_hosts") out += " --SORT-HOSTS";
    if (call != "servers") continue;
    for (const Host& h : hosts) {
      if (h.host.find(':') != std::string::npos) return "";
      out += h.host[0] == '/' ? " --SOCKET=\"" + h.host + "\""
                              : " --SERVER=" + h.host + ":" + std::to_string(h.port);
      if (h.weight) out += "/?" + std::to_string(*h.weight);
    }
  }
  return out.substr(1);
}

std::string as_php(const Calls& calls, const std::vector<Host>& hosts) {
  std::string out = "<?php\n$m = new Memcached();\n";
  const auto set = [&](const std::string& name, const std::string& value) {
    out += "$m->setOption(Memcached::OPT_" + name + ", " + value + ");\n";
  };
  for (const std::string& call : calls) {
    if (call == "ketama_weighted") set("LIBKETAMA_COMPATIBLE", "true");
    if (call == "hash JENKINS")
      set("HASH", "9");  // PHP has no names for these
    else if (call == "hash MURMUR3")
      set("HASH", "10");
    else if (call.starts_with("hash "))
      set("HASH", "Memcached::HASH_" + second_word(call));
    if (call == "distribution CONSISTENT,MD5") {
      set("DISTRIBUTION", "Memcached::DISTRIBUTION_CONSISTENT");
      set("LIBKETAMA_HASH", "Memcached::HASH_MD5");
    } else if (call.starts_with("distribution ")) {
      set("DISTRIBUTION", "Memcached::DISTRIBUTION_" + second_word(call));
    }
    if (call.starts_with("prefix ")) set("PREFIX_KEY", "'" + second_word(call) + "'");
    if (call == "hash_with_prefix") set("HASH_WITH_PREFIX_KEY", "1");
    if (call == "sort_hosts") set("SORT_HOSTS", "true");
    if (call != "servers") continue;
    out += "$m->addServers([\n";
    for (const Host& h : hosts)
      out += "  ['" + h.host + "', " + std::to_string(h.port) +
             (h.weight ? ", " + std::to_string(*h.weight) : "") + "],\n";
    out += "]);\n";
  }
  return out;
}

std::size_t expect_answers(const std::string& format, const std::string& text, const Json& keys) {
  SCOPED_TRACE(text);
  const Source source{"text", text};
  EXPECT_EQ(recognise(source.bytes), format);
  const Placement placement = compile(testing::imported({source}).map);
  std::size_t wrong = 0;
  for (const auto& [key, owner] : keys.items())
    wrong += testing::owners_of(placement, key).front() != owner.get<std::string>();
  EXPECT_EQ(wrong, 0U);
  return keys.size();
}

TEST(libmemcached_vectors, every_key_has_the_owner_that_the_programs_gave_it) {
  std::size_t options = 0, php = 0, keys = 0;
  for (const std::string& name : testing::vector_files({"libmemcached", "php-memcached"})) {
    const Json file = Json::parse(testing::file_bytes("vectors/" + name + ".json"));
    const auto calls =
        name.starts_with("php") ? php_calls(file.at("config")) : libmemcached_calls(name, file.at("config"));
    if (!calls) continue;
    SCOPED_TRACE(name);
    const std::vector<Host> hosts = hosts_of(file.at("servers"));
    keys += expect_answers("php-memcached", as_php(*calls, hosts), file.at("keys"));
    ++php;
    if (const std::string text = as_options(*calls, hosts); !text.empty()) {
      keys += expect_answers("libmemcached", text, file.at("keys"));
      ++options;
    }
  }
  EXPECT_EQ(php, 75U);
  EXPECT_EQ(options, 48U);
  EXPECT_GT(keys, 30'000U);
}

// Sessions of PHP 8.2, memcached 3.2.0, in three servers on loopback: the last digit of the port that holds
// session `sessionid0`, `sessionid1`, …
TEST(libmemcached_vectors, sessions_are_where_php_put_them) {
  const std::string servers = "127.0.0.1:24501:3,127.0.0.1:24502:1,127.0.0.1:24503:7";
  const std::vector<std::pair<std::string, std::string>> answers{
      {"", "2211131123122321231223211323223113331211"},
      {"memcached.sess_consistent_hash = Off\n", "2223222211223333333333333333331322233331"},
      {"memcached.sess_consistent_hash_type = ketama_weighted\n",
       "2333333313332112311331322333131311233131"}};
  for (const auto& [setting, digits] : answers) {
    const Source ini{"php.ini", "[Session]\nsession.save_handler = memcached\n" + setting +
                                    "session.save_path = \"" + servers + "\" ; three\n"};
    EXPECT_EQ(recognise(ini.bytes), "php-session");
    const Placement placement = compile(testing::imported({ini}).map);
    std::string mine;
    for (int i = 0; i < 40; ++i)
      mine += testing::owners_of(placement, "sessionid" + std::to_string(i)).front().back();
    EXPECT_EQ(mine, digits) << setting;
  }
}

}  // namespace
}  // namespace arcwise
