// A placement with its fingerprints: found once where the map is compiled, for to find them again takes as
// long as to compile it.
//
// Layer: router.
#pragma once

#include <memory>
#include <utility>

#include "arcwise/check.hpp"
#include "arcwise/placement.hpp"

namespace arcwise::router {

/// Cheap to copy, as a placement is.
class Placed : public Placement {
 public:
  explicit Placed(Placement placement)
      : Placement(std::move(placement)), prints_(std::make_shared<const Fingerprints>(fingerprints(*this))) {}
  const Fingerprints& prints() const noexcept { return *prints_; }

 private:
  std::shared_ptr<const Fingerprints> prints_;
};

}  // namespace arcwise::router
