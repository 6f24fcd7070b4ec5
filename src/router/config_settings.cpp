// The table of all settings.
#include "router/config.hpp"

namespace arcwise::router {
namespace {

constexpr std::string_view none = "none";

/// How one setting's value is read and shown.
struct How {
  Range range{};
  Unit unit = Unit::things;
};

template <How how, class T>
std::string write(const T& value) {
  if constexpr (std::is_same_v<T, std::string>)
    return value.empty() ? std::string(none) : value;
  else if constexpr (requires { Names<T>::all; })
    return std::string(Names<T>::all[static_cast<std::size_t>(value)]);
  else if constexpr (std::is_integral_v<T>)
    return write_number(value, how.unit);
  else
    return write_duration(value);
}
template <How how, class T>
std::string write(const std::optional<T>& value) {
  return value ? write<how>(*value) : std::string(none);
}
template <How how>
std::string write(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out.empty() ? std::string(none) : out;
}

template <How how, class T>
std::optional<Wrong> read(std::span<const std::string> words, T& out) {
  const std::string_view text = words.empty() ? std::string_view() : std::string_view(words.front());
  std::optional<Wrong> wrong;
  if constexpr (std::is_same_v<T, std::string>) {
    out = text == none ? std::string() : std::string(text);
    if (how.unit == Unit::address && !out.empty()) wrong = check_address(out);
  } else if constexpr (requires { Names<T>::all; }) {
    std::size_t place = 0;
    if (!(wrong = read_choice(text, Names<T>::all, place))) out = static_cast<T>(place);
  } else if constexpr (std::is_integral_v<T>) {
    std::uint64_t number = 0;
    if (!(wrong = read_number(text, how.unit, how.range, number))) out = static_cast<T>(number);
  } else {
    milliseconds value{};
    wrong = read_duration(text, value);
    if (wrong) return wrong;
    if (value < milliseconds(how.range.least)) return Wrong{"too short", "the shortest is 1ms"};
    out = std::chrono::duration_cast<T>(value);
    if (out != value) return Wrong{"not a whole number of seconds", "write 10s"};
  }
  return wrong;
}
template <How how, class T>
std::optional<Wrong> read(std::span<const std::string> words, std::optional<T>& out) {
  if (words.size() == 1 && words.front() == none) {
    out.reset();
    return std::nullopt;
  }
  T value{};
  auto wrong = read<how>(words, value);
  if (!wrong) out = value;
  return wrong;
}
template <How how>
std::optional<Wrong> read(std::span<const std::string> words, std::vector<std::string>& out) {
  if (words.size() == 1 && words.front() == none) words = {};
  for (const std::string& word : words)
    if (auto wrong = check_address(word)) return wrong;
  out.assign(words.begin(), words.end());
  return std::nullopt;
}

enum class When : std::uint8_t { live, restart };

template <class T, auto member, How how = How{}>
constexpr Setting<T> setting(std::string_view key, When when = When::live, bool secret = false) {
  using Value = std::remove_cvref_t<decltype(member(std::declval<T&>()))>;
  return {key,
          when == When::live,
          secret,
          std::is_same_v<Value, std::vector<std::string>>,
          [](const T& of) { return write<how>(member(of)); },
          [](T& of, std::span<const std::string> words) { return read<how>(words, member(of)); }};
}

#define OF(path) [](auto& it) -> auto& { return it.path; }

constexpr Range some{1, 1'000'000'000};
constexpr How count{some, Unit::things}, any_count{{0, some.most}, Unit::things};
constexpr How at_least_1ms{{1}};  // 0 would be asked again without end
constexpr How address{{}, Unit::address};
constexpr How bytes{{1024, std::uint64_t{1} << 32}, Unit::bytes};

constexpr Setting<Pool> of_pool[] = {
    setting<Pool, OF(listen), address>("listen", When::restart),
    setting<Pool, OF(protocol)>("protocol", When::restart),
    setting<Pool, OF(timeout), at_least_1ms>("timeout"),
    setting<Pool, OF(password)>("password", When::live, true),
    setting<Pool, OF(client_password)>("client_password", When::live, true),
    setting<Pool, OF(database), How{{0, 65535}}>("database"),
    setting<Pool, OF(flush_all)>("flush_all"),
    setting<Pool, OF(failing.on_failure)>("on_failure"),
    setting<Pool, OF(failing.on_return)>("on_return"),
    setting<Pool, OF(failing.gutter)>("gutter"),
    setting<Pool, OF(failing.longest_ttl)>("longest_ttl"),
    setting<Pool, OF(failing.fence_keys), any_count>("fence_keys"),
    setting<Pool, OF(failing.first_retry), at_least_1ms>("first_retry"),
    setting<Pool, OF(failing.last_retry), at_least_1ms>("last_retry"),
    setting<Pool, OF(failing.probe_every)>("probe_every"),
    setting<Pool, OF(failing.ramp)>("ramp"),
    setting<Pool, OF(failing.draining)>("draining"),
    setting<Pool, OF(failing.auto_eject)>("auto_eject"),
    setting<Pool, OF(failing.failure_limit), count>("failure_limit"),
    setting<Pool, OF(failing.eject_for)>("eject_for"),
    setting<Pool, OF(failing.cascade), How{{2, 1000}}>("cascade"),
    setting<Pool, OF(failing.cascade_window)>("cascade_window"),
    setting<Pool, OF(overload.bound), How{{101, 10'000}, Unit::percent}>("bound"),
    setting<Pool, OF(overload.in_flight), any_count>("in_flight"),
    setting<Pool, OF(overload.queue_deadline)>("queue_deadline"),
    setting<Pool, OF(overload.retry_budget), How{{0, 100}, Unit::percent}>("retry_budget"),
    setting<Pool, OF(overload.coalesce)>("coalesce"),
    setting<Pool, OF(limits.clients), count>("clients"),
    setting<Pool, OF(limits.requests), count>("requests"),
    setting<Pool, OF(limits.unsent), bytes>("unsent"),
    setting<Pool, OF(limits.held), bytes>("held"),
    setting<Pool, OF(limits.reply), bytes>("largest_reply"),
    setting<Pool, OF(limits.memcached.value), bytes>("largest_value"),
    setting<Pool, OF(limits.memcached.line), bytes>("longest_line"),
    setting<Pool, OF(limits.redis.word), bytes>("largest_word"),
    setting<Pool, OF(limits.redis.command), bytes>("largest_command"),
    setting<Pool, OF(limits.slow)>("slow"),
    setting<Pool, OF(listening.backlog), How{{1, 65535}}>("backlog", When::restart),
    setting<Pool, OF(listening.reuse_port)>("reuse_port", When::restart),
    setting<Pool, OF(listening.keepalive)>("keepalive"),
};

constexpr Setting<Daemon> of_daemon[] = {
    setting<Daemon, OF(threads), How{{1, 256}}>("threads", When::restart),
    setting<Daemon, OF(io)>("io", When::restart),
    setting<Daemon, OF(admin), address>("admin", When::restart),
    setting<Daemon, OF(admin_token)>("admin_token", When::restart),
    setting<Daemon, OF(peers)>("peers", When::restart),
    setting<Daemon, OF(state)>("state", When::restart),
    setting<Daemon, OF(log)>("log", When::restart),
    setting<Daemon, OF(log_level)>("log_level", When::restart),
    setting<Daemon, OF(drain)>("drain", When::restart),
};

#undef OF

}  // namespace

std::span<const Setting<Pool>> pool_settings() {
  return of_pool;
}
std::span<const Setting<Daemon>> daemon_settings() {
  return of_daemon;
}

}  // namespace arcwise::router
