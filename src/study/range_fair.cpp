#include "study/range_fair.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "model/build.hpp"

namespace arcwise {
namespace {

// `total` in proportion to weights, nobody more than `cap`: what a heavy one cannot take goes to the others.
std::vector<double> capped(const std::vector<double>& weights, double total, double cap) {
  std::vector<double> out(weights.size());
  std::vector<bool> full(weights.size());
  for (std::size_t round = 0; round <= weights.size(); ++round) {
    double left = total, open = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      left -= full[i] ? cap : 0;
      open += full[i] ? 0 : weights[i];
    }
    bool again = false;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (full[i]) continue;
      out[i] = open > 0 ? std::max(0.0, left) * weights[i] / open : 0;
      if (out[i] <= cap * (1 + 1e-12)) continue;
      out[i] = cap;
      full[i] = again = true;
    }
    if (!again) break;
  }
  return out;
}

// Nodes that share one lot of copies: all, or those of a zone where zones have counts of their own.
struct Lot {
  double held = 0;         ///< bytes, of all copies
  double once = 0;         ///< bytes of one copy of everything
  std::size_t copies = 0;  ///< of one range
  std::map<std::string, std::vector<NodeIndex>> domains;
};

void spread(const ClusterMap& map, const Lot& lot, std::vector<Load>& fair) {
  std::vector<double> weights;
  for (const auto& [name, members] : lot.domains) {
    double weight = 0;
    for (NodeIndex n : members) weight += map.nodes()[n].weight;
    weights.push_back(weight);
  }
  const bool apart = lot.copies <= lot.domains.size();
  const std::vector<double> shares = capped(weights, lot.held, apart ? lot.once : lot.held);
  std::size_t d = 0;
  for (const auto& [name, members] : lot.domains) {
    std::vector<double> own;
    for (NodeIndex n : members) own.push_back(map.nodes()[n].weight);
    const std::vector<double> parts = capped(own, shares[d++], lot.once);
    for (std::size_t i = 0; i < members.size(); ++i) fair[members[i]].bytes = parts[i];
  }
}

std::vector<bool> takers(const ClusterMap& map, const std::vector<Piece>& pieces, const NodeSet& frozen) {
  std::vector<bool> first(map.nodes().size());
  for (const Piece& piece : pieces)
    if (!piece.owners.empty()) first[piece.owners.front()] = true;
  std::vector<bool> takes(map.nodes().size());
  const bool shards = range_rules(map).shards;
  for (NodeIndex n = 0; n < map.nodes().size(); ++n) {
    const Node& node = map.nodes()[n];
    takes[n] =
        node.state == NodeState::normal && node.weight > 0 && !frozen.contains(n) && (first[n] || !shards);
  }
  return takes;
}

}  // namespace

std::vector<Load> node_loads(const std::vector<Piece>& pieces, std::size_t nodes) {
  std::vector<Load> out(nodes);
  for (const Piece& piece : pieces) {
    for (NodeIndex n : piece.owners) out[n].bytes += piece.load.bytes;
    if (!piece.owners.empty()) out[piece.owners.front()].requests += piece.load.requests;
  }
  return out;
}

FairShares fair_shares(const ClusterMap& map, const std::vector<Piece>& pieces, const NodeSet& frozen) {
  FairShares out{takers(map, pieces, frozen), std::vector<Load>(map.nodes().size())};
  const Across across = map.replicas().across;
  const bool zones = !map.replicas().per_zone.empty();
  std::map<std::string, Lot> lots;
  double requests = 0, weights = 0;
  for (NodeIndex n = 0; n < map.nodes().size(); ++n)
    if (out.takes[n]) {
      const Node& node = map.nodes()[n];
      lots[zones ? node.zone : ""].domains[group_name(node, across)].push_back(n);
      weights += node.weight;
    }
  for (const Piece& piece : pieces) {
    std::map<std::string, std::size_t> copies;
    for (std::size_t i = 0; i < piece.owners.size(); ++i) {
      const NodeIndex n = piece.owners[i];
      if (!out.takes[n]) continue;
      if (i == 0) requests += piece.load.requests;
      ++copies[zones ? map.nodes()[n].zone : ""];
    }
    for (const auto& [zone, count] : copies) {
      Lot& lot = lots[zone];
      lot.held += static_cast<double>(count) * piece.load.bytes;
      lot.once += piece.load.bytes;
      lot.copies = std::max(lot.copies, count);
    }
  }
  for (const auto& [zone, lot] : lots) spread(map, lot, out.fair);
  for (NodeIndex n = 0; n < map.nodes().size(); ++n)
    if (out.takes[n]) out.fair[n].requests = requests * map.nodes()[n].weight / weights;
  return out;
}

}  // namespace arcwise
