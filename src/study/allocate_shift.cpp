#include "study/allocate_shift.hpp"

#include <algorithm>
#include <map>

#include "study/allocate_targets.hpp"

namespace arcwise {
namespace {

constexpr double room_used = 0.9;      // of an arc, at most: no arc vanishes
constexpr double worth_moving = 1e-5;  // of what is fair

/// Token `index` moved by `backwards` or forwards takes from `loser` and gives to `gainer`, within `room`.
struct Step {
  std::size_t index = 0;
  bool backwards = true;
  std::uint32_t gainer = 0;
  double room = 0;
};

class Shifter {
 public:
  explicit Shifter(AllocationRing& ring) : ring_(ring), held_(held_by_unit(ring)), fair_(fair_shares(ring)) {}
  Shifted run(double budget);

 private:
  double ratio(std::uint32_t unit) const { return held_[unit] / fair_[unit]; }
  double arc(std::size_t i) const {
    const std::size_t before = i == 0 ? ring_.tokens.size() - 1 : i - 1;
    return static_cast<double>(ring_.tokens[i].at - ring_.tokens[before].at) * 0x1p-64;
  }
  std::vector<std::uint32_t> owners(std::size_t i) const;
  bool better_relief(std::uint32_t unit, Step& best) const;
  void consider(std::uint32_t unit, std::size_t moved, bool backwards, const std::vector<std::uint32_t>& was,
                const std::vector<std::uint32_t>& becomes, Step& best) const;
  void move(const Step& step, double length);

  AllocationRing& ring_;
  std::vector<double> held_, fair_;
  std::map<std::size_t, std::uint64_t> from_;  ///< by index, of the tokens that were shifted
};

std::vector<std::uint32_t> Shifter::owners(std::size_t i) const {
  std::vector<std::uint32_t> out;
  for (std::size_t step = 0; step < ring_.tokens.size() && out.size() < ring_.replicas; ++step) {
    const std::uint32_t unit = ring_.tokens[(i + step) % ring_.tokens.size()].unit;
    const bool met =
        std::any_of(out.begin(), out.end(), [&](auto u) { return ring_.group[u] == ring_.group[unit]; });
    if (!met) out.push_back(unit);
  }
  return out;
}

// The part of an arc that changes hands had the owners `was`. Only a trade of the fullest for another helps.
void Shifter::consider(std::uint32_t unit, std::size_t moved, bool backwards,
                       const std::vector<std::uint32_t>& was, const std::vector<std::uint32_t>& becomes,
                       Step& best) const {
  const auto has = [](const std::vector<std::uint32_t>& list, std::uint32_t u) {
    return std::find(list.begin(), list.end(), u) != list.end();
  };
  if (!has(was, unit) || has(becomes, unit)) return;
  const std::size_t shrinking = backwards ? moved : (moved + 1) % ring_.tokens.size();
  const double room = room_used * arc(shrinking);
  for (std::uint32_t gainer : becomes) {
    if (has(was, gainer) || room < worth_moving * fair_[unit]) continue;
    if (best.room == 0 || ratio(gainer) < ratio(best.gainer)) best = {moved, backwards, gainer, room};
  }
}

// A token that steps back leaves the end of its arc to the walk from the next token; one that steps forwards
// puts its unit in front of the walk for the beginning of the next arc.
bool Shifter::better_relief(std::uint32_t unit, Step& best) const {
  const std::size_t count = ring_.tokens.size();
  best = Step{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t next = (i + 1) % count;
    const auto here = owners(i), after = owners(next);
    consider(unit, i, true, here, after, best);
    consider(unit, i, false, after, here, best);
  }
  return best.room > 0 && ratio(best.gainer) < ratio(unit) - worth_moving;
}

void Shifter::move(const Step& step, double length) {
  HeldToken& token = ring_.tokens[step.index];
  from_.emplace(step.index, token.at);
  const auto distance = static_cast<std::uint64_t>(length * 0x1p64);
  token.at = step.backwards ? token.at - distance : token.at + distance;
}

Shifted Shifter::run(double budget) {
  Shifted out;
  for (std::size_t turn = 0; turn < 4 * held_.size() && out.moved < budget; ++turn) {
    std::uint32_t fullest = 0;
    double second = 0;
    for (std::uint32_t u = 1; u < held_.size(); ++u)
      if (ratio(u) > ratio(fullest)) fullest = u;
    for (std::uint32_t u = 0; u < held_.size(); ++u)
      if (u != fullest) second = std::max(second, ratio(u));
    Step step;
    if (ratio(fullest) < 1 + worth_moving || !better_relief(fullest, step)) break;
    // Down to a little below the second, and no further than where both would be level.
    const double level = (held_[fullest] + held_[step.gainer]) / (fair_[fullest] + fair_[step.gainer]);
    const double wanted = std::max(level, std::min(second, ratio(fullest)) - 1e-3);
    const double length =
        std::min({(ratio(fullest) - wanted) * fair_[fullest], step.room, budget - out.moved});
    move(step, length);
    held_[fullest] -= length;
    held_[step.gainer] += length;
    out.moved += length;
  }
  for (const auto& [index, from] : from_)
    out.shifts.push_back({ring_.tokens[index].unit, from, ring_.tokens[index].at});
  std::sort(ring_.tokens.begin(), ring_.tokens.end(), [](const HeldToken& a, const HeldToken& b) {
    return a.at < b.at;
  });  // one may have passed the top
  return out;
}

}  // namespace

Shifted shift_tokens(AllocationRing& ring, double budget) {
  return ring.tokens.size() < 2 ? Shifted{} : Shifter(ring).run(budget);
}

}  // namespace arcwise
