#include "format/pins.hpp"

#include "format/import_fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arcwise;
  const auto read = parse_pins({"pins", fuzzing::text_of(data, size)});
  if (!read) {
    fuzzing::require(!to_string(read.error()).empty() && !read.error().advice.empty());
    return 0;
  }
  fuzzing::require(!read->pins.empty() || !read->exclusions.empty());
  for (const auto* list : {&read->pins, &read->exclusions})
    for (const auto& rule : *list) fuzzing::require(rule.first <= rule.last && !rule.node.empty());
  return 0;
}
