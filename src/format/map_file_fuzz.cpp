// Any bytes: an error with a place, or a map that its own text gives back.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "arcwise/format.hpp"
#include "format/map_file_testing.hpp"

namespace {

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arcwise;
  const auto map = parse_map({"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
  if (!map) {
    const Error& error = map.error();
    if (error.kind != ErrorKind::input || error.where.line == 0 || error.where.column == 0 ||
        error.why.empty())
      fail("an error without a place", to_string(error));
    return 0;
  }
  const std::string text = write_map(*map);
  const auto again = parse_map({"again", text});
  if (!again) fail(to_string(again.error()).c_str(), text);
  if (!testing::same_map(*map, *again)) fail("another map", text);
  return 0;
}
