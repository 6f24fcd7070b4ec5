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

// A name that is somebody's else stays theirs, whatever stands before and behind it.
void check_host(const std::string& text) {
  const std::vector<std::string> own{"router-1", "router-1.example.net", ""};
  const auto accepts = [&](const std::string& host) { return own_host(host, own); };
  std::string name = text.substr(0, text.find_last_not_of("0123456789") + 1);
  if (name.ends_with(':'))
    name.pop_back();
  else
    name = text;
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const bool number = !name.empty() && name.find_first_not_of("0123456789.") == name.npos;
  const bool bracketed = name.size() > 1 && name.front() == '[' && name.back() == ']' &&
                         name.substr(1, name.size() - 2).find_first_not_of("0123456789abcdef:.") == name.npos;
  require(accepts(text) == (number || bracketed || name == "localhost" || name == own[0] || name == own[1]));
  for (const std::string known : {"localhost", "router-1", "router-1.example.net"}) {
    require(!accepts(known + "." + text + ".evil.example"));
    require(!accepts("evil." + text + "." + known));
  }
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
  check_host(text);
  return 0;
}
