#include "format/capacities.hpp"

#include "format/import_fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arcwise;
  const auto read = parse_capacities({"capacities", fuzzing::text_of(data, size)});
  if (!read) {
    fuzzing::require(!to_string(read.error()).empty() && !read.error().advice.empty());
    return 0;
  }
  for (const DeclaredCapacity& declared : *read) fuzzing::require(declared.capacity > 0);
  return 0;
}
