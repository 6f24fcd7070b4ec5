#include "router/notify.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "router/socket.hpp"

namespace arcwise::router {
namespace {

std::string of_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::optional<std::uint64_t> number_of_environment(const char* name) {
  const std::string text = of_environment(name);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Notifier Notifier::of_environment() {
  return Notifier(router::of_environment("NOTIFY_SOCKET"));
}

void Notifier::say(std::string_view state) const {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof to.sun_path) return;
  std::memcpy(to.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') to.sun_path[0] = '\0';
  const Descriptor fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  // A manager that is not there is not told, and nothing depends on it.
  (void)sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to),
               size);
}

void Notifier::say_reloading() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  say("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.tv_sec * 1'000'000 + now.tv_nsec / 1000));
}

std::optional<milliseconds> watchdog_of_environment() {
  const auto us = number_of_environment("WATCHDOG_USEC"), pid = number_of_environment("WATCHDOG_PID");
  if (!us || *us < 2000 || (pid && *pid != static_cast<std::uint64_t>(getpid()))) return std::nullopt;
  return milliseconds(static_cast<milliseconds::rep>(*us / 1000));
}

}  // namespace arcwise::router
