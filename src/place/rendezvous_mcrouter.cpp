#include <cmath>
#include <string>

#include "hash/mix64.hpp"
#include "hash/murmur2.hpp"
#include "place/mcrouter.hpp"
#include "place/rendezvous.hpp"
#include "place/salted_key.hpp"

namespace arcwise {
namespace {

class Rendezvous : public Chooser {
 public:
  explicit Rendezvous(const ClusterMap& map)
      : nodes_(owning_nodes(map)), salt_(map.placement().text("salt")) {
    for (NodeIndex n : nodes_) {
      tags_.push_back(murmur2_64a(map.nodes()[n].label, furc_seed));
      weights_.push_back(map.nodes()[n].weight);
    }
  }

 protected:
  std::uint64_t key_hash_of(std::string_view key) const noexcept {
    return salt_.empty() ? murmur2_64a(key, rendezvous_seed)
                         : murmur2_64a(SaltedKey(key, salt_).view(), rendezvous_seed);
  }

  std::vector<NodeIndex> nodes_;
  std::vector<std::uint64_t> tags_;
  std::vector<double> weights_;
  std::string salt_;
};

// Scores are compared as doubles, so that two of 64 bits can be equal; then the later server wins.
class Plain final : public Rendezvous {
 public:
  using Rendezvous::Rendezvous;
  void candidates(const Query&, std::string_view key, CandidateVisit visit) const noexcept override {
    const std::uint64_t hash = key_hash_of(key);
    best_first(
        nodes_, [&](std::size_t i) { return static_cast<double>(hash128to64(tags_[i], hash)); },
        [](double a, std::size_t i, double b, std::size_t j) { return a != b ? a > b : i > j; }, visit);
  }
};

// weight / -ln(u), with u in [0, 1) from the score's low 53 bits; of equal ones the earlier server wins.
class Weighted final : public Rendezvous {
 public:
  using Rendezvous::Rendezvous;
  void candidates(const Query&, std::string_view key, CandidateVisit visit) const noexcept override {
    constexpr std::uint64_t one = std::uint64_t{1} << 53;
    const std::uint64_t hash = key_hash_of(key);
    const auto score = [&](std::size_t i) {
      const double u =
          static_cast<double>(hash128to64(tags_[i], hash) & (one - 1)) / static_cast<double>(one);
      return weights_[i] * (1.0 / -std::log(u));
    };
    best_first(
        nodes_, score,
        [](double a, std::size_t i, double b, std::size_t j) { return a != b ? a > b : i < j; }, visit);
  }
};

}  // namespace

std::unique_ptr<const Chooser> mcrouter_rendezvous(const ClusterMap& map) {
  return std::make_unique<Plain>(map);
}

std::unique_ptr<const Chooser> mcrouter_weighted_rendezvous(const ClusterMap& map) {
  return std::make_unique<Weighted>(map);
}

}  // namespace arcwise
