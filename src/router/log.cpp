#include "router/log.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <ctime>

#include "format/json_text.hpp"

namespace arcwise::router {
namespace {

using std::chrono::system_clock;

// 2026-03-01T12:00:00.123Z
std::string written_time(system_clock::time_point when) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + size, sizeof text - size, ".%03dZ", static_cast<int>(ms % 1000));
  return text;
}

// A word as it is; anything else in quotes.
std::string logfmt_value(std::string_view text) {
  const bool word = !text.empty() && text.find_first_not_of(
                                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                                         "WXYZ0123456789_-./:[]@#") == text.npos;
  if (word) return std::string(text);
  std::string out;
  append_json_string(out, text);
  return out;
}

// Those that others cause, and can cause without end: what a person did to a router is always written.
bool may_go_on_and_on(const Event& event) {
  return !event.server.empty() || event.name.starts_with("client");
}

}  // namespace

std::string log_line(const Event& event, LogForm form, std::uint64_t held_back) {
  struct Field {
    std::string_view key;
    std::string value;
  };
  const Field fields[] = {{"time", written_time(event.when)},
                          {"level", std::string(name_of(event.severity))},
                          {"event", event.name},
                          {"pool", event.pool},
                          {"server", event.server},
                          {"text", event.text},
                          {"held_back", held_back ? std::to_string(held_back) : std::string()}};
  std::string out;
  for (const Field& field : fields) {
    if (field.value.empty()) continue;
    if (form == LogForm::logfmt) {
      out += (out.empty() ? "" : " ") + std::string(field.key) + "=" + logfmt_value(field.value);
      continue;
    }
    out += (out.empty() ? "{\"" : ",\"") + std::string(field.key) + "\":";
    if (field.key == "held_back")
      out += field.value;
    else
      append_json_string(out, field.value);
  }
  return out + (form == LogForm::json ? "}\n" : "\n");
}

bool Throttle::admits(const Event& event, std::uint64_t& held_back) {
  held_back = 0;
  if (!may_go_on_and_on(event)) return true;
  const auto [found, first] = kinds_.try_emplace(event.name + '\n' + event.pool + '\n' + event.server);
  Kind& kind = found->second;
  if (first || event.at - kind.began >= stretch) {
    kind.began = event.at;
    kind.written = 0;
  }
  if (kind.written == burst) {
    ++kind.held_back;
    kind.last = event;
    return false;
  }
  ++kind.written;
  held_back = std::exchange(kind.held_back, 0);
  return true;
}

void Throttle::end_stretches(std::chrono::steady_clock::time_point now,
                             const std::function<void(const Event&, std::uint64_t)>& say) {
  for (auto it = kinds_.begin(); it != kinds_.end();) {
    const bool over = now - it->second.began >= stretch;
    if (over && it->second.held_back > 0) say(it->second.last, it->second.held_back - 1);
    it = over ? kinds_.erase(it) : std::next(it);
  }
}

void Log::say(const Event& event) {
  if (event.severity < least_) return;
  const std::lock_guard lock(mutex_);
  std::uint64_t held_back = 0;
  if (throttle_.admits(event, held_back)) write_(log_line(event, form_, held_back));
}

void Log::catch_up(std::chrono::steady_clock::time_point now) {
  const std::lock_guard lock(mutex_);
  throttle_.end_stretches(now, [this](const Event& event, std::uint64_t held_back) {
    write_(log_line(event, form_, held_back));
  });
}

LineWriter::LineWriter(int fd) : fd_(fd), thread_([this] { run(); }) {}

LineWriter::~LineWriter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  more_.notify_one();
  thread_.join();
}

void LineWriter::write(std::string_view line) {
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() == kept) {
      ++left_out_;
      return;
    }
    lines_.emplace_back(line);
  }
  more_.notify_one();
}

void LineWriter::run() {
  for (;;) {
    std::string line;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return stop_ || !lines_.empty(); });
      if (lines_.empty()) return;
      line = std::move(lines_.front());
      lines_.pop_front();
      if (left_out_ > 0 && lines_.empty())
        lines_.push_back("arcwised: " + std::to_string(std::exchange(left_out_, 0)) +
                         " lines of the log were left out, for nobody took them\n");
    }
    if (!put(line)) return;
  }
}

// Not more at a time than a pipe takes in one piece once it has room at all.
bool LineWriter::put(std::string_view line) {
  int waited_ms = 0;
  while (!line.empty()) {
    pollfd room{fd_, POLLOUT, 0};
    const int ready = poll(&room, 1, 100);
    if (ready == 0 && stop_ && (waited_ms += 100) >= 1000) return false;
    if (ready <= 0) continue;
    const ssize_t written = ::write(fd_, line.data(), std::min<std::size_t>(line.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return true;  // nobody can be told
    if (written > 0) line.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace arcwise::router
