#include "router/config.hpp"

#include <algorithm>

#include "format/json_text.hpp"
#include "format/map_fields.hpp"
#include "router/membership.hpp"
#include "router/settings.hpp"

namespace arcwise::router {
namespace {

constexpr const char* by_default = "default";
constexpr std::string_view command_line = "command line";

template <class T>
const Setting<T>* find_setting(std::string_view key) {
  for (const auto& setting : settings_of<T>())
    if (setting.key == key) return &setting;
  return nullptr;
}

// A list is written with commas between its words.
std::vector<std::string> words_of(const std::string& value, bool list) {
  std::vector<std::string> words;
  std::size_t at = 0;
  for (std::size_t comma = 0; list && (comma = value.find(',', at)) != std::string::npos; at = comma + 1)
    words.push_back(value.substr(at, comma - at));
  words.push_back(value.substr(at));
  return words;
}

Error of_option(const Override& given, std::string why, std::string advice) {
  return Error{ErrorKind::input,
               {std::string(command_line), 0, 0},
               (given.pool.empty() ? "" : given.pool + ".") + given.key + "=" + given.value,
               std::move(why),
               std::move(advice)};
}

template <class T>
std::optional<Error> set(const Override& given, T& to, Sources& sources) {
  const Setting<T>& setting = *find_setting<T>(given.key);
  const auto words = words_of(given.value, setting.list);
  if (auto wrong = setting.set(to, words)) return of_option(given, wrong->why, wrong->advice);
  sources.insert_or_assign(given.key, std::string(command_line));
  return std::nullopt;
}

// A setting of the router is of no pool.
std::string advice_for(const Override& given) {
  if (find_setting<Daemon>(given.key)) return "it is the router's: write --set " + given.key + "=VALUE";
  std::vector<std::string_view> keys;
  if (given.pool.empty())
    for (const auto& setting : daemon_settings()) keys.push_back(setting.key);
  for (const auto& setting : pool_settings()) keys.push_back(setting.key);
  return known_keys(given.key, keys);
}

std::optional<Error> apply(Config& config, const Override& given) {
  if (given.pool.empty() && find_setting<Daemon>(given.key)) return set(given, config.daemon, config.sources);
  if (!find_setting<Pool>(given.key)) return of_option(given, "no such setting", advice_for(given));
  bool found = false;
  for (PoolConfig& pool : config.pools)
    if (given.pool.empty() || given.pool == pool.pool.name) {
      found = true;
      if (auto error = set(given, pool.pool, pool.sources)) return error;
    }
  if (!found) {
    std::vector<std::string_view> names;
    for (const PoolConfig& pool : config.pools) names.push_back(pool.pool.name);
    return of_option(given, "no pool of this name", known_keys(given.pool, names));
  }
  return std::nullopt;
}

template <class T>
std::string shown(const Setting<T>& setting, const T& of) {
  const std::string value = setting.get(of);
  return setting.secret && value != "none" ? "(set)" : value;
}

struct Row {
  std::string key, value, source;
};

template <class T>
std::vector<Row> rows_of(const T& of, const Sources& sources) {
  std::vector<Row> rows;
  for (const auto& setting : settings_of<T>())
    rows.push_back(
        {std::string(setting.key), shown(setting, of), place_of(sources, setting.key, by_default)});
  return rows;
}

std::string table(const std::vector<Row>& rows, const std::string& indent) {
  std::size_t keys = 0, values = 0;
  for (const Row& row : rows) {
    keys = std::max(keys, row.key.size());
    values = std::max(values, std::min<std::size_t>(row.value.size(), 32));
  }
  std::string out;
  for (const Row& row : rows) {
    out += indent + row.key + std::string(keys - row.key.size() + 2, ' ') + row.value;
    out += std::string(values - std::min(values, row.value.size()) + 2, ' ') + row.source + "\n";
  }
  return out;
}

std::vector<Row> rows_of(const PoolConfig& config) {
  auto rows = rows_of(config.pool, config.sources);
  const auto map = config.sources.find("map");
  if (map != config.sources.end())
    rows.insert(rows.begin() + 2,
                {"map", config.map_file.empty() ? "(in the configuration)" : config.map_file, map->second});
  return rows;
}

template <class T>
Json rows_json(const T& of, const Sources& sources) {
  Json out = Json::array();
  for (const auto& setting : settings_of<T>())
    out.push_back({{"name", setting.key},
                   {"value", shown(setting, of)},
                   {"source", place_of(sources, setting.key, by_default)},
                   {"live", setting.live}});
  return out;
}

// Who writes a nutcracker.yml mostly writes what does nothing in twemproxy either.
template <class T>
void note_in_vain(const T& of, const Sources& sources, const Config& all, bool taken_over,
                  std::vector<std::string>& notes) {
  for (const auto& setting : settings_of<T>()) {
    const auto said = sources.find(setting.key);
    if (!setting.in_vain || said == sources.end() || (taken_over && said->second != command_line)) continue;
    if (const std::string_view why = setting.in_vain(of, all); !why.empty())
      notes.push_back("`" + std::string(setting.key) + "` (" + said->second + ") " + std::string(why));
  }
}

}  // namespace

Result<Config> config_of_map(const std::string& path, Protocol protocol, const std::string& listen) {
  const auto cluster = load_map_file(path);
  if (!cluster) return cluster.error();
  auto pool = pool_of_map(*cluster, protocol, listen);
  if (!pool) return pool.error();
  pool->name = pool->source = path;
  const std::string said(command_line);
  Config config;
  config.files.push_back(path);
  config.pools.push_back(
      {std::move(*pool), path, {{"map", said}, {"listen", said}, {"protocol", said}}, false});
  return config;
}

std::optional<Error> apply_overrides(Config& config, std::span<const Override> overrides) {
  for (const Override& given : overrides)
    if (auto error = apply(config, given)) return error;
  return std::nullopt;
}

void note_what_is_in_vain(Config& config) {
  note_in_vain(config.daemon, config.sources, config, false, config.notes);
  for (PoolConfig& one : config.pools)
    note_in_vain(one.pool, one.sources, config, one.taken_over, one.pool.notes);
}

std::string report(const Config& config) {
  std::string out = table(rows_of(config.daemon, config.sources), "");
  for (const PoolConfig& pool : config.pools) {
    out += "\npool " + pool.pool.name + ": " + std::to_string(pool.pool.addresses.size()) + " servers, " +
           find_setting<Pool>("protocol")->get(pool.pool) + ", listens on " + pool.pool.listen + "\n";
    out += table(rows_of(pool), "  ");
  }
  return out;
}

std::string report_json(const Config& config) {
  Json out = answer("check-config");
  out["settings"] = rows_json(config.daemon, config.sources);
  out["pools"] = Json::array();
  for (const PoolConfig& pool : config.pools) {
    const Served served = served_by(pool.pool.placement);
    out["pools"].push_back({{"name", pool.pool.name},
                            {"servers", pool.pool.addresses.size()},
                            {"map", pool.map_file},
                            {"epoch", or_null(served.epoch)},
                            {"fingerprint", served.fingerprint},
                            {"settings", rows_json(pool.pool, pool.sources)},
                            {"notes", pool.pool.notes}});
  }
  out["files"] = config.files;
  out["notes"] = config.notes;
  return dump(out);
}

}  // namespace arcwise::router
