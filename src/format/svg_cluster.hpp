// The picture of a cluster: its ring in arcs coloured by owner, and what each node holds against its target.
#pragma once

#include <string>

#include "arcwise/map.hpp"
#include "arcwise/ownership.hpp"
#include "arcwise/placement.hpp"

namespace arcwise {

enum class PictureKind : unsigned char { ring, ownership, both };

struct Picture {
  PictureKind kind = PictureKind::both;
  std::string title;
  std::string subtitle;
};

/// Well-formed, self-contained SVG. Rings of many ranges are drawn in 1,440 steps of a quarter of a degree.
std::string cluster_svg(const Placement& placement, const Ownership& ownership, const NodeSet& down,
                        const Picture& picture);

}  // namespace arcwise
