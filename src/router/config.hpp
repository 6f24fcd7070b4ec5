// What a router is to do: its own settings, its pools with theirs, and where each value comes from.
//
// Layer: router. One table says of each setting how it is read, shown, and whether a running router takes a
// new value up: files, the command line, `--check` and reloading all go by it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/format.hpp"
#include "format/yaml.hpp"
#include "router/config_values.hpp"
#include "router/pool.hpp"
#include "router/transfers.hpp"

namespace arcwise::router {

enum class LogForm : std::uint8_t { logfmt, json };
template <>
struct Names<LogForm> {
  static constexpr std::string_view all[] = {"logfmt", "json"};
};

template <>
struct Names<Io> {
  static constexpr std::string_view all[] = {"io_uring", "epoll"};
};

/// Of a configuration, or a map, by file or by HTTP. 100,000 nodes are less; what is more is refused unread,
/// for to take it apart would cost a router that serves a hundred times its size in memory.
constexpr std::uint64_t most_map_bytes = std::uint64_t{16} << 20;

/// The settings of the whole router.
struct Daemon {
  unsigned threads = 1;
  Io io = Io::io_uring;
  std::string admin;               ///< host:port to tell about itself; empty: nowhere
  std::string admin_token;         ///< the file of the word for changes by HTTP; empty: nobody makes any
  std::vector<std::string> peers;  ///< the admin addresses of other routers of the same pools
  std::string state;               ///< a folder; empty: nothing is remembered
  LogForm log = LogForm::logfmt;
  Severity log_level = Severity::note;
  milliseconds drain{5000};  ///< for what is under way when it is told to end
};

/// Where values come from, by setting: `file:line`, `command line`; not there: the default.
using Sources = std::map<std::string, std::string, std::less<>>;

struct PoolConfig {
  Pool pool;
  std::string map_file;  ///< empty: the map is in the configuration
  Sources sources;
  bool taken_over = false;  ///< its file was written for another router
};

struct Config {
  Daemon daemon;
  Sources sources;
  std::vector<PoolConfig> pools;
  std::vector<std::string> notes;                 ///< on what the router itself was set to, as pools have
  std::vector<std::string> files;                 ///< that it was read from, itself first
  std::chrono::system_clock::time_point began{};  ///< when they began to be read
};

template <class T>
struct Setting {
  std::string_view key;
  bool live;    ///< a running router takes a new value up
  bool secret;  ///< not shown
  bool list;    ///< several texts
  std::string (*get)(const T& of);
  /// `words`: one, or those of the list.
  std::optional<Wrong> (*set)(T& of, std::span<const std::string> words);
  /// Why its value is in vain beside the others, to be read behind its name; empty: it is not. nullptr: it
  /// never is.
  std::string_view (*in_vain)(const T& of, const Config& all) = nullptr;
};
std::span<const Setting<Pool>> pool_settings();
std::span<const Setting<Daemon>> daemon_settings();
template <class T>
std::span<const Setting<T>> settings_of();
template <>
inline std::span<const Setting<Pool>> settings_of<Pool>() {
  return pool_settings();
}
template <>
inline std::span<const Setting<Daemon>> settings_of<Daemon>() {
  return daemon_settings();
}

/// What the command line says over the file.
struct Override {
  std::string pool;  ///< empty: the router, or all pools
  std::string key, value;
};

/// Gives the map of a file that a configuration names.
using LoadMap = std::function<Result<Cluster>(const std::string& path)>;
/// Arcwise's own configuration, known by `arcwised: 1`, or an unchanged nutcracker.yml. Map files are looked
/// for beside it. Pure but for `load_map`.
Result<Config> parse_config(const Source& source, const LoadMap& load_map);
Result<Config> read_config(const std::string& path);
/// A map's file, each of whose nodes can be connected to.
Result<Cluster> load_map_file(const std::string& path);
/// One pool for one map.
Result<Config> config_of_map(const std::string& path, Protocol protocol, const std::string& listen);
std::optional<Error> apply_overrides(Config& config, std::span<const Override> overrides);
/// The setting's place: `file:line`, `command line`, or `otherwise`.
std::string place_of(const Sources& sources, std::string_view key, const std::string& otherwise);
// config_check.cpp
/// What the values mean together.
std::optional<Error> check(const Config& config);
// config_here.cpp
/// Whether the files, folders, addresses and names in it are of use on this machine and to whoever asks; what
/// may become so is noted.
std::optional<Error> check_here(Config& config);

/// Adds to the notes what somebody has set in vain, as the other settings are.
void note_what_is_in_vain(Config& config);

/// The effective configuration, for people and for programs.
std::string report(const Config& config);
std::string report_json(const Config& config);

// config_file.cpp
Result<Config> config_of_yaml(const Source& source, const YamlNode& root, const LoadMap& load_map);
// settings.cpp
Result<Config> config_of_nutcracker(const Source& source, const YamlNode& root);

}  // namespace arcwise::router
