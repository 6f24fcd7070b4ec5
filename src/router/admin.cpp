#include "router/admin.hpp"

#include <sys/random.h>

#include <algorithm>

#include "format/json_reports.hpp"
#include "format/locate_json.hpp"
#include "router/metrics.hpp"
#include "router/page.hpp"
#include "router/secret.hpp"
#include "router/settings.hpp"
#include "router/view_json.hpp"

namespace arcwise::router {
namespace {

constexpr std::size_t most_arcs = 2048;
constexpr std::size_t kept_ownerships = 16;
constexpr std::chrono::seconds stuck_after{10};
constexpr std::uint64_t chance_seed = 1;  // the command line's own

HttpReply json_reply(std::string body, unsigned status = 200) {
  HttpReply reply;
  reply.status = status;
  reply.body = std::move(body);
  return reply;
}

HttpReply text_reply(std::string body, unsigned status = 200) {
  HttpReply reply = json_reply(std::move(body), status);
  reply.type = "text/plain; charset=utf-8";
  return reply;
}

HttpReply error_reply(unsigned status, ErrorKind kind, std::string what, std::string why,
                      std::string advice) {
  return json_reply(json_error({kind, {}, std::move(what), std::move(why), std::move(advice)}) + "\n",
                    status);
}

HttpReply error_reply(const Error& error) {
  return json_reply(json_error(error) + "\n", error.kind == ErrorKind::refused ? 409
                                              : error.kind == ErrorKind::io    ? 500
                                                                               : 400);
}

HttpReply not_there(const HttpRequest& request) {
  return error_reply(404, ErrorKind::input, request.path, "there is nothing here",
                     "docs/router.md lists what this address knows");
}

bool is_of_view(std::string_view path) noexcept {
  static constexpr std::string_view all[] = {"/metrics", "/api/v1/backends", "/api/v1/fingerprints",
                                             "/api/v1/stream"};
  return std::find(std::begin(all), std::end(all), path) != std::end(all);
}

// What is counted from a map takes long where the map is large.
Effort effort_of(std::string_view path) noexcept {
  if (path == "/healthz" || path == "/readyz") return Effort::none;
  const bool told = path == "/" || path == "/api/v1/events" || path == "/api/v1/slowlog";
  return told || is_of_view(path) ? Effort::some : Effort::much;
}

bool wants_json(const HttpRequest& request) {
  return request.param("format") == "json" || request.accept.find("json") != std::string::npos;
}

/// The pool that a request names, or the only one.
Result<std::shared_ptr<const Serving>> pool_of(const HttpRequest& request, const Reload& reload) {
  const auto pools = reload.serving();
  const std::string name(request.param("pool"));
  if (name.empty() && pools.size() == 1) return pools.front();
  std::string names;
  for (const auto& one : pools) {
    if (one->pool.name == name) return one;
    names += (names.empty() ? "" : ", ") + one->pool.name;
  }
  return Error{ErrorKind::input,
               {},
               name,
               name.empty() ? "no pool is named" : "there is no such pool",
               "add ?pool=NAME; there are: " + names};
}

Cluster cluster_of(const Pool& pool) {
  return {pool.placement.map(), pool.observed};
}

std::uint64_t number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  for (const char c : text)
    if (c >= '0' && c <= '9') value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return value;
}

std::string random_hex() {
  unsigned char bytes[16] = {};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return {};
  return hex_digits({reinterpret_cast<const char*>(bytes), sizeof bytes});
}

// Browsers send forms of other sites with these types, and ask first before they send any other.
bool a_form_could_send(std::string_view type) {
  return type.empty() || type.starts_with("text/plain") || type.starts_with("multipart/form-data") ||
         type.starts_with("application/x-www-form-urlencoded");
}

HttpLimits limits() {
  HttpLimits out;
  out.body = most_map_bytes;
  return out;
}

/// The pool with the map of the request's body in the place of its own.
Result<Pool> with_map(const Pool& pool, const std::string& body) {
  LoadOptions options;
  if (pool.observed.format != "arcwise") options.pool = pool.name;
  const Source source{"the request's body", body};
  const auto cluster = parse({&source, 1}, options);
  if (!cluster) return cluster.error();
  auto made = pool_of_map(*cluster, pool.protocol, pool.listen);
  if (!made) return made.error();
  Pool next = pool;
  next.placement = made->placement;
  next.addresses = std::move(made->addresses);
  next.observed = std::move(made->observed);
  return next;
}

}  // namespace

Result<std::string> read_token(const std::string& path) {
  auto text = read_file(path, 4096);
  if (!text) return text.error();
  std::string token = text->substr(0, text->find_first_of("\r\n"));
  if (token.size() < 16)
    return Error{ErrorKind::input,
                 {path, 1, 1},
                 "",
                 "the token has fewer than 16 characters",
                 "write a random one, as from: openssl rand -hex 16"};
  return token;
}

std::string admin_address(const std::string& given) {
  return given.starts_with(':') ? "127.0.0.1" + given : given;
}

Admin::Admin(AdminSettings settings, Reload& reload, const Board& board, Journal& journal,
             const EventCounts& events, std::function<bool()> ending)
    : settings_(std::move(settings)),
      reload_(reload),
      board_(board),
      journal_(journal),
      events_(events),
      ending_(std::move(ending)),
      lookout_(reload, board, journal, settings_.peers),
      server_(limits(), {[this](const HttpRequest& request) { return answer(request); }, effort_of,
                         [this] { return frame(); },
                         [this](const std::string& why) {
                           journal_.add({0, {}, Severity::warning, "admin_failed", {}, {}, why});
                         }}) {}

Result<std::string> Admin::start() {
  auto address = server_.start(admin_address(settings_.address));
  if (!address) return address.error();
  if (!address->starts_with("127.") && !address->starts_with("[::1]"))
    journal_.add({0,
                  {},
                  Severity::warning,
                  "admin_open",
                  {},
                  {},
                  "the admin address " + *address + " can be reached from other machines"});
  lookout_.start();
  return address;
}

HttpReply Admin::answer(const HttpRequest& request) {
  const bool changes = request.path == "/api/v1/change";
  if (changes && request.method == "POST") return change(request);
  if (!changes && request.method == "GET") return get(request);
  HttpReply reply = error_reply(405, ErrorKind::input, request.method, "this is no way to ask here",
                                changes ? "send the map by POST" : "use GET");
  reply.headers.emplace_back("Allow", changes ? "POST" : "GET, HEAD");
  return reply;
}

HttpReply Admin::get(const HttpRequest& request) {
  if (request.path == "/") return page();
  if (request.path == "/healthz") return health(request, not_healthy());
  if (request.path == "/readyz") return health(request, not_ready());
  if (request.path == "/api/v1/events")
    return json_reply(dump(events_json(journal_.since(number(request.param("since"))))));
  if (request.path == "/api/v1/slowlog") return json_reply(dump(slow_json(board_.slow())));
  if (is_of_view(request.path)) return about_view(request);
  return about_pool(request);
}

HttpReply Admin::about_view(const HttpRequest& request) {
  const auto view = lookout_.view();
  if (!view)
    return error_reply(503, ErrorKind::refused, "",
                       "the router has just started, and counts its map's ranges", "ask again in a moment");
  if (request.path == "/metrics") {
    HttpReply reply = text_reply(metrics_text(*view, events_));
    reply.type = "text/plain; version=0.0.4; charset=utf-8";
    return reply;
  }
  if (request.path == "/api/v1/backends") return json_reply(dump(view_json(*view)));
  if (request.path == "/api/v1/fingerprints") return json_reply(dump(fingerprints_json(*view)));
  HttpReply reply;
  reply.stream = true;
  return reply;
}

HttpReply Admin::about_pool(const HttpRequest& request) {
  static constexpr std::string_view known[] = {"map",     "ownership",   "locate",
                                               "explain", "fingerprint", "ring"};
  std::string_view what = request.path;
  if (!what.starts_with("/api/v1/")) return not_there(request);
  what.remove_prefix(8);
  if (std::find(std::begin(known), std::end(known), what) == std::end(known)) return not_there(request);
  const auto found = pool_of(request, reload_);
  if (!found)
    return error_reply(404, found.error().kind, found.error().what, found.error().why, found.error().advice);
  const Serving& serving = **found;
  const Placed& placement = serving.pool.placement;
  if (what == "map") {
    const Cluster cluster = cluster_of(serving.pool);
    const std::string map = imported_map(cluster, {&serving.pool.source, 1});
    return json_reply(dump(import_json(cluster, map)));
  }
  if (what == "ownership") return json_reply(ownership_of(*found));
  if (what == "fingerprint") return json_reply(dump(fingerprint_json(placement.prints())));
  std::vector<std::string> keys;
  for (const auto& [name, value] : request.query)
    if (name == "key") keys.push_back(value);
  if (what == "ring")
    return json_reply(
        ring_json(placement, most_arcs, keys.empty() ? std::nullopt : std::optional(keys[0])).dump());
  if (keys.empty())
    return error_reply(400, ErrorKind::input, "", "no key is given", "add ?key=KEY, percent-encoded");
  if (what == "locate") return json_reply(locate_json(placement, keys));
  return json_reply(dump(explain_json(placement, explain(placement, keys.front(), {}))));
}

// Random rings stand for chance in it, which take their time; the answer is the same for the same map.
std::string Admin::ownership_of(const std::shared_ptr<const Serving>& serving) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = ownerships_.find(serving); found != ownerships_.end()) return found->second;
  }
  const Placement& placement = serving->pool.placement;
  const std::string body = dump(ownership_json(cluster_of(serving->pool), placement, ownership(placement),
                                               by_chance(placement, chance_seed)));
  const std::lock_guard lock(mutex_);
  if (ownerships_.size() >= kept_ownerships) ownerships_.clear();
  ownerships_[serving] = body;
  return body;
}

HttpReply Admin::change(const HttpRequest& request) {
  const auto found = pool_of(request, reload_);
  if (!found)
    return error_reply(404, found.error().kind, found.error().what, found.error().why, found.error().advice);
  if (a_form_could_send(request.content_type))
    return error_reply(415, ErrorKind::input, request.content_type, "a map is not sent as a form",
                       "send it with Content-Type: application/yaml");
  const bool apply = request.param("apply") == "1";
  const std::string expected(request.param("expect"));
  if (apply && settings_.token.empty())
    return error_reply(403, ErrorKind::refused, "", "this router applies no change that comes by HTTP",
                       "start it with --admin-token FILE, or put the map in its file's place");
  if (apply && !same_secret(request.authorization, "Bearer " + settings_.token))
    return error_reply(401, ErrorKind::refused, "", "the token is missing or wrong",
                       "send Authorization: Bearer TOKEN");
  if (apply && expected.empty())
    return error_reply(400, ErrorKind::input, "", "the change does not say which map it was made from",
                       "add expect=FINGERPRINT, which the plan without apply=1 gives as `before`");
  auto next = with_map((*found)->pool, request.body);
  if (!next) return error_reply(next.error());
  const auto epoch = next->placement.map().epoch();
  const auto done = reload_.follow(std::move(*next), expected, apply);
  if (!done) return error_reply(done.error());
  Json json = diff_json("change", *done, 0);
  json["pool"] = (*found)->pool.name;
  json["epoch_before"] = or_null((*found)->served.epoch);
  json["epoch_after"] = or_null(epoch);
  json["applied"] = apply;
  return json_reply(dump(json));
}

HttpReply Admin::health(const HttpRequest& request, const std::vector<std::string>& because) {
  const bool well = because.empty();
  const char* word = request.path == "/readyz" ? (well ? "ready" : "not ready") : (well ? "ok" : "not well");
  if (wants_json(request)) {
    Json json = arcwise::answer(request.path == "/readyz" ? "ready" : "health");
    json["ok"] = well;
    json["because"] = because;
    return json_reply(dump(json), well ? 200 : 503);
  }
  std::string text = std::string(word) + "\n";
  for (const std::string& one : because) text += one + "\n";
  return text_reply(text, well ? 200 : 503);
}

std::vector<std::string> Admin::not_healthy() const {
  const auto silence = std::chrono::duration_cast<std::chrono::seconds>(board_.silence());
  if (silence < stuck_after) return {};
  return {"a thread that serves clients has said nothing for " + std::to_string(silence.count()) + " s"};
}

std::vector<std::string> Admin::not_ready() const {
  std::vector<std::string> because;
  if (ending_()) because.push_back("the router is ending: it takes no new clients");
  const auto view = lookout_.view();
  if (!view) return {"the router has just started, and counts its map's ranges"};
  for (const PoolView& pool : view->pools) {
    const auto away =
        std::count_if(pool.nodes.begin(), pool.nodes.end(), [](const auto& n) { return n.away; });
    if (!pool.nodes.empty() && static_cast<std::size_t>(away) == pool.nodes.size())
      because.push_back("pool " + pool.serving->pool.name + ": none of its " +
                        std::to_string(pool.nodes.size()) + " nodes answers; " + pool.nodes[0].stats.name +
                        ": " + pool.nodes[0].words);
  }
  return because;
}

// Of one view it is the same for all who watch.
std::shared_ptr<const std::string> Admin::frame() {
  auto view = lookout_.view();
  const std::lock_guard lock(mutex_);
  if (!frame_ || framed_ != view) {
    frame_ = std::make_shared<const std::string>(
        view ? view_json(*view).dump(-1, ' ', false, Json::error_handler_t::replace) : "{}");
    framed_ = std::move(view);
  }
  return frame_;
}

HttpReply Admin::page() {
  const std::string nonce = random_hex();
  std::string text(page_text);
  for (std::size_t at = text.find(page_nonce); at != text.npos; at = text.find(page_nonce, at))
    text.replace(at, page_nonce.size(), nonce);
  HttpReply reply = json_reply(std::move(text));
  reply.type = "text/html; charset=utf-8";
  reply.headers = {{"Content-Security-Policy",
                    "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce +
                        "'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                        "frame-ancestors 'none'"},
                   {"Referrer-Policy", "no-referrer"},
                   {"X-Frame-Options", "DENY"}};
  return reply;
}

}  // namespace arcwise::router
