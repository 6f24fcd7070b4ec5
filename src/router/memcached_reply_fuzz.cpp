// A reply's end is found at the same place however much of what follows is there, and never too early.
#include "router/memcached_reply.hpp"

#include "router/stream_fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arcwise::router;
  if (size == 0) return 0;
  const auto kind = static_cast<McReply>(data[0] % mc_replies);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const McScan whole = scan_memcached(kind, bytes);
  fuzzing::require(whole.size <= bytes.size() && (whole.size == 0 || !whole.broken));
  if (whole.size == 0) {
    // What is not kept of a value that nobody wants is what its reply has before its end.
    if (whole.spare > 0 && !whole.broken) fuzzing::require(whole.spare + 5 > bytes.size());
    return 0;
  }
  (void)is_of_key(bytes.substr(0, whole.size), mc_tag(bytes));
  fuzzing::require(scan_memcached(kind, bytes.substr(0, whole.size)).size == whole.size);
  for (std::size_t i = 0; i < whole.size; i += 1 + whole.size / 50)
    fuzzing::require(scan_memcached(kind, bytes.substr(0, i)).size == 0);
  return 0;
}
