// Where is my key? Asked on the connection that the key is used on, so that the answer is of the very map
// that serves it.
#include "arcwise/check.hpp"
#include "format/json_reports.hpp"
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

// On one line: memcached's statistics are lines.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

// `stats explain KEY` and `stats fingerprint`; empty: another question.
std::string Proxy::explained(std::string_view which) const {
  const std::string_view what = next_word(which);
  if (what == "fingerprint")
    return "STAT fingerprint " + line_of(fingerprint_json(fingerprints(pool_.placement))) + "\r\nEND\r\n";
  if (what != "explain") return {};
  const std::string_view key = next_word(which);
  if (key.empty()) return "CLIENT_ERROR stats explain: give a key\r\n";
  return "STAT explain " + line_of(explain_json(pool_.placement, explain(pool_.placement, key, {}))) +
         "\r\nEND\r\n";
}

// ARCWISE EXPLAIN key, ARCWISE FINGERPRINT
void Proxy::explain_redis(const Asked& asked, std::string_view bytes) {
  const RespRequest& request = asked.client.request;
  const std::string_view what = request.words() > 1 ? request.word(bytes, 1) : std::string_view();
  const auto say = [&](const Json& json) {
    const std::string text = line_of(json);
    answer_now(asked.client, "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n");
  };
  if (equal_ignoring_case(what, "fingerprint") && request.words() == 2)
    return say(fingerprint_json(fingerprints(pool_.placement)));
  if (equal_ignoring_case(what, "explain") && request.words() == 3)
    return say(explain_json(pool_.placement, explain(pool_.placement, request.word(bytes, 2), {})));
  refuse(asked, "-ERR use ARCWISE EXPLAIN key, or ARCWISE FINGERPRINT\r\n");
}

}  // namespace arcwise::router
