#include "router/metrics.hpp"

#include <cstdio>

namespace arcwise::router {
namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  double back = 0;
  // The shortest that reads back as the same.
  for (int digits = 1; digits < 17; ++digits) {
    char shorter[40];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
    if (std::sscanf(shorter, "%lf", &back) == 1 && back == value) return shorter;
  }
  return text;
}
std::string number(std::uint64_t value) {
  return std::to_string(value);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

/// One family after the other; a sample belongs to the one that was begun last.
class Writer {
 public:
  void family(const char* name, const char* type, const char* help) {
    name_ = name;
    out_ += "# HELP arcwise_" + name_ + ' ' + help + "\n# TYPE arcwise_" + name_ + ' ' + type + '\n';
  }
  template <class Number>
  void sample(const std::string& labels, Number value, const char* suffix = "") {
    out_ += "arcwise_" + name_ + suffix;
    if (!labels.empty()) out_ += '{' + labels + '}';
    out_ += ' ' + number(value) + '\n';
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_, name_;
};

std::string label(const char* name, std::string_view value) {
  return std::string(name) + "=\"" + escaped(value) + '"';
}

double seconds(std::uint64_t us) {
  return static_cast<double>(us) / 1e6;
}

template <class Get>
void each_pool(Writer& out, const View& view, Get get) {
  for (const PoolView& pool : view.pools) out.sample(label("pool", pool.serving->pool.name), get(pool));
}

std::string node_labels(const PoolView& pool, const NodeView& node) {
  return label("pool", pool.serving->pool.name) + ',' + label("node", node.stats.name);
}

template <class Get>
void each_node(Writer& out, const View& view, Get get) {
  for (const PoolView& pool : view.pools)
    for (const NodeView& node : pool.nodes) out.sample(node_labels(pool, node), get(node));
}

template <class Get>
void each_share(Writer& out, const View& view, Get get) {
  for (const PoolView& pool : view.pools)
    for (std::size_t n = 0; n < pool.nodes.size(); ++n)
      out.sample(node_labels(pool, pool.nodes[n]), get(pool.ownership->nodes[n]));
}

template <class Get>
void each_measured(Writer& out, const View& view, Get get) {
  for (const PoolView& pool : view.pools)
    for (const NodeView& node : pool.nodes)
      if (const auto value = get(node.measured)) out.sample(node_labels(pool, node), *value);
}

void write_maps(Writer& out, const View& view) {
  out.family("map_info", "gauge", "The map that is served: its fingerprint and recipe, as labels.");
  for (const PoolView& pool : view.pools) {
    const Placed& placement = pool.serving->pool.placement;
    const ClusterMap& map = placement.map();
    out.sample(label("pool", pool.serving->pool.name) + ',' + label("cluster", map.cluster()) + ',' +
                   label("fingerprint", placement.prints().fingerprint) + ',' +
                   label("membership", placement.prints().membership) + ',' +
                   label("recipe", map.placement().recipe->name),
               std::uint64_t{1});
  }
  out.family("map_epoch", "gauge", "Epoch of the map that is served, where it has one.");
  for (const PoolView& pool : view.pools)
    if (const auto epoch = pool.serving->served.epoch)
      out.sample(label("pool", pool.serving->pool.name), *epoch);
  out.family("map_age_seconds", "gauge", "Time since the map was taken up.");
  each_pool(out, view, [&](const PoolView& p) {
    return std::chrono::duration<double>(view.at - p.serving->since).count();
  });
  out.family("ring_entries", "gauge", "Tokens on the ring, or slots of the table.");
  each_pool(out, view, [](const PoolView& p) { return p.ownership->ring_entries; });
  out.family("replica_sets", "gauge", "Distinct sets of owners (copysets).");
  each_pool(out, view, [](const PoolView& p) { return p.ownership->replica_sets; });
  out.family("node_share_ratio", "gauge", "Part of hash space that a node owns first.");
  each_share(out, view, [](const NodeOwnership& own) { return own.share.value(); });
  out.family("node_effective_share_ratio", "gauge",
             "Part of hash space that a node owns as any replica; sums to the replica count.");
  each_share(out, view, [](const NodeOwnership& own) { return own.effective.value(); });
  out.family("node_target_share_ratio", "gauge", "What the node's weight entitles it to.");
  each_share(out, view, [](const NodeOwnership& own) { return own.target; });
  out.family("node_tokens", "gauge", "Ring entries of a node.");
  each_share(out, view, [](const NodeOwnership& own) { return own.tokens; });
}

void write_traffic(Writer& out, const View& view) {
  out.family("clients", "gauge", "Connected clients.");
  each_pool(out, view, [](const PoolView& p) { return p.stats.clients; });
  out.family("requests_total", "counter", "Requests of clients.");
  each_pool(out, view, [](const PoolView& p) { return p.stats.requests; });
  out.family("request_errors_total", "counter", "Requests that the router answered with an error.");
  each_pool(out, view, [](const PoolView& p) { return p.stats.errors; });
  const auto counted = [&](const char* name, const char* help, std::uint64_t OverloadCounts::* which) {
    out.family(name, "counter", help);
    each_pool(out, view, [&](const PoolView& p) { return p.stats.overload.*which; });
  };
  counted("overflow_total", "Requests sent elsewhere, for the owner had its part of what is in flight.",
          &OverloadCounts::spilled);
  counted("queued_total", "Requests that waited for their turn at a node.", &OverloadCounts::waited);
  counted("refused_busy_total", "Requests refused because a node is busy.", &OverloadCounts::refused);
  counted("retries_total", "Reads asked again after a connection was lost.", &OverloadCounts::repeated);
  counted("coalesced_total", "Reads answered with the answer to another.", &OverloadCounts::shared);
  counted("refused_clients_total", "Connections refused.", &OverloadCounts::clients_refused);
  out.family("node_queued", "gauge", "Requests that wait for their turn at a node.");
  each_node(out, view, [](const NodeView& n) { return n.stats.queued; });
  out.family("elsewhere_requests_total", "counter",
             "Requests sent to another node than their key's owner, which was away.");
  each_pool(out, view, [](const PoolView& p) { return p.stats.elsewhere; });
  out.family("node_requests_total", "counter", "Requests sent to a node.");
  each_node(out, view, [](const NodeView& n) { return n.stats.requests; });
  out.family("node_errors_total", "counter", "Requests to a node that got no answer.");
  each_node(out, view, [](const NodeView& n) { return n.stats.failures; });
  out.family("node_timeouts_total", "counter", "How often a node was given up for its silence.");
  each_node(out, view, [](const NodeView& n) { return n.stats.timeouts; });
  out.family("node_hits_total", "counter", "Reads that found a value.");
  each_node(out, view, [](const NodeView& n) { return n.stats.hits; });
  out.family("node_misses_total", "counter", "Reads that found none.");
  each_node(out, view, [](const NodeView& n) { return n.stats.misses; });
  out.family("node_sent_bytes_total", "counter", "Bytes sent to a node.");
  each_node(out, view, [](const NodeView& n) { return n.stats.bytes_sent; });
  out.family("node_received_bytes_total", "counter", "Bytes received from a node.");
  each_node(out, view, [](const NodeView& n) { return n.stats.bytes_received; });
  out.family("node_in_flight", "gauge", "Requests that a node has not answered yet.");
  each_node(out, view, [](const NodeView& n) { return n.stats.in_flight; });
}

void write_states(Writer& out, const View& view) {
  out.family("node_up", "gauge", "1 unless the node does not answer.");
  each_node(out, view, [](const NodeView& n) { return std::uint64_t{!n.away}; });
  out.family("node_usable_ratio", "gauge", "Of a node's keys, the part that it is asked for.");
  for (const PoolView& pool : view.pools)
    for (const NodeView& node : pool.nodes) out.sample(node_labels(pool, node), node.stats.usable);
  out.family("node_state", "gauge", "1 for the state that the node is in.");
  for (const PoolView& pool : view.pools)
    for (const NodeView& node : pool.nodes)
      for (const ServerState state : {ServerState::idle, ServerState::connecting, ServerState::up,
                                      ServerState::silent, ServerState::stalled, ServerState::waiting})
        out.sample(node_labels(pool, node) + ',' + label("state", name_of(state)),
                   std::uint64_t{node.stats.state == state});
  out.family("node_stored_bytes", "gauge", "Bytes that a node says it holds.");
  each_measured(out, view, [](const Measured& m) { return m.bytes; });
  out.family("node_stored_items", "gauge", "Items that a node says it holds.");
  each_measured(out, view, [](const Measured& m) { return m.items; });
  out.family("node_limit_bytes", "gauge", "Bytes that a node says it may hold.");
  each_measured(out, view, [](const Measured& m) { return m.limit_bytes; });
}

void write_latency(Writer& out, const View& view) {
  out.family("node_latency_seconds", "histogram", "Time from a request's arrival to its node's answer.");
  for (const PoolView& pool : view.pools)
    for (const NodeView& node : pool.nodes) {
      const Latency& latency = node.stats.latency;
      const std::string labels = node_labels(pool, node);
      std::uint64_t count = 0;
      for (std::size_t i = 0; i < latency.counts.size(); ++i) {
        count += latency.counts[i];
        const bool last = i + 1 == latency.counts.size();
        const std::string upto = last ? "+Inf" : number(seconds((std::uint64_t{1} << i) - 1));
        out.sample(labels + ',' + label("le", upto), count, "_bucket");
      }
      out.sample(labels, seconds(latency.total), "_sum");
      out.sample(labels, count, "_count");
    }
}

void write_router(Writer& out, const View& view, const EventCounts& events) {
  out.family("uptime_seconds", "gauge", "Time since the router started.");
  out.sample("", std::chrono::duration<double>(view.at - view.started).count());
  out.family("events_total", "counter", "Events that the log tells, by severity.");
  for (const Severity severity : {Severity::note, Severity::warning, Severity::alarm})
    out.sample(label("severity", name_of(severity)), events.of(severity));
  if (view.peers.empty()) return;
  out.family("peer_up", "gauge", "1 where another router answers.");
  for (const PeerView& peer : view.peers)
    out.sample(label("peer", peer.address), std::uint64_t{peer.why.empty()});
  out.family("peer_differs", "gauge", "Pools for which another router serves another map.");
  for (const PeerView& peer : view.peers)
    out.sample(label("peer", peer.address), std::uint64_t{peer.differing.size()});
}

}  // namespace

std::string metrics_text(const View& view, const EventCounts& events) {
  Writer out;
  write_maps(out, view);
  write_traffic(out, view);
  write_states(out, view);
  write_latency(out, view);
  write_router(out, view, events);
  return out.take();
}

}  // namespace arcwise::router
