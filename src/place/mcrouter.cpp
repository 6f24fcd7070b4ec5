#include "place/mcrouter.hpp"

#include <array>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "hash/bytes.hpp"
#include "hash/murmur2.hpp"
#include "hash/spooky.hpp"
#include "place/salted_key.hpp"

namespace arcwise {
namespace {

constexpr std::uint32_t tries = 32;
constexpr std::uint32_t step = 23;  // bits between two that are looked at
constexpr std::uint32_t full_weight = std::numeric_limits<std::uint32_t>::max();

// The key's endless stream of bits: the hash of the key, the hash of that, and so on. Readers go back by much
// less than the words kept here.
class BitStream {
 public:
  explicit BitStream(std::string_view key) noexcept { words_[0] = murmur2_64a(key, furc_seed); }

  std::uint32_t bit(std::uint32_t at) noexcept {
    return static_cast<std::uint32_t>(word(at / 64) >> (at % 64) & 1);
  }
  std::uint32_t next_32(std::uint32_t at) noexcept {
    const std::uint32_t shift = at % 64;
    std::uint64_t value = word(at / 64) >> shift;
    if (shift > 32) value |= word(at / 64 + 1) << (64 - shift);
    return static_cast<std::uint32_t>(value);
  }

 private:
  static constexpr std::uint32_t kept = 1024;

  std::uint64_t word(std::uint32_t number) noexcept {
    for (; made_ < number; ++made_) {
      char bytes[8];
      bytes::store_le64(bytes, words_[made_ % kept]);
      words_[(made_ + 1) % kept] = murmur2_64a({bytes, sizeof bytes}, furc_seed);
    }
    return words_[number % kept];
  }

  std::array<std::uint64_t, kept> words_;
  std::uint32_t made_ = 0;  ///< the last word there is
};

// One walk down the tree of n leaves: zeros lead to smaller trees, and the first one chooses a tree whose
// index the bits behind it spell. Worked example: for n = 6 the tree has 3 levels; bits 1, then 0 and 1, are
// index 5 (1 0 1), bits 1, 1 and 1 would be 7, which is no leaf, so the walk goes on from where it is.
class Walk {
 public:
  Walk(std::string_view key, std::uint32_t n) noexcept
      : bits_(key), n_(n), height_(static_cast<std::uint32_t>(std::bit_width(n - 1))), level_(height_) {
    at_ = level_;
  }

  std::uint32_t index() noexcept {
    for (std::uint32_t attempt = 0; attempt < tries; ++attempt) {
      while (bits_.bit(at_) == 0) {
        if (--level_ == start_) {
          at_ += step;
          return 0;
        }
        at_ = level_;
      }
      at_ += step;
      std::uint32_t index = 1;
      for (std::uint32_t level = start_ + 1; level < level_; ++level, at_ += step)
        index = index << 1 | bits_.bit(at_);
      if (index < n_) return index;
    }
    return 0;
  }

  std::uint32_t next_32() noexcept { return bits_.next_32(at_); }
  /// The next index() walks a tree of its own, whose bits begin here.
  void restart() noexcept {
    start_ = at_;
    level_ = at_ = start_ + height_;
  }

 private:
  BitStream bits_;
  std::uint32_t n_, height_, level_, at_ = 0, start_ = 0;
};

std::uint32_t below(double weight) noexcept {
  return static_cast<std::uint32_t>(weight * full_weight);
}

// The number of a try, its last digit first: 10 is "01".
struct ReversedNumber {
  char digits[2];
  std::size_t size = 0;
  explicit ReversedNumber(std::uint32_t number) noexcept {
    do digits[size++] = static_cast<char>('0' + number % 10);
    while (number /= 10);
  }
};

}  // namespace

std::uint32_t furc(std::string_view key, std::uint32_t n) noexcept {
  return n <= 1 ? 0 : Walk(key, n).index();
}

std::uint32_t weighted_ch3(std::string_view key, std::span<const double> weights) noexcept {
  constexpr std::uint32_t seed = 0xface2014;
  const auto n = static_cast<std::uint32_t>(weights.size());
  std::uint32_t index = furc(key, n);
  if (spooky_v2_32(key, seed) < below(weights[index])) return index;
  for (std::uint32_t retry = 0; retry + 1 < tries; ++retry) {
    const ReversedNumber number(retry);
    const SaltedKey again(key, {number.digits, number.size});
    index = furc(again.view(), n);
    if (spooky_v2_32(again.view(), seed) < below(weights[index])) return index;
  }
  return index;
}

std::uint32_t weighted_furc(std::string_view key, std::span<const double> weights) noexcept {
  const auto n = static_cast<std::uint32_t>(weights.size());
  if (n <= 1) return 0;
  Walk walk(key, n);
  std::uint32_t drawn = 0;
  for (std::uint32_t attempt = 0; attempt < tries; ++attempt) {
    const std::uint32_t index = walk.index();
    if (weights[index] >= 1) return index;
    drawn = walk.next_32();
    if (drawn < below(weights[index])) return index;
    walk.restart();
  }
  return drawn % n;
}

namespace {

// An index by one of the functions above; a server that must be passed over is followed by the next ones of
// the list, and after the last one by the first.
template <class Index>
class ByIndex final : public Chooser {
 public:
  ByIndex(const ClusterMap& map, Index index)
      : nodes_(owning_nodes(map)), salt_(map.placement().text("salt")), index_(std::move(index)) {}

  void candidates(const Query&, std::string_view key, CandidateVisit visit) const noexcept override {
    const std::size_t first = salt_.empty() ? index_(key) : index_(SaltedKey(key, salt_).view());
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!visit(nodes_[(first + i) % nodes_.size()])) return;
  }

 private:
  std::vector<NodeIndex> nodes_;
  std::string salt_;
  Index index_;
};

template <class Index>
std::unique_ptr<const Chooser> by_index(const ClusterMap& map, Index index) {
  return std::make_unique<ByIndex<Index>>(map, std::move(index));
}

std::vector<double> weights_of(const ClusterMap& map) {
  std::vector<double> out;
  for (NodeIndex n : owning_nodes(map)) out.push_back(map.nodes()[n].weight);
  return out;
}

}  // namespace

std::unique_ptr<const Chooser> mcrouter_ch3(const ClusterMap& map) {
  const auto n = static_cast<std::uint32_t>(owning_nodes(map).size());
  return by_index(map, [n](std::string_view key) noexcept { return furc(key, n); });
}

std::unique_ptr<const Chooser> mcrouter_weighted_ch3(const ClusterMap& map) {
  return by_index(
      map, [weights = weights_of(map)](std::string_view key) noexcept { return weighted_ch3(key, weights); });
}

std::unique_ptr<const Chooser> mcrouter_weighted_ch4(const ClusterMap& map) {
  return by_index(map, [weights = weights_of(map)](std::string_view key) noexcept {
    return weighted_furc(key, weights);
  });
}

void mcrouter_crc32_slots(const ClusterMap& map, std::vector<NodeIndex>& owner_of_slot) {
  owner_of_slot = owning_nodes(map);
}

}  // namespace arcwise
