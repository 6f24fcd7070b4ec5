#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "router/config_testing.hpp"

namespace arcwise::router {
namespace {

using testing::plain_map;
using testing::read;
using testing::with;

std::string value_of(const Config& config, std::string_view key) {
  for (const auto& setting : pool_settings())
    if (setting.key == key) return setting.get(config.pools.at(0).pool);
  for (const auto& setting : daemon_settings())
    if (setting.key == key) return setting.get(config.daemon);
  return "no such setting";
}

RC_GTEST_PROP(config, durations_and_numbers_are_read_as_they_are_written, ()) {
  const auto ms = milliseconds(*rc::gen::inRange<std::int64_t>(0, 3'600'000'000));
  milliseconds again{};
  RC_ASSERT(!read_duration(write_duration(ms), again));
  RC_ASSERT(again == ms);
  const auto number = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
  for (const Unit unit : {Unit::things, Unit::bytes, Unit::percent}) {
    std::uint64_t read = 0;
    RC_ASSERT(!read_number(write_number(number, unit), unit, {}, read));
    RC_ASSERT(read == number);
  }
}

TEST(config, units_are_what_they_say) {
  const auto duration = [](std::string_view text) {
    milliseconds value{-1};
    return read_duration(text, value) ? -1 : value.count();
  };
  EXPECT_EQ(duration("250ms"), 250);
  EXPECT_EQ(duration("2s"), 2000);
  EXPECT_EQ(duration("2 min"), 120'000);
  EXPECT_EQ(duration("1h"), 3'600'000);
  EXPECT_EQ(duration("0"), 0);
  for (const char* text :
       {"", "5", "-5ms", "1.5s", "ms", "5 m", "5msx", "99999999999999999999ms", "5000h", "5  s"})
    EXPECT_EQ(duration(text), -1) << text;
  const auto size = [](std::string_view text) {
    std::uint64_t value = 0;
    return read_number(text, Unit::bytes, {1, 1 << 20}, value) ? std::uint64_t{0} : value;
  };
  EXPECT_EQ(size("64KiB"), 65536u);
  EXPECT_EQ(size("1MiB"), 1u << 20);
  for (const char* text : {"64", "64KB", "2MiB", "-1B", "18446744073709551615GiB", "KiB"})
    EXPECT_EQ(size(text), 0u) << text;
}

// Whatever a setting shows can be written in a file, and is then what is shown.
TEST(config, every_setting_reads_back_what_it_shows) {
  const auto config = read(with(""));
  ASSERT_TRUE(config) << to_string(config.error());
  Pool pool = config->pools[0].pool;
  for (const auto& setting : pool_settings()) {
    const std::string shown = setting.get(pool);
    EXPECT_FALSE(setting.set(pool, {{shown}})) << setting.key << " " << shown;
    EXPECT_EQ(setting.get(pool), shown);
  }
  Daemon daemon;
  for (const auto& setting : daemon_settings()) {
    const std::string shown = setting.get(daemon);
    EXPECT_FALSE(setting.set(daemon, {{shown}})) << setting.key << " " << shown;
    EXPECT_EQ(setting.get(daemon), shown);
  }
}

TEST(config, values_come_from_the_file_or_the_command_line_or_are_defaults) {
  auto config =
      read("threads: 2\n" + with("    timeout: 400ms\n    gutter: [\"127.0.0.1:2\", \"127.0.0.1:3\"]\n"
                                 "    bound: 125%\n    unsent: 64KiB\n    on_failure: gutter\n"));
  ASSERT_TRUE(config) << to_string(config.error());
  EXPECT_EQ(value_of(*config, "threads"), "2");
  EXPECT_EQ(value_of(*config, "timeout"), "400ms");
  EXPECT_EQ(value_of(*config, "gutter"), "127.0.0.1:2, 127.0.0.1:3");
  EXPECT_EQ(value_of(*config, "bound"), "125%");
  EXPECT_EQ(value_of(*config, "unsent"), "64KiB");
  EXPECT_EQ(value_of(*config, "coalesce"), "false");
  const std::vector<Override> overrides{
      {"", "timeout", "2s"}, {"p", "coalesce", "true"}, {"", "peers", "a:1,b:2"}, {"", "threads", "4"}};
  ASSERT_FALSE(apply_overrides(*config, overrides));
  EXPECT_EQ(value_of(*config, "timeout"), "2s");
  EXPECT_EQ(value_of(*config, "coalesce"), "true");
  EXPECT_EQ(value_of(*config, "peers"), "a:1, b:2");
  EXPECT_EQ(config->daemon.threads, 4u);
  EXPECT_EQ(config->sources.at("threads"), "command line");
  EXPECT_EQ(config->pools[0].sources.at("timeout"), "command line");
  EXPECT_TRUE(config->pools[0].sources.at("bound").ends_with("config_test.yaml:10"))
      << config->pools[0].sources.at("bound");
  EXPECT_EQ(config->pools[0].sources.count("ramp"), 0u);
  for (const Override& wrong : {Override{"", "nope", "1"}, Override{"q", "timeout", "1s"},
                                Override{"", "timeout", "soon"}, Override{"p", "threads", "1"}})
    EXPECT_TRUE(apply_overrides(*config, {{wrong}})) << wrong.key;
}

TEST(config, what_is_wrong_is_told_with_its_place_and_what_to_write) {
  const std::string head = "arcwised: 1\npools:\n  p:\n    listen: 127.0.0.1:0\n    protocol: memcached\n";
  const struct {
    std::string text, place, why;
  } cases[] = {
      {with("    timeout: 5\n"), "yaml:7:14", "not a duration"},
      {with("    timeout: 5s\n    timeout: 6s\n"), "yaml:8:5", "given twice"},
      {with("    timeuot: 5s\n"), "yaml:7:5", "did you mean `timeout`?"},
      {with("    on_failure: maybe\n"), "yaml:7:17", "error, miss, next or gutter"},
      {with("    timeout: 0\n"), "yaml:7:14", "too short"},
      {with("    first_retry: 0\n"), "yaml:7:18", "too short"},
      {with("    last_retry: 0ms\n"), "yaml:7:17", "too short"},
      {with("    bound: 50%\n"), "yaml:7:12", "out of range"},
      {with("    clients: many\n"), "yaml:7:14", "not a whole number"},
      {with("    clients: [1]\n"), "yaml:7:14", "is a list"},
      {with("    gutter: {a: b}\n"), "yaml:7:13", "is a map"},
      {with("    timeout:\n"), "yaml:7:", "has no value"},
      {with("    unsent: 64\n"), "yaml:7:13", "not a size"},
      {with("    gutter: [\"127.0.0.1:1\", host]\n"), "yaml:7:13", "not an address"},
      {with("admin: 127.0.0.1:99999\n"), "yaml:7:8", "port of 0 to 65535"},
      {with("    password: x\n"), "yaml:7", "is for Redis"},
      {with("    on_failure: gutter\n"), "yaml:7", "no spare server"},
      {with("    first_retry: 5s\n"), "yaml:7", "longer than `last_retry`"},
      {with("    on_failure: gutter\n    gutter: [\"127.0.0.1:2\", \"localhost:1\"]\n"), "yaml:8",
       "this spare server is node a of pool p"},
      {with("    gutter: [\"127.0.0.1:2\", \"127.0.0.1:2\"]\n"), "yaml:7", "named twice"},
      {with("  q:\n    listen: 127.0.0.1:1\n"), "yaml:7:3", "the key `map` is missing"},
      {with("  q:\n    listne: 127.0.0.1:1\n"), "yaml:8:5", "did you mean `listen`?"},
      {with("  q: 5\n"), "yaml:7:6", "pool q has no settings by their names: \"5\"; write under it `listen"},
      {with("  q:\n    - listen: a\n"), "yaml:8:5", "pool q has no settings"},
      {with("  q: [a]\n"), "yaml:7:6", "pool q has no settings"},
      {with("  q:\n"), "yaml:7:3", "pool q has no settings"},
      {with("  p: {}\n"), "yaml:7:3", "given twice: first on line 3"},
      {"arcwised: 1\npools: [p]\n", "yaml:2:8", "`pools` is a map, and this is a list"},
      {"arcwised: 1\npools:\n  p:\n    listen: 22121\n    protocol: redis\n    map: " +
           std::string(plain_map) + "\n",
       "yaml:4:13", "write host:port"},
      {"p:\n  servers:\n   - 127.0.0.1:2:1\n", "yaml:2:3", "no address to listen on"},
      {"p: 5\n", "yaml:1:4", "pool p has no settings by their names: \"5\"; write under it `listen"},
      {"p:\n", "yaml:1:1", "pool p has no settings"},
      {"p: [a]\n", "yaml:1:4", "pool p has no settings"},
      {"p:\n  listen: 127.0.0.1:1\n  servers: word\n", "yaml:3:12", "`servers` is a list"},
      {"p:\n  listen: 22121\n  servers:\n   - 127.0.0.1:2:1\n", "yaml:2:11", "write host:port"},
      {"- p\n", "yaml:1:1", "no pool in the file"},
      {with("    longest_ttl: 0\n"), "yaml:7:18", "the shortest is 1s"},
      {with("    longest_ttl: 721h\n"), "yaml:7:18", "the longest is 720h"},
      {with("    eject_for: 0\n"), "yaml:7:16", "the shortest is 1ms"},
      {with("    cascade_window: 0\n"), "yaml:7:21", "the shortest is 1ms"},
      {with("thread: 1\n"), "yaml:7:1", "did you mean `threads`?"},
      {"arcwised: 2\npools: {}\n", "yaml:1:11", "format version"},
      {"arcwised: 1\npools:\n  p:\n    listen: [::1]:22\n", "yaml:4:13", "needs quotes: \"[::1]:22\""},
      {"arcwised: 1\n", "yaml:1:1", "the key `pools` is missing"},
      {"arcwised: 1\npools: {}\n", "yaml:2:8", "names no pool"},
      {"", "yaml:1:1", "start with `arcwised: 1`"},
      {"# nothing\n\n", "yaml:1:1", "start with `arcwised: 1`"},
      {"threads: 2\nadmin: :99\n", "yaml:1:1", "the line `arcwised: 1` is missing"},
      {with("").substr(12), "yaml:1:1", "the line `arcwised: 1` is missing"},
      {plain_map, "yaml:1:1", "give it as --map FILE"},
      {head + "    map: nowhere.yaml\n", "nowhere.yaml", "No such file"},
      {head + "    map: {arcwise: 1, placement: {recipe: rong}, nodes: [{name: a}]}\n", "yaml:6:43",
       "recipe"},
      {head + "    map: {arcwise: 1, placement: {recipe: ring}, nodes: [{name: a}]}\n", "yaml:6:58",
       "no address"},
      {head + "    map: {arcwise: 1, placement: {recipe: ring}, nodes: [{name: a, address: a}]}\n",
       "yaml:6:77", "not an address"},
      {"p:\n  listen: 127.0.0.1:1\n  timeout: soon\n  servers:\n   - 127.0.0.1:2:1\n", "yaml:3:12",
       "whole number"},
  };
  for (const auto& each : cases) {
    const auto config = read(each.text);
    ASSERT_FALSE(config) << each.text;
    const std::string error = to_string(config.error());
    EXPECT_NE(error.find(each.place), error.npos) << error << "\nshould name " << each.place;
    EXPECT_NE(error.find(each.why), error.npos) << error << "\nshould say " << each.why;
  }
}

std::string pool(const std::string& name, const std::string& listen, const std::string& server) {
  return "  " + name + ":\n    listen: \"" + listen +
         "\"\n    protocol: memcached\n    map: {arcwise: 1, cluster: " + name +
         ", placement: {recipe: ring}, nodes: [{name: a, address: \"" + server + "\"}]}\n";
}

std::string error_of(const std::string& top, const std::string& pools) {
  const auto config = read("arcwised: 1\n" + top + "pools:\n" + pools);
  return config ? "" : to_string(config.error());
}

// What the kernel would refuse, or what would be served by another than was meant.
TEST(config, no_two_addresses_to_listen_on_are_the_same_place) {
  const std::string one = "127.0.0.1:22121";
  for (const char* other : {"127.0.0.1:22121", "0.0.0.0:22121", "[::]:22121", ":22121", "localhost:22121",
                            "[::ffff:127.0.0.1]:22121", "127.0.0.1:022121"})
    for (const bool swapped : {false, true}) {
      const std::string text =
          pool("p", swapped ? other : one, "h:1") + pool("q", swapped ? one : other, "h:1");
      EXPECT_NE(error_of("", text).find("yaml:8: pool p listens on"), std::string::npos)
          << other << error_of("", text);
    }
  EXPECT_EQ(error_of("", pool("p", "0.0.0.0:22121", "h:1") + pool("q", "[::1]:22121", "h:1")), "");
  for (const char* other : {"127.0.0.2:22121", "127.0.0.1:22122", "[::1]:22121", "h:22121", "/tmp/22121"})
    EXPECT_EQ(error_of("", pool("p", one, "h:1") + pool("q", other, "h:1")), "") << other;
  EXPECT_EQ(error_of("", pool("p", "127.0.0.1:0", "h:1") + pool("q", "127.0.0.1:0", "h:1")), "");
  EXPECT_NE(error_of("", pool("p", "/tmp/s 0600", "h:1") + pool("q", "/tmp/s", "h:1")), "");
  for (const char* admin : {":22121", "127.0.0.1:22121", "0.0.0.0:22121"})
    EXPECT_NE(error_of("admin: \"" + std::string(admin) + "\"\n", pool("p", one, "h:1"))
                  .find("yaml:2: pool p listens on"),
              std::string::npos)
        << admin;
  EXPECT_EQ(error_of("admin: :22120\n", pool("p", one, "h:1")), "");
}

TEST(config, no_server_is_the_router_itself) {
  const auto loops = [](const std::string& listen, const std::string& server) {
    return error_of("", pool("p", listen, server)).find("go round and round") != std::string::npos;
  };
  EXPECT_TRUE(loops("127.0.0.1:22121", "127.0.0.1:22121"));
  EXPECT_TRUE(loops("10.0.0.5:22121", "10.0.0.5:22121"));
  EXPECT_TRUE(loops("0.0.0.0:22121", "127.0.0.1:22121"));
  EXPECT_TRUE(loops("[::]:22121", "localhost:22121"));
  EXPECT_TRUE(loops("cache.example:22121", "Cache.example:22121"));
  EXPECT_TRUE(loops("/tmp/s 0660", "/tmp/s"));
  EXPECT_FALSE(loops("0.0.0.0:22121", "10.0.0.6:22121")) << "another machine's";
  EXPECT_FALSE(loops("127.0.0.1:22121", "10.0.0.6:22121"));
  EXPECT_FALSE(loops("127.0.0.1:0", "127.0.0.1:0"));
  // From pool to pool and back.
  EXPECT_NE(error_of("", pool("p", "127.0.0.1:1001", "127.0.0.1:1002") +
                             pool("q", "127.0.0.1:1002", "127.0.0.1:1003") +
                             pool("r", "127.0.0.1:1003", "localhost:1001"))
                .find("node a leads back to pool p"),
            std::string::npos);
  EXPECT_EQ(error_of("", pool("p", "127.0.0.1:1001", "127.0.0.1:1002") + pool("q", "127.0.0.1:1002", "h:1")),
            "");
  EXPECT_NE(error_of("", pool("p", "127.0.0.1:1001", "h:1") + "    gutter: [\"127.0.0.1:1001\"]\n")
                .find("the spare server leads back to pool p"),
            std::string::npos);
}

TEST(config, a_map_that_is_served_by_itself_is_named_where_it_lacks_an_address) {
  const testing::Folder folder;
  const std::string path = folder.file("map.yaml");
  std::ofstream(path) << "{arcwise: 1, cluster: c, placement: {recipe: ring}, nodes: [{name: a}]}";
  const auto config = config_of_map(path, Protocol::memcached, "127.0.0.1:0");
  ASSERT_FALSE(config);
  EXPECT_EQ(to_string(config.error()).find(path), 0u) << to_string(config.error());
}

TEST(config, what_the_command_line_calls_otherwise_is_guessed) {
  auto config = read(with(""));
  ASSERT_TRUE(config);
  const auto said = [&](const Override& given) {
    const auto error = apply_overrides(*config, {{given}});
    return error ? error->advice : "";
  };
  EXPECT_EQ(said({"", "timeuot", "1s"}).find("did you mean `timeout`?"), 0u) << said({"", "timeuot", "1s"});
  EXPECT_EQ(said({"", "thread", "1"}).find("did you mean `threads`?"), 0u);
  EXPECT_EQ(said({"p", "threads", "1"}), "it is the router's: write --set threads=VALUE");
  EXPECT_EQ(said({"q", "timeout", "1s"}), "known here: p");
}

TEST(config, zeros_and_what_is_beyond_our_bounds_are_read_as_twemproxy_reads_them) {
  const auto with_settings = [](const std::string& settings) {
    auto config = read("p:\n  listen: 127.0.0.1:1\n" + settings + "  servers:\n   - 127.0.0.1:2:1\n");
    EXPECT_TRUE(config) << to_string(config.error());
    return config->pools.at(0).pool;
  };
  const Pool zeros = with_settings(
      "  timeout: 0\n  backlog: 0\n  client_connections: 0\n  server_retry_timeout: 0\n"
      "  server_failure_limit: 0\n");
  EXPECT_FALSE(zeros.timeout) << "it waits for ever";
  EXPECT_EQ(zeros.listening.backlog, 1u);
  EXPECT_EQ(zeros.limits.clients, 1'000'000'000u) << "any number";
  EXPECT_EQ(zeros.failing.eject_for, milliseconds(1));
  EXPECT_EQ(zeros.failing.failure_limit, 1u) << "the first failure is one too many";
  const Pool large = with_settings("  backlog: 100000\n  client_connections: 2000000000\n");
  EXPECT_EQ(large.listening.backlog, 65'535u);
  EXPECT_EQ(large.limits.clients, 1'000'000'000u);
}

TEST(config, twemproxys_settings_are_taken_over) {
  const auto config = read(
      "p:\n  listen: /tmp/p.sock 0660\n  redis: true\n  redis_auth: secret\n  redis_db: 3\n  timeout: 400\n  "
      "backlog: 99\n"
      "  preconnect: true\n  tcpkeepalive: true\n  reuseport: true\n  client_connections: 7\n  "
      "server_connections: 2\n"
      "  auto_eject_hosts: true\n  server_retry_timeout: 2000\n  server_failure_limit: 3\n  hash_tag: "
      "\"{}\"\n"
      "  hash: md5\n  distribution: modula\n  servers:\n   - 127.0.0.1:2:1 a\n   - /tmp/b.sock:1 b\n");
  ASSERT_TRUE(config) << to_string(config.error());
  const Pool& pool = config->pools[0].pool;
  EXPECT_EQ(pool.listen, "/tmp/p.sock 0660");
  EXPECT_EQ(pool.protocol, Protocol::redis);
  EXPECT_EQ(pool.password, "secret");
  EXPECT_EQ(pool.client_password, "secret");
  EXPECT_EQ(pool.database, 3u);
  EXPECT_EQ(pool.timeout, milliseconds(400));
  EXPECT_EQ(pool.listening.backlog, 99u);
  EXPECT_TRUE(pool.listening.keepalive && pool.listening.reuse_port);
  EXPECT_EQ(pool.limits.clients, 7u);
  EXPECT_EQ(pool.failing.eject_for, milliseconds(2000));
  EXPECT_EQ(pool.failing.failure_limit, 3u);
  EXPECT_FALSE(pool.failing.auto_eject);
  EXPECT_EQ(pool.addresses, (std::vector<std::string>{"127.0.0.1:2", "/tmp/b.sock"}));
  EXPECT_EQ(pool.notes.size(), 2u);
  EXPECT_EQ(report(*config).find("secret"), std::string::npos);
  EXPECT_EQ(report_json(*config).find("secret"), std::string::npos);
}

}  // namespace
}  // namespace arcwise::router
