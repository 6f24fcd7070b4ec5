// A view as Prometheus reads it.
//
// Layer: router. The text format is a few lines of writing: names, help, labels and numbers.
#pragma once

#include <string>

#include "router/event_counts.hpp"
#include "router/view.hpp"

namespace arcwise::router {

std::string metrics_text(const View& view, const EventCounts& events);

}  // namespace arcwise::router
