#include "arcwise/check.hpp"
#include "place/scheme.hpp"

namespace arcwise {

Explanation explain(const Placement& placement, std::string_view key, const NodeMask& mask) {
  Explanation out;
  out.key = key;
  out.routing_key = placement.routing_key(key);
  out.hash = placement.hash(key);
  if (placement.traits().enumerable) out.region = placement.region(placement.region_at(out.hash));
  placement.trace({key, out.hash, mask}, [&](Token token, NodeIndex node, Verdict verdict) {
    out.candidates.push_back({token, node, verdict});
    if (verdict != Verdict::taken && verdict != Verdict::taken_repeat) return;
    if (out.owners.empty()) out.point_bytes = point_bytes_at(placement.map(), node, token).value_or("");
    out.owners.push_back(node);
  });
  return out;
}

}  // namespace arcwise
