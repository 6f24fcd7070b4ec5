#include "study/simulate_ring.hpp"

#include <algorithm>
#include <cmath>

namespace arcwise {

RandomRing::RandomRing(const std::vector<std::uint64_t>& tokens) {
  for (std::size_t n = 0; n < tokens.size(); ++n)
    labels_.insert(labels_.end(), tokens[n], static_cast<NodeIndex>(n));
  unsigned bucket_bits = 0;
  while (bucket_bits < 26 && (labels_.size() >> bucket_bits) > 4) ++bucket_bits;
  bucket_shift_ = 53 - bucket_bits;
  drawn_.resize(labels_.size());
  starts_.resize((std::size_t{1} << bucket_bits) + 1);
  points_.resize(labels_.size());
}

// Uniform positions fill buckets of leading bits evenly, four to eight each: one counting pass puts every
// point into its bucket, and insertion then moves each by a few places at most.
void RandomRing::draw(Rng& rng) {
  std::fill(starts_.begin(), starts_.end(), 0);
  for (std::int64_t& at : drawn_) {
    at = static_cast<std::int64_t>(rng.next() >> 11);
    ++starts_[static_cast<std::size_t>(at >> bucket_shift_) + 1];
  }
  for (std::size_t b = 1; b < starts_.size(); ++b) starts_[b] += starts_[b - 1];
  for (std::size_t i = 0; i < drawn_.size(); ++i)
    points_[starts_[static_cast<std::size_t>(drawn_[i] >> bucket_shift_)]++] = {drawn_[i], labels_[i]};
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const Point point = points_[i];
    std::size_t place = i;
    for (; place > 0 && points_[place - 1].at > point.at; --place) points_[place] = points_[place - 1];
    points_[place] = point;
  }
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  // 0.07 * 100 is a little more than 7: without the allowance it would ask for the eighth of a hundred.
  const double rank = std::ceil(q * static_cast<double>(values.size()) - 1e-9);
  return values[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

}  // namespace arcwise
