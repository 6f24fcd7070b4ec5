#include <algorithm>

#include "router/config_testing.hpp"

namespace arcwise::router {
namespace {

using testing::read;

/// A pool of so many nodes, and where the settings of the router and its own go.
std::string file_of(std::size_t nodes, const std::string& protocol, const std::string& listen,
                    const std::string& settings, const std::string& top = "", bool epoch = true) {
  std::string list;
  for (std::size_t i = 0; i < nodes; ++i)
    list += "{name: s" + std::to_string(i) + ", address: \"127.0.0.1:" + std::to_string(i + 1) + "\"}, ";
  return "arcwised: 1\n" + top + "pools:\n  p:\n    listen: " + listen + "\n    protocol: " + protocol +
         "\n    map: {arcwise: 1, cluster: c, " + (epoch ? "epoch: 1, " : "") +
         "placement: {recipe: ring}, nodes: [" + list + "]}\n" + settings;
}
std::string of_memcached(const std::string& settings) {
  return file_of(3, "memcached", "127.0.0.1:0", settings);
}
std::string of_redis(const std::string& settings) {
  return file_of(3, "redis", "127.0.0.1:0", settings);
}
std::string of_one_node(const std::string& settings) {
  return file_of(1, "memcached", "127.0.0.1:0", settings);
}
std::string on_path(const std::string& settings) {
  return file_of(3, "memcached", "/tmp/arcwise.sock", settings);
}
std::string router(const std::string& top, bool epoch = true) {
  return file_of(3, "memcached", "127.0.0.1:0", "", top, epoch);
}
std::string ranges(const std::string& settings) {
  return "arcwised: 1\npools:\n  p:\n    listen: 127.0.0.1:0\n    protocol: memcached\n    map: "
         "{arcwise: 1, cluster: c, placement: {recipe: ranges, ranges: [{upto: \"ffffffffffffffff\", owners: "
         "[s0]}]}, nodes: [{name: s0, address: \"127.0.0.1:1\"}]}\n" +
         settings;
}

std::vector<std::string> notes_of(const std::string& text, std::span<const Override> overrides = {}) {
  auto config = read(text);
  EXPECT_TRUE(config) << to_string(config.error()) << "\n" << text;
  if (!config) return {};
  EXPECT_FALSE(apply_overrides(*config, overrides));
  note_what_is_in_vain(*config);
  std::vector<std::string> notes = config->notes;
  const auto& more = config->pools[0].pool.notes;
  notes.insert(notes.end(), more.begin(), more.end());
  return notes;
}

const struct {
  std::string key, in_vain, why, works;
} cases[] = {
    {"on_failure", of_one_node("    on_failure: next\n"), "the map has one node",
     of_memcached("    on_failure: next\n")},
    {"gutter", of_memcached("    gutter: [\"h:1\"]\n"), "without `on_failure: gutter`",
     of_memcached("    gutter: [\"h:1\"]\n    on_failure: gutter\n")},
    {"longest_ttl", of_memcached("    longest_ttl: 5s\n    on_failure: miss\n"), "without `on_failure: next`",
     of_memcached("    longest_ttl: 5s\n    on_failure: next\n")},
    {"longest_ttl", of_redis("    longest_ttl: 5s\n"), "without `on_failure: next`",
     of_memcached("    longest_ttl: 5s\n    bound: 150%\n")},
    {"fence_keys", of_memcached("    fence_keys: 5\n    on_return: keep\n"), "without `on_return: fence`",
     of_memcached("    fence_keys: 5\n")},
    {"fence_keys", of_redis("    fence_keys: 5\n"), "without `on_failure: next`",
     of_redis("    fence_keys: 5\n    on_failure: next\n")},
    {"draining", of_memcached("    draining: true\n"), "without `timeout`",
     of_memcached("    draining: true\n    timeout: 1s\n")},
    {"draining", of_memcached("    draining: false\n    timeout: 1s\n"), "may undo a newer one",
     of_memcached("    draining: false\n    timeout: 1s\n    on_return: keep\n")},
    {"auto_eject", ranges("    auto_eject: true\n"), "range by range",
     of_memcached("    auto_eject: true\n")},
    {"failure_limit", of_memcached("    failure_limit: 3\n"), "without `auto_eject: true`",
     of_memcached("    failure_limit: 3\n    auto_eject: true\n")},
    {"eject_for", of_memcached("    eject_for: 3s\n"), "without `auto_eject: true`",
     of_memcached("    eject_for: 3s\n    auto_eject: true\n")},
    {"cascade", of_memcached("    cascade: 4\n"), "fewer nodes", of_memcached("    cascade: 3\n")},
    {"cascade_window", of_one_node("    cascade_window: 1s\n"), "fewer nodes",
     of_memcached("    cascade_window: 1s\n")},
    {"bound", of_redis("    bound: 150%\n"), "is for memcached", of_memcached("    bound: 150%\n")},
    {"bound", of_one_node("    bound: 150%\n"), "one node", of_memcached("    bound: none\n")},
    {"in_flight", "threads: 4\n" + of_memcached("    in_flight: 3\n"), "less than `threads`",
     "threads: 4\n" + of_memcached("    in_flight: 4\n")},
    {"queue_deadline", of_memcached("    queue_deadline: 1s\n"), "without `in_flight`",
     of_memcached("    queue_deadline: 1s\n    in_flight: 1\n")},
    {"largest_value", of_redis("    largest_value: 1KiB\n"), "is for memcached",
     of_memcached("    largest_value: 1KiB\n")},
    {"longest_line", of_redis("    longest_line: 1KiB\n"), "is for memcached",
     of_memcached("    longest_line: 1KiB\n")},
    {"largest_word", of_memcached("    largest_word: 1KiB\n"), "is for Redis",
     of_redis("    largest_word: 1KiB\n")},
    {"largest_word", of_redis("    largest_word: 2KiB\n    largest_command: 1KiB\n"),
     "more than `largest_command`", of_redis("    largest_word: 1KiB\n    largest_command: 1KiB\n")},
    {"largest_command", of_memcached("    largest_command: 1KiB\n"), "is for Redis",
     of_redis("    largest_command: 128MiB\n")},
    {"reuse_port", on_path("    reuse_port: true\n"), "unix socket", of_memcached("    reuse_port: true\n")},
    {"keepalive", on_path("    keepalive: true\n"), "unix socket", of_memcached("    keepalive: true\n")},
    {"admin_token", router("admin_token: f\n"), "without `admin`", router("admin_token: f\nadmin: :22190\n")},
    {"peers", router("peers: [\"h:1\"]\n"), "without `admin`", router("peers: [\"h:1\"]\nadmin: :22190\n")},
    {"state", router("state: /tmp\n", false), "no map has an `epoch`", router("state: /tmp\n")},
};

TEST(config_in_vain, what_was_set_in_vain_is_said_with_its_place_and_why) {
  for (const auto& each : cases) {
    const auto notes = notes_of(each.in_vain);
    const std::string begin = "`" + each.key + "` (";
    const auto said = std::find_if(notes.begin(), notes.end(),
                                   [&](const std::string& note) { return note.starts_with(begin); });
    ASSERT_NE(said, notes.end()) << each.in_vain;
    EXPECT_NE(said->find("config_test.yaml:"), std::string::npos) << *said;
    EXPECT_NE(said->find(each.why), std::string::npos) << *said;
  }
}

TEST(config_in_vain, nothing_is_said_of_what_works) {
  for (const auto& each : cases)
    for (const std::string& note : notes_of(each.works)) ADD_FAILURE() << note << "\n" << each.works;
}

TEST(config_in_vain, every_setting_that_may_be_in_vain_is_tried_here) {
  const auto try_all = [](const auto& settings) {
    for (const auto& setting : settings)
      EXPECT_EQ(setting.in_vain != nullptr,
                std::any_of(std::begin(cases), std::end(cases),
                            [&](const auto& each) { return each.key == setting.key; }))
          << setting.key;
  };
  try_all(pool_settings());
  try_all(daemon_settings());
}

// All that a file does not say has its default, which nobody has asked for.
TEST(config_in_vain, nothing_is_said_of_what_nobody_has_set) {
  for (const std::string& text :
       {of_memcached(""), of_redis(""), of_one_node(""), on_path(""), router("", false)})
    EXPECT_EQ(notes_of(text), std::vector<std::string>()) << text;
}

// Twemproxy's files mostly name what does nothing there either.
TEST(config_in_vain, of_a_nutcracker_yml_only_what_the_command_line_adds_is_said) {
  const std::string text =
      "p:\n  listen: /tmp/arcwise.sock\n  auto_eject_hosts: false\n  server_retry_timeout: 2000\n"
      "  server_failure_limit: 3\n  tcpkeepalive: true\n  reuseport: true\n  servers:\n   - 127.0.0.1:2:1 "
      "a\n";
  EXPECT_EQ(notes_of(text), std::vector<std::string>());
  const std::vector<Override> overrides{{"", "failure_limit", "5"}, {"p", "gutter", "h:1"}};
  const auto notes = notes_of(text, overrides);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0], "`gutter` (command line) does nothing without `on_failure: gutter`");
  EXPECT_EQ(notes[1], "`failure_limit` (command line) does nothing without `auto_eject: true`");
}

TEST(config_in_vain, notes_of_the_router_and_of_pools_are_for_programs_too) {
  auto config = read("peers: [\"h:1\"]\n" + of_memcached("    eject_for: 3s\n"));
  ASSERT_TRUE(config) << to_string(config.error());
  note_what_is_in_vain(*config);
  const std::string json = report_json(*config);
  EXPECT_NE(json.find("does nothing without `admin`"), std::string::npos);
  EXPECT_NE(json.find("does nothing without `auto_eject: true`"), std::string::npos);
}

}  // namespace
}  // namespace arcwise::router
