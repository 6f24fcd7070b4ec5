#include "cli/check_keys.hpp"

#include <algorithm>

#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t most_rows = 20;

std::vector<NodeIndex> fullest_first(const KeySpread& spread) {
  std::vector<NodeIndex> order;
  for (std::size_t n = 0; n < spread.nodes.size(); ++n)
    if (spread.nodes[n].target > 0 || spread.nodes[n].keys > 0) order.push_back(static_cast<NodeIndex>(n));
  std::sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
    const double first = spread.nodes[a].ratio(), second = spread.nodes[b].ratio();
    return first != second ? first > second : a < b;
  });
  return order;
}

}  // namespace

Json keys_json(const KeySpread& spread, const ClusterMap& map) {
  Json json = {{"keys", spread.keys}, {"distinct", spread.distinct}, {"sampled", spread.sampled}};
  json["unowned"] = spread.unowned;
  json["max_over_target"] = spread.fullest == no_node ? 0 : spread.nodes[spread.fullest].ratio();
  json["fullest"] = spread.fullest == no_node ? Json(nullptr) : Json(map.nodes()[spread.fullest].name);
  json["factors"] = {{"weights", spread.factors.weights},
                     {"arcs", spread.factors.arcs},
                     {"hash_pattern", spread.factors.hash_pattern},
                     {"hot_keys", spread.factors.hot_keys}};
  json["pattern_sigma"] = spread.pattern_sigma;
  json["parts"] = spread.parts;
  json["parts_hit"] = spread.parts_hit;
  json["nodes"] = Json::array();
  for (std::size_t n = 0; n < spread.nodes.size(); ++n) {
    const KeySpread::Node& node = spread.nodes[n];
    json["nodes"].push_back({{"name", map.nodes()[n].name},
                             {"keys", node.keys},
                             {"share", node.share},
                             {"distinct_share", node.distinct_share},
                             {"hash_share", node.hash_share},
                             {"point_share", node.point_share},
                             {"target_share", node.target},
                             {"ratio", node.ratio()}});
  }
  json["hottest"] = Json::array();
  for (const KeySpread::HotKey& hot : spread.hottest)
    json["hottest"].push_back(
        {{"key", hot.key},
         {"count", hot.count},
         {"node", hot.node == no_node ? Json(nullptr) : Json(map.nodes()[hot.node].name)}});
  return json;
}

std::string keys_text(const KeySpread& spread, const ClusterMap& map, bool colour) {
  std::string out = counted(spread.keys, "key", "keys") + ", " + (spread.sampled ? "about " : "") +
                    counted(spread.distinct) + " distinct, by first owner\n";
  const std::vector<NodeIndex> order = fullest_first(spread);
  Table table({{"node"},
               {"keys", true},
               {"share", true},
               {"target", true},
               {"of target", true},
               {"of hash space", true}});
  for (std::size_t i = 0; i < std::min(order.size(), most_rows); ++i) {
    const KeySpread::Node& node = spread.nodes[order[i]];
    table.row({map.nodes()[order[i]].name, counted(node.keys), per_cent(node.share, 1),
               per_cent(node.target, 1), times(node.ratio()), per_cent(node.hash_share, 1)});
  }
  if (order.size() > most_rows) table.note("… " + counted(order.size() - most_rows) + " more");
  out += table.text(colour);
  if (spread.fullest == no_node) return out;
  const KeySpread::Factors& f = spread.factors;
  return out + "causes at " + map.nodes()[spread.fullest].name + ": weights " + times(f.weights) + ", arcs " +
         times(f.arcs) + ", hash and key pattern " + times(f.hash_pattern) + ", hot keys " +
         times(f.hot_keys) + '\n';
}

}  // namespace arcwise::cli
