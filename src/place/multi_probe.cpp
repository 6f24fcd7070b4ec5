#include "place/multi_probe.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "hash/splitmix.hpp"
#include "hash/xxh.hpp"

namespace arcwise {
namespace {

struct Point {
  std::uint64_t token;
  NodeIndex node;
};

class MultiProbe final : public Chooser {
 public:
  explicit MultiProbe(const ClusterMap& map)
      : probes_(static_cast<std::size_t>(map.placement().integer("probes"))) {
    for (NodeIndex n : owning_nodes(map)) {
      const Node& node = map.nodes()[n];
      const std::uint64_t count = token_count(node.weight, map.placement().tokens);
      for (std::uint64_t i = 0; i < count; ++i)
        points_.push_back({xxh3_64(node.label + ':' + std::to_string(i)), n});
    }
    std::sort(points_.begin(), points_.end(), [&](const Point& a, const Point& b) {
      return a.token != b.token ? a.token < b.token : map.nodes()[a.node].name < map.nodes()[b.node].name;
    });
  }

  // All walks clockwise at once: the next candidate is the token that is nearest to its own probe. So a
  // node that is skipped leaves exactly what a ring without it would give.
  void candidates(const Query& query, std::string_view, CandidateVisit visit) const noexcept override {
    std::array<Walk, max_probes> walks;
    Splitmix64 positions(static_cast<std::uint64_t>(query.hash.value));
    for (std::size_t i = 0; i < probes_; ++i) walks[i] = begin(positions.next());
    for (std::size_t left = probes_ * points_.size(); left > 0; --left) {
      Walk* nearest = nullptr;
      for (std::size_t i = 0; i < probes_; ++i)
        if (walks[i].left && (!nearest || walks[i].distance < nearest->distance)) nearest = &walks[i];
      if (!visit(points_[nearest->at].node)) return;
      advance(*nearest);
    }
  }

 private:
  struct Walk {
    std::uint64_t from, distance;
    std::size_t at, left;  ///< left: points that this walk has still to pass
  };
  Walk begin(std::uint64_t from) const noexcept {
    const auto at =
        std::lower_bound(points_.begin(), points_.end(), from,
                         [](const Point& p, std::uint64_t position) { return p.token < position; });
    const std::size_t i = at == points_.end() ? 0 : static_cast<std::size_t>(at - points_.begin());
    return {from, points_[i].token - from, i, points_.size()};
  }
  void advance(Walk& walk) const noexcept {
    walk.at = walk.at + 1 == points_.size() ? 0 : walk.at + 1;
    walk.distance = points_[walk.at].token - walk.from;
    --walk.left;
  }

  std::vector<Point> points_;
  std::size_t probes_;
};

}  // namespace

std::unique_ptr<const Chooser> multi_probe(const ClusterMap& map) {
  return std::make_unique<MultiProbe>(map);
}

}  // namespace arcwise
