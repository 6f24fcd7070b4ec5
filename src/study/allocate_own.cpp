// Arcwise's allocator: places for the joiner's tokens that leave every unit near what it should hold, and the
// ring in pieces that later joins can work with.
//
// Searched greedily, then token by token, then by moving a few at once. The score is a sum of squares, so the
// best length within a range is the bottom of a parabola; only the largest excess, which counts on top, is
// left to the comparison of whole solutions.
#include <algorithm>
#include <limits>

#include "study/allocate_field.hpp"
#include "study/allocate_targets.hpp"
#include "study/rng.hpp"

namespace arcwise {
namespace {

using Id = TokenField::Id;

// Tuned by growing clusters from 1 to 100 nodes with 4 to 32 tokens each.
struct Tuning {
  double evenness;  ///< of ranges against that of units, per token
  double excess;    ///< of the largest excess against the sum of squares
};
// With one copy any range can be cut, so that their lengths matter little.
Tuning tuning_for(std::uint32_t replicas, double tokens) {
  return replicas > 1 ? Tuning{0.005 + 0.06 / tokens, 10} : Tuning{0.001, 20};
}

/// How long to search: thoroughly on a ring of up to a hundred nodes or so, where every token counts, and
/// well up to three hundred.
struct Effort {
  std::size_t shortlist, rounds, trials;
};
constexpr std::uint32_t large = 128, very_large = 300;
Effort effort_for(const AllocationRing& ring, const Joiner& joiner) {
  const std::size_t tokens = joiner.tokens, units = ring.units();
  if (units > very_large || (units > large && ring.replicas == 1))
    return {std::max<std::size_t>(256, 8 * tokens), 1, 0};
  const std::size_t most = 1024 / (tokens * tokens);
  if (units > large)
    return {std::max<std::size_t>(256, 16 * tokens), 2, std::clamp<std::size_t>(most / 2, 2, 64)};
  if (ring.replicas == 1)
    return {std::max<std::size_t>(1024, 32 * tokens), 6, std::clamp<std::size_t>(640 / tokens, 5, 40)};
  return {std::max<std::size_t>(256, 32 * tokens), 3, std::clamp<std::size_t>(most, 5, 64)};
}

constexpr std::size_t moved_at_once = 2;
constexpr double relief_counts = 256;  // as much as so many other units: it is what was asked for
constexpr double fullest_first =
    2.5;  // where a joiner reaches few of many: how much more the fuller ones count
constexpr double hopeless = std::numeric_limits<double>::infinity();
constexpr double shortest_cut = 0x1p-60;  // of a range that has room for a token on either side

class Search {
 public:
  Search(const AllocationRing& ring, const Joiner& joiner);
  std::vector<std::uint64_t> run(const AllocationRing& ring);

 private:
  struct Spot {
    double score;
    Id id;
    double length;
  };
  Spot spot(Id id, double joiner_wanted) const;
  Spot best(double joiner_wanted) const;
  template <class Cost>
  void keep_cheapest(std::size_t most, Cost cost_of);
  void shorten(const AllocationRing& ring);
  void put(double joiner_wanted);
  bool descend();
  void shake(Rng& rng);
  double score() const;
  std::vector<std::uint64_t> chosen() const;
  void restore(const std::vector<std::uint64_t>& tokens);

  Effort effort_;
  TokenField field_;
  Targets targets_;
  std::vector<double> scale_;  ///< 1 / fair²
  std::size_t tokens_;
  double evenness_, excess_;
  std::vector<Id> list_;  ///< ranges of the ring worth cutting
};

Search::Search(const AllocationRing& ring, const Joiner& joiner)
    : effort_(effort_for(ring, joiner)),
      field_(ring, joiner.group),
      targets_(targets_of(ring, joiner, field_.held())),
      tokens_(joiner.tokens) {
  for (double fair : targets_.fair) scale_.push_back(1 / (fair * fair));
  if (joiner.relieved != Joiner::nobody) scale_[joiner.relieved] *= relief_counts;
  if (ring.replicas > 1 && ring.units() > large)
    for (std::uint32_t u = 0; u < ring.units(); ++u) {
      const double over = (field_.held(u) - targets_.wanted[u]) / targets_.fair[u];
      scale_[u] *= 1 + fullest_first * static_cast<double>(tokens_) * std::max(over, 0.0);
    }
  const double ranges = static_cast<double>(ring.tokens.size() + tokens_);
  const Tuning tuning = tuning_for(ring.replicas, joiner.tokens);
  evenness_ = tuning.evenness / static_cast<double>(tokens_) * ranges * ranges;
  excess_ = tuning.excess;
  for (Id id = 0; id < ring.tokens.size(); ++id) {
    const std::uint32_t unit = ring.tokens[id].unit;
    if (ring.replicas > 1 || targets_.wanted[unit] != field_.held(unit)) list_.push_back(id);
  }
}

// The change of the score as a parabola in the length x that the new token takes: a x² + b x + c. Cutting a
// range of length L into x and L - x changes the sum of squared lengths by 2x² - 2Lx.
Search::Spot Search::spot(Id id, double joiner_wanted) const {
  const double whole = field_.length(id);
  if (whole < shortest_cut) return {hopeless, id, 0};
  double a = 2 * evenness_, b = -2 * evenness_ * whole, c = 0;
  bool joiner = true;
  for (const TokenField::Effect& e : field_.effects(id)) {
    const double off = field_.held(e.unit) - (joiner ? joiner_wanted : targets_.wanted[e.unit]);
    const double there = off + e.fixed, scale = scale_[e.unit];
    a += scale * e.per_length * e.per_length;
    b += scale * 2 * there * e.per_length;
    c += scale * (there * there - off * off);
    joiner = false;
  }
  const double x = std::clamp(-b / (2 * a), 0.02 * whole, 0.98 * whole);
  return {(a * x + b) * x + c, id, x};
}

Search::Spot Search::best(double joiner_wanted) const {
  Spot best{0, TokenField::none, 0};
  const auto consider = [&](Id id) {
    const Spot s = spot(id, joiner_wanted);
    if (best.id == TokenField::none || s.score < best.score) best = s;
  };
  for (Id id : list_) consider(id);
  for (Id id : field_.placed()) consider(id);
  return best;
}

void Search::put(double joiner_wanted) {
  const Spot s = best(joiner_wanted);
  field_.place(s.id, s.length);
}

// Keeps `most` of the list, those of the least cost, unless hardly any has a cost at all.
template <class Cost>
void Search::keep_cheapest(std::size_t most, Cost cost_of) {
  if (list_.size() <= most) return;
  std::vector<std::pair<double, Id>> kept;
  kept.reserve(list_.size());
  for (Id id : list_)
    if (const double cost = cost_of(id); cost < hopeless) kept.emplace_back(cost, id);
  if (kept.size() < most / 2) return;
  if (kept.size() > most) {
    std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(most), kept.end());
    kept.resize(most);
  }
  list_.clear();
  for (const auto& [cost, id] : kept) list_.push_back(id);
}

// First by the excess of the units that follow, which are those that a token here relieves; then by what a
// token does.
void Search::shorten(const AllocationRing& ring) {
  const std::size_t most = effort_.shortlist, size = ring.tokens.size();
  if (list_.size() > 4 * most) {
    std::vector<double> excess(ring.units());
    for (std::uint32_t u = 0; u < ring.units(); ++u)
      excess[u] = (field_.held(u) - targets_.wanted[u]) / targets_.fair[u];
    keep_cheapest(4 * most, [&](Id id) {
      double sum = 0;
      std::size_t at = id;
      for (std::uint32_t i = 0; i < ring.replicas; ++i, at = at + 1 == size ? 0 : at + 1)
        sum += excess[ring.tokens[at].unit];
      return sum > 0 ? -sum : hopeless;
    });
  }
  const double part = targets_.wanted.back() / static_cast<double>(tokens_);
  keep_cheapest(most, [&](Id id) { return spot(id, part).score; });
  std::sort(list_.begin(), list_.end());
}

// Every token once more, the others staying. false: none found a better place.
bool Search::descend() {
  bool moved = false;
  const std::vector<Id> placed(field_.placed().begin(), field_.placed().end());
  for (Id id : placed) {
    const std::uint64_t was = field_.at(id);
    field_.remove(id);
    put(targets_.wanted.back());
    const std::uint64_t now = field_.at(field_.placed().back());
    moved |= std::max(was, now) - std::min(was, now) > (std::uint64_t{1} << 40);
  }
  return moved;
}

// A few tokens out, one of them anywhere, the others where they fit best, and every token once more.
void Search::shake(Rng& rng) {
  const std::size_t moved = std::min(moved_at_once, tokens_);
  for (std::size_t i = 0; i < moved; ++i) field_.remove(field_.placed()[rng.below(field_.placed().size())]);
  if (moved > 1) {
    const Id id = list_[rng.below(list_.size())];
    field_.place(id, field_.length(id) / 2);
  }
  while (field_.placed().size() < tokens_)
    put(targets_.wanted.back() * static_cast<double>(field_.placed().size() + 1) /
        static_cast<double>(tokens_));
  descend();
}

double Search::score() const {
  double sum = 0, most = 0;
  for (std::size_t u = 0; u < scale_.size(); ++u) {
    const double off = field_.held(static_cast<std::uint32_t>(u)) - targets_.wanted[u];
    sum += scale_[u] * off * off;
    most = std::max(most, off / targets_.fair[u]);
  }
  return sum + excess_ * most * most + evenness_ * field_.roughness();
}

std::vector<std::uint64_t> Search::chosen() const {
  std::vector<std::uint64_t> out;
  for (Id id : field_.placed()) out.push_back(field_.at(id));
  return out;
}

void Search::restore(const std::vector<std::uint64_t>& tokens) {
  while (!field_.placed().empty()) field_.remove(field_.placed().back());
  for (std::uint64_t at : tokens) field_.place_at(at);
}

std::vector<std::uint64_t> Search::run(const AllocationRing& ring) {
  shorten(ring);
  for (std::size_t i = 1; i <= tokens_; ++i)
    put(targets_.wanted.back() * static_cast<double>(i) / static_cast<double>(tokens_));
  for (std::size_t i = 0; i < effort_.rounds && descend(); ++i) {
  }
  std::vector<std::uint64_t> kept = chosen();
  double least = score();
  Rng rng(field_.ring_tokens());
  for (std::size_t i = 0; i < effort_.trials; ++i) {
    shake(rng);
    if (const double now = score(); now < least) {
      least = now;
      kept = chosen();
    } else {
      restore(kept);
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace
std::vector<std::uint64_t> arcwise_tokens(const AllocationRing& ring, const Joiner& joiner) {
  if (!ring.tokens.empty()) return Search(ring, joiner).run(ring);
  std::vector<std::uint64_t> even;
  for (std::uint32_t i = 0; i < joiner.tokens; ++i)
    even.push_back(joiner.first + static_cast<std::uint64_t>((u128{i} << 64) / joiner.tokens));
  std::sort(even.begin(), even.end());
  return even;
}

}  // namespace arcwise
