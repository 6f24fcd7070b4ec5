// The ring itself: one band for each copy, arcs of one node merged into one path.
#pragma once

#include <string>
#include <vector>

#include "arcwise/map.hpp"
#include "arcwise/placement.hpp"
#include "format/svg_canvas.hpp"

namespace arcwise {

struct RingShape {
  Point centre;
  double radius = 0;
};

/// Draws the bands; returns the radius that is left free inside them.
double draw_ring(SvgCanvas& canvas, const Placement& placement, const NodeSet& down,
                 const std::vector<std::string>& colours, const RingShape& shape);

/// Whether draw_ring() samples the ring at its steps instead of drawing every range.
bool ring_is_sampled(const Placement& placement);

}  // namespace arcwise
