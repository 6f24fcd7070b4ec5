#include "format/import_fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  arcwise::fuzzing::import({{"input", arcwise::fuzzing::text_of(data, size)}}, "crushmap");
  return 0;
}
