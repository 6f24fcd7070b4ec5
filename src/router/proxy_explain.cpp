// Where is my key? Asked on the connection that the key is used on, so that the answer is of the very map
// that serves it.
#include <algorithm>
#include <array>
#include <optional>

#include "arcwise/check.hpp"
#include "format/json_reports.hpp"
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

// Where racks differ much in size, a key's last owner may stand behind thousands of others, and whoever
// shares the thread would wait for all of them to be told.
constexpr std::size_t most_candidates = 256;
constexpr std::string_view too_far =
    "more than 256 candidates stand before its last owner: ask the admin address, /api/v1/explain";

// On one line: memcached's statistics are lines.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// nullopt: it would be too long. An owner is taken where it is met first, so that the walk ends where the
/// last one is met.
std::optional<Json> explanation(const Placement& placement, std::string_view key) {
  struct Walk {
    std::array<NodeIndex, max_replicas> owners;
    std::size_t left = 0, steps = 0;
  } walk;
  const Query query{key, placement.hash(key), {}};
  walk.left = placement.owners(query, walk.owners);
  placement.walk(
      query,
      [](void* context, NodeIndex node) noexcept {
        Walk& w = *static_cast<Walk*>(context);
        const auto end = w.owners.begin() + static_cast<std::ptrdiff_t>(w.left);
        if (const auto met = std::find(w.owners.begin(), end, node); met != end) *met = w.owners[--w.left];
        return w.left > 0 && ++w.steps < most_candidates;
      },
      &walk);
  if (walk.left > 0) return std::nullopt;
  return explain_json(placement, explain(placement, key, {}));
}

}  // namespace

// `stats explain KEY` and `stats fingerprint`; empty: another question.
std::string Proxy::explained(std::string_view which) const {
  const std::string_view what = next_word(which);
  if (what == "fingerprint")
    return "STAT fingerprint " + line_of(fingerprint_json(pool_.placement.prints())) + "\r\nEND\r\n";
  if (what != "explain") return {};
  const std::string_view key = next_word(which);
  if (key.empty()) return "CLIENT_ERROR stats explain: give a key\r\n";
  const auto found = explanation(pool_.placement, key);
  if (!found) return "SERVER_ERROR stats explain: " + std::string(too_far) + "\r\n";
  return "STAT explain " + line_of(*found) + "\r\nEND\r\n";
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
    return say(fingerprint_json(pool_.placement.prints()));
  if (equal_ignoring_case(what, "explain") && request.words() == 3) {
    const auto found = explanation(pool_.placement, request.word(bytes, 2));
    if (found) return say(*found);
    return refuse(asked, "-ERR " + std::string(too_far) + "\r\n");
  }
  refuse(asked, "-ERR use ARCWISE EXPLAIN key, or ARCWISE FINGERPRINT\r\n");
}

}  // namespace arcwise::router
