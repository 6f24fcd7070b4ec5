// Alone, and beside a ring of two nodes, where its facts are merged and compared.
#include "format/import_fuzzing.hpp"
#include "format/nodetool_cluster.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arcwise;
  const Source status{"status", fuzzing::text_of(data, size)};
  fuzzing::import({status}, "nodetool-status");
  const Source ring{"ring",
                    "Datacenter: dc1\n==========\nAddress Rack Status State Load Owns Token\n\n"
                    "192.0.2.11 rack1 Up Normal ? ? -5\n192.0.2.12 rack2 Up Normal 1 KiB ? 5\n"};
  const auto base = read_nodetool_ring(ring);
  const auto beside = read_nodetool_status(status);
  fuzzing::require(base.ok());
  if (!beside) return 0;
  // Shares that add up to more copies than a key can have are an error; nothing else is left to be one.
  const auto merged = nodetool_cluster(*base, {&*beside, 1}, {});
  fuzzing::require(merged.ok() || beside->nodes.size() > max_replicas);
  return 0;
}
