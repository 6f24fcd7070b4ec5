// The table of all settings.
#include <algorithm>

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
    if (how.unit == Unit::listener && !out.empty()) wrong = check_listener(out);
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
    const auto bound = [](std::uint64_t ms) { return milliseconds(static_cast<milliseconds::rep>(ms)); };
    if (value < bound(how.range.least))
      return Wrong{"too short", "the shortest is " + write_duration(bound(how.range.least))};
    if (value > bound(how.range.most))
      return Wrong{"too long", "the longest is " + write_duration(bound(how.range.most))};
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

/// A setting with what tells when its value is in vain.
template <class T>
constexpr Setting<T> operator|(Setting<T> setting, std::string_view (*in_vain)(const T&, const Config&)) {
  setting.in_vain = in_vain;
  return setting;
}

bool for_redis(const Pool& pool) {
  return pool.protocol == Protocol::redis;
}
std::size_t nodes_of(const Pool& pool) {
  return pool.placement.map().nodes().size();
}
bool asks_others(const Failing& failing) {
  return failing.on_failure == OnFailure::next || failing.on_failure == OnFailure::gutter;
}

std::string_view without_eject(const Pool& it, const Config&) {
  return it.failing.auto_eject ? "" : "does nothing without `auto_eject: true`";
}
std::string_view without_cascade(const Pool& it, const Config&) {
  return nodes_of(it) >= it.failing.cascade ? "" : "does nothing: the map has fewer nodes than `cascade`";
}
std::string_view for_no_memcached(const Pool& it, const Config&) {
  return for_redis(it) ? "is for memcached alone" : "";
}
std::string_view without_redis(const Pool& it, const Config&) {
  return for_redis(it) ? "" : "is for Redis alone";
}
std::string_view on_unix_socket(const Pool& it, const Config&) {
  return it.listen.starts_with('/') ? "does nothing for a unix socket" : "";
}
std::string_view without_admin(const Daemon& it, const Config&) {
  return it.admin.empty() ? "does nothing without `admin`" : "";
}

std::string_view without_others(const Pool& it, const Config&) {
  const bool alone = it.failing.on_failure == OnFailure::next && nodes_of(it) == 1;
  return alone ? "finds nobody else to ask: the map has one node" : "";
}
std::string_view without_gutter(const Pool& it, const Config&) {
  const bool idle = it.failing.on_failure != OnFailure::gutter && !it.failing.gutter.empty();
  return idle ? "does nothing without `on_failure: gutter`" : "";
}
std::string_view without_copies(const Pool& it, const Config&) {
  if (asks_others(it.failing) || (it.overload.bound && !for_redis(it))) return "";
  return "does nothing without `on_failure: next` or `gutter`, or a `bound`";
}
std::string_view without_fence(const Pool& it, const Config&) {
  if (it.failing.on_return != OnReturn::fence) return "does nothing without `on_return: fence`";
  if (for_redis(it) && !asks_others(it.failing)) return "does nothing without `on_failure: next` or `gutter`";
  return "";
}
std::string_view in_draining(const Pool& it, const Config&) {
  if (!it.timeout) return "does nothing without `timeout`";
  if (it.failing.draining || it.failing.on_return == OnReturn::keep) return "";
  return "is off: a write that was given up may undo a newer one, whatever `on_return` drops";
}
std::string_view without_ring(const Pool& it, const Config&) {
  const bool idle = it.failing.auto_eject && !it.placement.map().placement().table.empty();
  return idle ? "does nothing for a map that lists its owners range by range" : "";
}
std::string_view without_limit(const Pool& it, const Config&) {
  const bool idle = it.overload.queue_deadline.count() > 0 && it.overload.in_flight == 0;
  return idle ? "does nothing without `in_flight`" : "";
}
std::string_view in_bound(const Pool& it, const Config&) {
  if (!it.overload.bound) return "";
  if (for_redis(it)) return "is for memcached alone";
  return nodes_of(it) == 1 ? "does nothing: the map has one node" : "";
}
std::string_view too_few_in_flight(const Pool& it, const Config& all) {
  const bool few = it.overload.in_flight > 0 && it.overload.in_flight < all.daemon.threads;
  return few ? "is less than `threads`: each of them may have one" : "";
}
std::string_view in_word(const Pool& it, const Config&) {
  if (!for_redis(it)) return "is for Redis alone";
  return it.limits.redis.word > it.limits.redis.command ? "is more than `largest_command` allows" : "";
}
std::string_view without_epochs(const Daemon&, const Config& all) {
  const auto has = [](const PoolConfig& one) { return one.pool.placement.map().epoch().has_value(); };
  if (std::any_of(all.pools.begin(), all.pools.end(), has)) return "";
  return "remembers nothing: no map has an `epoch`";
}

#define OF(path) [](auto& it) -> auto& { return it.path; }

constexpr Range some{1, 1'000'000'000};
constexpr How count{some, Unit::things}, any_count{{0, some.most}, Unit::things};
constexpr How at_least_1ms{{1}};                    // 0 would be asked again without end
constexpr How ttl{{1000, 30 * 24 * 3'600'000ULL}};  // memcached takes 0 for ever, and more for a date
constexpr How listener{{}, Unit::listener};
constexpr How bytes{{1024, std::uint64_t{1} << 32}, Unit::bytes};

constexpr Setting<Pool> of_pool[] = {
    setting<Pool, OF(listen), listener>("listen", When::restart),
    setting<Pool, OF(protocol)>("protocol", When::restart),
    setting<Pool, OF(timeout), at_least_1ms>("timeout"),
    setting<Pool, OF(password)>("password", When::live, true),
    setting<Pool, OF(client_password)>("client_password", When::live, true),
    setting<Pool, OF(database), How{{0, 65535}}>("database"),
    setting<Pool, OF(flush_all)>("flush_all"),
    setting<Pool, OF(failing.on_failure)>("on_failure") | without_others,
    setting<Pool, OF(failing.on_return)>("on_return"),
    setting<Pool, OF(failing.gutter)>("gutter") | without_gutter,
    setting<Pool, OF(failing.longest_ttl), ttl>("longest_ttl") | without_copies,
    setting<Pool, OF(failing.fence_keys), any_count>("fence_keys") | without_fence,
    setting<Pool, OF(failing.first_retry), at_least_1ms>("first_retry"),
    setting<Pool, OF(failing.last_retry), at_least_1ms>("last_retry"),
    setting<Pool, OF(failing.probe_every)>("probe_every"),
    setting<Pool, OF(failing.ramp)>("ramp"),
    setting<Pool, OF(failing.draining)>("draining") | in_draining,
    setting<Pool, OF(failing.auto_eject)>("auto_eject") | without_ring,
    setting<Pool, OF(failing.failure_limit), count>("failure_limit") | without_eject,
    setting<Pool, OF(failing.eject_for), at_least_1ms>("eject_for") | without_eject,
    setting<Pool, OF(failing.cascade), How{{2, 1000}}>("cascade") | without_cascade,
    setting<Pool, OF(failing.cascade_window), at_least_1ms>("cascade_window") | without_cascade,
    setting<Pool, OF(overload.bound), How{{101, 10'000}, Unit::percent}>("bound") | in_bound,
    setting<Pool, OF(overload.in_flight), any_count>("in_flight") | too_few_in_flight,
    setting<Pool, OF(overload.queue_deadline)>("queue_deadline") | without_limit,
    setting<Pool, OF(overload.retry_budget), How{{0, 100}, Unit::percent}>("retry_budget"),
    setting<Pool, OF(overload.coalesce)>("coalesce"),
    setting<Pool, OF(limits.clients), count>("clients"),
    setting<Pool, OF(limits.requests), count>("requests"),
    setting<Pool, OF(limits.unsent), bytes>("unsent"),
    setting<Pool, OF(limits.held), bytes>("held"),
    setting<Pool, OF(limits.reply), bytes>("largest_reply"),
    setting<Pool, OF(limits.memcached.value), bytes>("largest_value") | for_no_memcached,
    setting<Pool, OF(limits.memcached.line), bytes>("longest_line") | for_no_memcached,
    setting<Pool, OF(limits.redis.word), bytes>("largest_word") | in_word,
    setting<Pool, OF(limits.redis.command), bytes>("largest_command") | without_redis,
    setting<Pool, OF(limits.slow)>("slow"),
    setting<Pool, OF(listening.backlog), How{{1, 65535}}>("backlog", When::restart),
    setting<Pool, OF(listening.reuse_port)>("reuse_port", When::restart) | on_unix_socket,
    setting<Pool, OF(listening.keepalive)>("keepalive") | on_unix_socket,
};

constexpr Setting<Daemon> of_daemon[] = {
    setting<Daemon, OF(threads), How{{1, 256}}>("threads", When::restart),
    setting<Daemon, OF(io)>("io", When::restart),
    setting<Daemon, OF(admin), listener>("admin", When::restart),
    setting<Daemon, OF(admin_token)>("admin_token", When::restart) | without_admin,
    setting<Daemon, OF(peers)>("peers", When::restart) | without_admin,
    setting<Daemon, OF(state)>("state", When::restart) | without_epochs,
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
