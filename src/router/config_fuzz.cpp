// Any bytes: an error that says where and why, or a configuration whose every setting reads back what it
// shows.
#include <cstdint>
#include <cstdlib>

#include "router/config.hpp"

namespace {

using namespace arcwise;
using namespace arcwise::router;

void require(bool holds) {
  if (!holds) std::abort();
}

Result<Cluster> no_file(const std::string& path) {
  return Error{ErrorKind::io, {path, 0, 0}, path, "there is no file", "write the map itself"};
}

template <class T>
void check_settings(T of) {
  for (const auto& setting : settings_of<T>()) {
    const std::string shown = setting.get(of);
    if (setting.list || setting.secret) continue;
    const std::vector<std::string> words{shown};
    require(!setting.set(of, words));
    require(setting.get(of) == shown);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto config = parse_config({"fuzz", std::string(reinterpret_cast<const char*>(data), size)}, no_file);
  if (!config) {
    const Error& error = config.error();
    require(error.kind == ErrorKind::io || (!error.why.empty() && !error.where.file.empty()));
    require(!to_string(error).empty());
    return 0;
  }
  if (const auto error = check(*config)) {
    require(!error->why.empty() && !error->advice.empty());
    return 0;
  }
  check_settings(config->daemon);
  for (const PoolConfig& pool : config->pools) check_settings(pool.pool);
  note_what_is_in_vain(*config);
  for (const std::string& note : config->notes) require(note.starts_with('`'));
  require(!report(*config).empty());
  require(!report_json(*config).empty());
  return 0;
}
