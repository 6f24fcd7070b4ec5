#include "study/cause_sides.hpp"

#include <algorithm>
#include <map>

#include "place/methods.hpp"
#include "place/ring_points.hpp"

namespace arcwise {
namespace {

bool owns(const Node& node) {
  return node.state != NodeState::joining;
}

const std::string& name_of(const Node& node) {
  return node.name;
}
const std::string& address_of(const Node& node) {
  return node.address.empty() ? node.name : node.address;
}

std::vector<Common> by(const ClusterMap& a, const ClusterMap& b,
                       const std::string& (*identity)(const Node&)) {
  std::map<std::string_view, NodeIndex> found;
  for (std::size_t i = 0; i < b.nodes().size(); ++i)
    if (owns(b.nodes()[i])) found.emplace(identity(b.nodes()[i]), static_cast<NodeIndex>(i));
  std::vector<Common> out;
  for (std::size_t i = 0; i < a.nodes().size(); ++i) {
    if (!owns(a.nodes()[i])) continue;
    const auto at = found.find(identity(a.nodes()[i]));
    if (at == found.end()) continue;
    out.push_back({static_cast<NodeIndex>(i), at->second});
    found.erase(at);
  }
  return out;
}

// The common servers alone, in one order, so that neither other members nor list order show.
Result<ClusterMap> leveled(const Sides& sides, bool second, bool level, KeyHashId hash) {
  ClusterMap::Parts parts = (second ? sides.b : sides.a).parts();
  std::vector<Node> nodes;
  for (const Common& pair : sides.common) {
    nodes.push_back(parts.nodes[second ? pair.after : pair.before]);
    if (level) nodes.back().weight = 1;
  }
  parts.nodes = std::move(nodes);
  parts.replicas = ReplicaPolicy{};
  parts.placement.hash = hash;
  return ClusterMap::build(std::move(parts));
}

void add_listed(const Placement& placement, Layout& out) {
  const ClusterMap& map = placement.map();
  std::vector<NodeIndex> owners(placement.max_owners());
  for (std::size_t i = 0; i < placement.region_count(); ++i) {
    std::string row = "upto " + to_text(map.space(), placement.region(i).upto) + ":";
    const std::size_t count = placement.region_owners(i, {}, owners);
    for (std::size_t k = 0; k < count; ++k) row += " " + map.nodes()[owners[k]].name;
    out.rows.push_back(std::move(row));
  }
}

void add_ring(const ClusterMap& map, const Method& method, bool given, Layout& out) {
  out.counts.assign(map.nodes().size(), 0);
  if (given) out.tokens.resize(map.nodes().size());
  for (const RingPoint& point : ring_points(map, method)) {
    ++out.counts[point.node];
    if (given) out.tokens[point.node].push_back(point.token);
  }
}

// Places in the scheme's own order, so that a list that is sorted otherwise has the same turns.
void add_turns(const ClusterMap& map, const Scheme& scheme, const Method& method, Layout& out) {
  const auto slots = scheme.slots ? scheme.slots : method.slots;
  if (!slots) return;
  std::vector<NodeIndex> owner_of_slot;
  slots(map, owner_of_slot);
  const std::vector<NodeIndex> order = scheme.order(map);
  std::vector<std::uint32_t> place(map.nodes().size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint32_t>(i);
  for (NodeIndex n : owner_of_slot) out.turns.push_back(place[n]);
}

// Which buckets are out, in the order in which they went.
std::string removals(const ClusterMap& map) {
  std::string out;
  for (std::uint32_t bucket : map.placement().removed)
    out += (out.empty() ? "removed " : ", ") + std::to_string(bucket);
  return out.empty() ? "none removed" : out;
}

std::string span_text(const std::vector<std::uint64_t>& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return *least == *most ? std::to_string(*least) : std::to_string(*least) + " to " + std::to_string(*most);
}

}  // namespace

Sides::Sides(const Placement& x, const Placement& y)
    : before(x),
      after(y),
      a(x.map()),
      b(y.map()),
      scheme_a(scheme_of(a)),
      scheme_b(scheme_of(b)),
      common(by(a, b, name_of)) {
  if (common.empty()) {
    common = by(a, b, address_of);
    by_address = !common.empty();
  }
  const auto all = [&](const ClusterMap& map) {
    const auto owning = std::count_if(map.nodes().begin(), map.nodes().end(), owns);
    return static_cast<std::size_t>(owning) == common.size();
  };
  same_members = all(a) && all(b);
}

std::optional<ClusterMap> named_alike(const Placement& before, const Placement& after) {
  const Sides sides(before, after);
  if (!sides.by_address) return std::nullopt;
  ClusterMap::Parts parts = sides.b.parts();
  for (const Common& pair : sides.common) parts.nodes[pair.after].name = sides.a.nodes()[pair.before].name;
  const auto renamed = ClusterMap::build(std::move(parts));
  return renamed ? std::optional(*renamed) : std::nullopt;
}

Layout layout(const Sides& sides, bool second, bool level, KeyHashId hash) {
  const ClusterMap& whole = second ? sides.b : sides.a;
  const Scheme& scheme = second ? sides.scheme_b : sides.scheme_a;
  const Method& method = *find_method(scheme.method);
  Layout out;
  out.finds = scheme.finds;
  if (whole.placement().recipe->points == PointRule::table || method.partitions) {
    add_listed(second ? sides.after : sides.before, out);
    return out;
  }
  const auto map = leveled(sides, second, level, hash);
  if (!map) return out;  // a weight or a policy that only the whole list can have
  if (!scheme.by_place) {
    out.pattern = scheme.pattern;
    out.last = map->space().last;
  }
  if (scheme.hash) {
    const PointHash point_hash = scheme.hash(*map);
    out.hash = point_hash.name;
    out.words = point_hash.words;
  }
  if (method.is_ring()) add_ring(*map, method, whole.placement().given, out);
  if (whole.placement().recipe->points == PointRule::buckets) out.rows.push_back(removals(whole));
  if (scheme.by_place) add_turns(*map, scheme, method, out);
  return out;
}

std::optional<KeyHashId> uniting_hash(const Sides& sides) {
  for (KeyHashId hash : {sides.b.placement().hash, sides.a.placement().hash})
    if (layout(sides, false, true, hash) == layout(sides, true, true, hash)) return hash;
  return std::nullopt;
}

std::string describe(const Layout& layout) {
  if (layout.finds != finds_on_ring) return std::string(layout.finds);
  unsigned bits = 0;
  for (u128 rest = layout.last; rest; rest >>= 1) ++bits;
  std::string out =
      span_text(layout.counts) + " points a server on a ring of " + std::to_string(bits) + " bits";
  if (!layout.tokens.empty()) return out + ", as given";
  out += ": " + std::string(layout.hash) + " of " + std::string(layout.pattern);
  return layout.words > 1 ? out + ", " + std::to_string(layout.words) + " points each" : out;
}

std::vector<double> weights(const Sides& sides, bool second) {
  std::vector<double> out;
  for (const Common& pair : sides.common)
    out.push_back(second ? sides.b.nodes()[pair.after].weight : sides.a.nodes()[pair.before].weight);
  return out;
}

}  // namespace arcwise
