// Views as JSON, for programs and for the page.
//
// Layer: router.
#pragma once

#include <string>
#include <vector>

#include "format/json_text.hpp"
#include "router/event.hpp"
#include "router/view.hpp"

namespace arcwise::router {

/// Everything about pools, nodes and peers but their events.
Json view_json(const View& view);
Json to_json(const Event& event);
Json events_json(const std::vector<Event>& events);
Json slow_json(const std::vector<Slow>& slow);
/// Each pool's fingerprints, for other routers.
Json fingerprints_json(const View& view);
/// What another router has answered to the same question. nullopt: it is no such answer.
std::optional<std::vector<PeerView::Map>> read_fingerprints(const std::string& body);
/// The circle as pieces with one first owner each, merged where neighbours have the same: where each ends
/// (0…1] and whose it is. Above `most` pieces it is looked at in so many places instead. Empty where the
/// recipe has no circle. With a key: where that stands.
Json ring_json(const Placement& placement, std::size_t most, const std::optional<std::string>& key);

/// "2026-11-30T21:09:00.123Z"
std::string utc(std::chrono::system_clock::time_point time);

}  // namespace arcwise::router
