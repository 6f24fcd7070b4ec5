// Any bytes from those who answer or ask an admin address: what is read of them holds together.
#include <cstdint>
#include <string>

#include "router/http_server.hpp"
#include "router/lookout.hpp"
#include "router/stream_fuzzing.hpp"
#include "router/view_json.hpp"

namespace {

using namespace arcwise::router;
using fuzzing::require;

void check_target(const std::string& text) {
  HttpRequest request;
  split_target(text, request);
  std::size_t bytes = request.path.size();
  for (const auto& [name, value] : request.query) bytes += name.size() + value.size();
  require(bytes <= text.size());
  if (!request.query.empty()) require(request.param(request.query[0].first, "?") == request.query[0].second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (const Protocol protocol : {Protocol::memcached, Protocol::redis}) {
    const Measured measured = read_measured(protocol, text);
    require(measured.bytes.has_value() == measured.why.empty());
  }
  if (const auto maps = read_fingerprints(text)) require(maps->size() <= text.size());
  check_target(text);
  // A name that is somebody's else stays theirs, whatever stands behind it.
  require(!own_host("evil." + text.substr(0, text.find_first_of(":.")) + ".example", {"router-1"}));
  own_host(text, {"router-1", ""});
  return 0;
}
