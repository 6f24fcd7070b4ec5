#include "router/event.hpp"

#include <algorithm>

namespace arcwise::router {

std::string_view name_of(Severity severity) noexcept {
  static constexpr std::string_view names[] = {"note", "warning", "alarm"};
  return names[static_cast<std::size_t>(severity)];
}

bool Journal::is_echo(const Event& event) const {
  if (event.loop == Event::no_loop) return false;
  for (auto e = events_.rbegin(); e != events_.rend() && event.at - e->at < std::chrono::seconds(1); ++e)
    if (e->name == event.name && e->pool == event.pool && e->server == event.server && e->text == event.text)
      return e->loop != event.loop;
  return false;
}

void Journal::add(Event event) {
  const std::lock_guard lock(mutex_);
  keep(std::move(event));
}

void Journal::add_last(Event event) {
  const std::lock_guard lock(mutex_);
  keep(std::move(event));
  closed_ = true;
}

void Journal::keep(Event event) {
  if (closed_) return;
  event.when = std::chrono::system_clock::now();
  event.at = std::chrono::steady_clock::now();
  if (is_echo(event)) return;
  event.number = ++last_;
  if (sink_) sink_(event);
  events_.push_back(std::move(event));
  if (events_.size() > kept) events_.pop_front();
}

std::vector<Event> Journal::since(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto first = std::partition_point(events_.begin(), events_.end(),
                                          [number](const Event& e) { return e.number <= number; });
  return {first, events_.end()};
}

}  // namespace arcwise::router
