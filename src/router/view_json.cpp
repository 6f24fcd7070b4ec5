#include "router/view_json.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace arcwise::router {
namespace {

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}
double seconds_of_us(std::uint64_t us) {
  return static_cast<double>(us) / 1e6;
}

Json rates_json(const Rates& rates) {
  const bool known = rates.seconds > 0;
  return {{"seconds", rates.seconds},
          {"requests_per_second", known ? Json(rates.requests) : Json(nullptr)},
          {"errors_per_second", known ? Json(rates.failures) : Json(nullptr)},
          {"latency_p50_seconds", rates.p50_us ? Json(seconds_of_us(rates.p50_us)) : Json(nullptr)},
          {"latency_p99_seconds", rates.p99_us ? Json(seconds_of_us(rates.p99_us)) : Json(nullptr)},
          {"hit_ratio", or_null(rates.hit_ratio)}};
}

Json node_json(const Node& node, const NodeOwnership& own, const NodeView& view) {
  const ServerStats& s = view.stats;
  return {{"name", node.name},
          {"address", s.address},
          {"zone", node.zone},
          {"rack", node.rack},
          {"weight", node.weight},
          {"state", name_of(s.state)},
          {"away", view.away},
          {"words", view.words},
          {"since_seconds", seconds_of_us(s.since_us)},
          {"usable", s.usable},
          {"tokens", own.tokens},
          {"share", own.share.value()},
          {"effective_share", own.effective.value()},
          {"target_share", own.target},
          {"bytes", or_null(view.measured.bytes)},
          {"items", or_null(view.measured.items)},
          {"limit_bytes", or_null(view.measured.limit_bytes)},
          {"not_measured", view.measured.why},
          {"requests", s.requests},
          {"errors", s.failures},
          {"timeouts", s.timeouts},
          {"hits", s.hits},
          {"misses", s.misses},
          {"in_flight", s.in_flight},
          {"queued", s.queued},
          {"bytes_sent", s.bytes_sent},
          {"bytes_received", s.bytes_received},
          {"now", rates_json(view.rates)}};
}

Json pool_json(const PoolView& view, system_clock::time_point at) {
  const Pool& pool = view.serving->pool;
  const ClusterMap& map = pool.placement.map();
  const Ownership& own = *view.ownership;
  static constexpr std::string_view on_failure[] = {"error", "miss", "next", "gutter"};
  Json json = {{"pool", pool.name},
               {"protocol", pool.protocol == Protocol::redis ? "redis" : "memcached"},
               {"listen", pool.listen},
               {"cluster", map.cluster()},
               {"on_failure", on_failure[static_cast<std::size_t>(pool.failing.on_failure)]},
               {"recipe", map.placement().recipe->name},
               {"replicas", map.replicas().count},
               {"epoch", or_null(map.epoch())},
               {"fingerprint", pool.placement.prints().fingerprint},
               {"membership", pool.placement.prints().membership},
               {"map_since", utc(view.serving->since)},
               {"map_age_seconds", seconds(at - view.serving->since)},
               {"ring_entries", own.ring_entries},
               {"ranges", own.regions},
               {"replica_sets", own.replica_sets},
               {"max_over_target", own.balance.max_over_target},
               {"clients", view.stats.clients},
               {"requests", view.stats.requests},
               {"errors", view.stats.errors},
               {"elsewhere", view.stats.elsewhere},
               {"overflow", view.stats.overload.spilled},
               {"waited", view.stats.overload.waited},
               {"refused", view.stats.overload.refused},
               {"retried", view.stats.overload.repeated},
               {"coalesced", view.stats.overload.shared},
               {"clients_refused", view.stats.overload.clients_refused},
               {"now", rates_json(view.rates)}};
  json["nodes"] = Json::array();
  for (std::size_t n = 0; n < view.nodes.size(); ++n)
    json["nodes"].push_back(node_json(map.nodes()[n], own.nodes[n], view.nodes[n]));
  return json;
}

Json peer_json(const PeerView& peer) {
  Json json = {{"address", peer.address}, {"why", peer.why}, {"agrees", peer.differing.empty()}};
  json["differing"] = peer.differing;
  json["maps"] = Json::array();
  for (const PeerView::Map& map : peer.maps)
    json["maps"].push_back({{"pool", map.pool},
                            {"cluster", map.cluster},
                            {"fingerprint", map.fingerprint},
                            {"epoch", or_null(map.epoch)}});
  return json;
}

NodeIndex first_owner(const Placement& placement, std::size_t region) {
  std::array<NodeIndex, max_replicas> owners;
  return placement.region_owners(region, {}, owners) ? owners[0] : no_node;
}

}  // namespace

std::string utc(system_clock::time_point time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::time_t whole = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  gmtime_r(&whole, &parts);
  char text[32], out[48];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(out, sizeof out, "%s.%03dZ", text, static_cast<int>(ms % 1000));
  return out;
}

Json view_json(const View& view) {
  Json json = answer("backends");
  json["time"] = utc(view.at);
  json["uptime_seconds"] = seconds(view.at - view.started);
  json["pools"] = Json::array();
  for (const PoolView& pool : view.pools) json["pools"].push_back(pool_json(pool, view.at));
  json["peers"] = Json::array();
  for (const PeerView& peer : view.peers) json["peers"].push_back(peer_json(peer));
  return json;
}

Json to_json(const Event& event) {
  return {{"number", event.number}, {"time", utc(event.when)}, {"severity", name_of(event.severity)},
          {"name", event.name},     {"pool", event.pool},      {"server", event.server},
          {"text", event.text}};
}

Json events_json(const std::vector<Event>& events) {
  Json json = answer("events");
  json["events"] = Json::array();
  for (const Event& event : events) json["events"].push_back(to_json(event));
  return json;
}

Json slow_json(const std::vector<Slow>& slow) {
  Json json = answer("slowlog");
  json["slow"] = Json::array();
  for (const Slow& one : slow)
    json["slow"].push_back({{"time", utc(one.when)},
                            {"pool", one.pool},
                            {"server", one.server},
                            {"request", one.request},
                            {"seconds", seconds_of_us(one.us)}});
  return json;
}

Json fingerprints_json(const View& view) {
  Json json = answer("fingerprints");
  json["pools"] = Json::array();
  for (const PoolView& pool : view.pools)
    json["pools"].push_back({{"pool", pool.serving->pool.name},
                             {"cluster", pool.serving->served.cluster},
                             {"fingerprint", pool.serving->served.fingerprint},
                             {"epoch", or_null(pool.serving->served.epoch)}});
  return json;
}

std::optional<std::vector<PeerView::Map>> read_fingerprints(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || json.value("schema", Json()) != "arcwise/fingerprints/v1") return std::nullopt;
  std::vector<PeerView::Map> out;
  for (const Json& one : json.value("pools", Json::array())) {
    if (!one.is_object()) return std::nullopt;
    const auto text = [&](const char* key) {
      const Json value = one.value(key, Json());
      return value.is_string() ? value.get<std::string>() : std::string();
    };
    PeerView::Map& map = out.emplace_back();
    map.pool = text("pool");
    map.cluster = text("cluster");
    map.fingerprint = text("fingerprint");
    const Json epoch = one.value("epoch", Json());
    if (epoch.is_number_unsigned()) map.epoch = epoch.get<std::uint64_t>();
  }
  return out;
}

Json ring_json(const Placement& placement, std::size_t most, const std::optional<std::string>& key) {
  Json json = answer("ring");
  if (key && placement.traits().enumerable)
    json["at"] = share_upto(placement.map().domain(), {placement.hash(*key).value}).value();
  json["exact"] = true;
  json["arcs"] = Json::array();
  if (!placement.traits().enumerable || placement.region_count() == 0) return json;
  const auto at = [&](Token token) { return share_upto(placement.map().domain(), token).value(); };
  std::vector<std::pair<double, NodeIndex>> arcs;
  for (std::size_t i = 0; i < placement.region_count(); ++i) {
    const NodeIndex node = first_owner(placement, i);
    if (!arcs.empty() && arcs.back().second == node) arcs.pop_back();
    arcs.emplace_back(at(placement.region(i).upto), node);
  }
  if (arcs.size() > most) {  // whose each of so many places is
    std::vector<std::pair<double, NodeIndex>> places;
    std::size_t i = 0;
    for (std::size_t place = 1; place <= most; ++place) {
      const double end = static_cast<double>(place) / static_cast<double>(most);
      while (i < arcs.size() && arcs[i].first < end) ++i;
      const NodeIndex node =
          arcs[i < arcs.size() ? i : 0].second;  // behind the last piece, the first goes on
      if (!places.empty() && places.back().second == node) places.pop_back();
      places.emplace_back(end, node);
    }
    arcs.swap(places);
    json["exact"] = false;
  }
  for (const auto& [end, node] : arcs)
    json["arcs"].push_back({end, node == no_node ? Json(nullptr) : Json(node)});
  return json;
}

}  // namespace arcwise::router
