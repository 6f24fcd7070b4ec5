// The first byte chooses what is read: loads of ranges, of slots, or of keys.
#include "format/load_file.hpp"

#include "format/import_fuzzing.hpp"

namespace {

using namespace arcwise;

ClusterMap map_of(std::string_view recipe, std::uint64_t slots, std::vector<TableRow> rows) {
  ClusterMap::Parts p;
  p.placement.recipe = find_recipe(recipe);
  p.placement.hash = p.placement.recipe->hash;
  p.placement.slots = slots;
  p.placement.table = std::move(rows);
  for (const char* name : {"a", "b"}) p.nodes.emplace_back().name = name;
  auto built = ClusterMap::build(std::move(p));
  fuzzing::require(built.ok());
  return *built;
}

void check(const Error& error) {
  fuzzing::require(error.kind == ErrorKind::input && !error.why.empty() && !error.advice.empty());
  fuzzing::require(!to_string(error).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Source source{"load", fuzzing::text_of(data + 1, size - 1)};
  if (data[0] == 'k') {
    const auto keys = parse_key_loads(source);
    if (!keys) return check(keys.error()), 0;
    for (const KeyLoad& key : *keys) fuzzing::require(key.load.requests >= 0 && key.load.bytes >= 0);
    return 0;
  }
  static const ClusterMap ranges = map_of("ranges", 0, {{{0xff}, {0}}, {{~std::uint64_t{0}}, {1}}});
  static const ClusterMap slots = map_of("redis-cluster", 16384, {{{8191}, {0}}, {{16383}, {1}}});
  const ClusterMap& map = data[0] == 's' ? slots : ranges;
  const auto loads = parse_unit_loads({&source, 1}, map);
  if (!loads) return check(loads.error()), 0;
  fuzzing::require(loads->units.size() == unit_count(map) && loads->listed <= loads->units.size());
  const auto done = balance_load(map, {loads->units, {}}, {});
  if (done) fuzzing::require(done->requests.after <= std::max(done->requests.before, 1.1) + 1e-6);
  return 0;
}
