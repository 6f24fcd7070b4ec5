#include "router/log.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>

namespace arcwise::router {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

Event event(std::string name, std::string server, int second = 0, Severity severity = Severity::warning) {
  Event e;
  e.name = std::move(name);
  e.pool = "cache";
  e.server = std::move(server);
  e.severity = severity;
  e.text = "it said \"no\"\n";
  e.when = system_clock::time_point(std::chrono::milliseconds(1'770'000'000'042)) + seconds(second);
  e.at = steady_clock::time_point() + seconds(second);
  return e;
}

TEST(log, a_line_can_be_read_by_programs) {
  EXPECT_EQ(log_line(event("server_lost", "s1"), LogForm::logfmt, 0),
            "time=2026-02-02T02:40:00.042Z level=warning event=server_lost pool=cache server=s1 "
            "text=\"it said \\\"no\\\"\\u000a\"\n");
  const auto line = log_line(event("server_lost", "s1"), LogForm::json, 7);
  ASSERT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["text"], "it said \"no\"\n");
  EXPECT_EQ(json["held_back"], 7);
  EXPECT_EQ(json["time"], "2026-02-02T02:40:00.042Z");
  EXPECT_FALSE(nlohmann::json::parse(log_line(event("a", ""), LogForm::json, 0)).contains("server"));
}

TEST(log, of_what_goes_on_and_on_a_few_lines_are_written_and_how_many_were_not) {
  std::vector<std::string> lines;
  Log log(LogForm::logfmt, Severity::note, [&](std::string_view line) { lines.emplace_back(line); });
  const auto with = [&](std::string_view text) {
    return std::count_if(lines.begin(), lines.end(), [&](const auto& l) { return l.find(text) != l.npos; });
  };
  for (int i = 0; i < 100; ++i) log.say(event("server_lost", "s1"));
  for (int i = 0; i < 3; ++i) log.say(event("server_lost", "s2"));
  for (int i = 0; i < 30; ++i) log.say(event("map_adopted", ""));
  EXPECT_EQ(with("server=s1"), 5);
  EXPECT_EQ(with("server=s2"), 3);
  EXPECT_EQ(with("map_adopted"), 30) << "what people do is always written";
  log.say(event("server_lost", "s1", 11));
  EXPECT_EQ(with("server=s1"), 6);
  EXPECT_EQ(with("held_back=95"), 1);
  for (int i = 0; i < 9; ++i) log.say(event("server_lost", "s1", 12));
  log.catch_up(event("", "", 15).at);
  EXPECT_EQ(with("server=s1"), 10);
  log.catch_up(event("", "", 25).at);
  EXPECT_EQ(with("held_back=4"), 1) << "the last of the five that were held back is written";
  EXPECT_EQ(with("server=s1"), 11);
}

TEST(log, a_wall_clock_that_is_set_back_keeps_nothing_out_of_the_log) {
  std::size_t lines = 0;
  Log log(LogForm::logfmt, Severity::note, [&](std::string_view) { ++lines; });
  for (int i = 0; i < 10; ++i) log.say(event("server_lost", "s1"));
  ASSERT_EQ(lines, Throttle::burst);
  Event later = event("server_lost", "s1", 11);
  later.when -= std::chrono::hours(24);
  log.say(later);
  EXPECT_EQ(lines, Throttle::burst + 1);
}

TEST(log, what_is_below_its_level_is_left_out) {
  std::size_t lines = 0;
  Log log(LogForm::json, Severity::warning, [&](std::string_view) { ++lines; });
  log.say(event("a", "", 0, Severity::note));
  EXPECT_EQ(lines, 0u);
  log.say(event("a", "", 0, Severity::warning));
  log.say(event("a", "", 0, Severity::alarm));
  EXPECT_EQ(lines, 2u);
}

TEST(log, nobody_waits_for_a_reader_who_does_not_read_and_what_was_left_out_is_told) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string line(1000, 'x');
  std::string heard;
  {
    LineWriter writer(ends[1]);
    for (std::size_t i = 0; i < 3 * LineWriter::kept; ++i) writer.write(line + "\n");
    char bytes[65536];
    while (heard.find("left out") == heard.npos) {
      const ssize_t got = read(ends[0], bytes, sizeof bytes);
      ASSERT_GT(got, 0);
      heard.append(bytes, static_cast<std::size_t>(got));
    }
    writer.write("the last\n");
  }
  close(ends[1]);
  char rest[1000];
  const ssize_t got = read(ends[0], rest, sizeof rest);
  close(ends[0]);
  ASSERT_GT(got, 0);
  heard.append(rest, static_cast<std::size_t>(got));
  EXPECT_NE(heard.find("the last\n"), heard.npos);
  const auto written = static_cast<std::size_t>(std::count(heard.begin(), heard.end(), '\n')) - 2;
  EXPECT_NE(heard.find("arcwised: " + std::to_string(3 * LineWriter::kept - written) + " lines"), heard.npos);
}

}  // namespace
}  // namespace arcwise::router
