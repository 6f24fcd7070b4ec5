#include "study/allocate_cassandra.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "arcwise/token.hpp"
#include "study/numbers.hpp"

namespace arcwise::cassandra {
namespace {

__extension__ typedef __int128 i128;

constexpr i128 highest = std::numeric_limits<SignedToken>::max();
constexpr i128 lowest = std::numeric_limits<SignedToken>::min();

/// java.util.Random: 48 bits of a linear congruential generator.
class JavaRandom {
 public:
  explicit JavaRandom(std::uint64_t seed) : state_((seed ^ multiplier) & mask) {}
  double next_double() {
    const std::uint64_t high = next(26), low = next(27);
    return static_cast<double>((high << 27) + low) * 0x1p-53;
  }

 private:
  static constexpr std::uint64_t multiplier = 0x5DEECE66D, mask = (std::uint64_t{1} << 48) - 1;
  std::uint64_t next(unsigned bits) {
    state_ = (state_ * multiplier + 0xB) & mask;
    return state_ >> (48 - bits);
  }
  std::uint64_t state_;
};

/// digits / 10^places.
struct Decimal {
  std::uint64_t digits = 0;
  unsigned places = 0;
};

Decimal decimal(double ratio) {
  Decimal out;
  bool fraction = false;
  for (char c : shortest(ratio)) {
    if (c == '.') {
      fraction = true;
    } else {
      out.digits = 10 * out.digits + static_cast<std::uint64_t>(c - '0');
      out.places += fraction;
    }
  }
  return out;
}

// trunc(base + distance * ratio). The distance is below 2^64 and the digits below 10^17, so that everything
// fits: 2^64 * 10^17 < 2^121.
i128 advance(i128 base, i128 distance, double ratio) {
  const Decimal q = decimal(ratio);
  i128 unit = 1;
  for (unsigned i = 0; i < q.places; ++i) unit *= 10;
  return (base * unit + distance * static_cast<i128>(q.digits)) / unit;
}

}  // namespace

double size_of(SignedToken from, SignedToken to) {
  const auto distance =
      static_cast<SignedToken>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
  const double part = static_cast<double>(distance) * 0x1p-64;
  return part > 0 ? part : part + 1;
}

SignedToken midpoint(SignedToken left, SignedToken right) {
  const i128 l = left, r = right;
  if (l < r) return static_cast<SignedToken>((l + r) >> 1);
  const i128 middle = (highest - lowest + l + r) >> 1;
  return static_cast<SignedToken>(middle > highest ? lowest + (middle - highest) : middle);
}

SignedToken split(SignedToken left, SignedToken right, double ratio) {
  const i128 l = left, r = right;
  if (l < r) return static_cast<SignedToken>(advance(l, r - l, ratio));
  const i128 at = advance(l, highest - lowest + r - l, ratio);
  return static_cast<SignedToken>(at > highest ? lowest + (at - highest) : at);
}

std::vector<std::uint64_t> generate_splits(const AllocationRing& ring, const Joiner& joiner) {
  std::vector<std::uint64_t> chosen, tokens;
  for (const HeldToken& t : ring.tokens) tokens.push_back(t.at);
  JavaRandom random(tokens.size());
  if (tokens.empty()) {
    chosen.push_back(joiner.first);
    tokens.push_back(joiner.first);
  }
  const double least = 1 - 1 / std::sqrt(5.0), most = least + 0.075;
  while (chosen.size() < joiner.tokens) {
    std::uint64_t left = tokens.back(), widest = 0;
    double largest = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::uint64_t before = i ? tokens[i - 1] : tokens.back();
      const double size = size_of(to_signed(before), to_signed(tokens[i]));
      if (size <= largest) continue;
      largest = size;
      left = before;
      widest = tokens[i];
    }
    const double ratio = least + (most - least) * random.next_double();
    const std::uint64_t at = to_ring(split(to_signed(left), to_signed(widest), ratio));
    chosen.push_back(at);
    tokens.insert(std::upper_bound(tokens.begin(), tokens.end(), at), at);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace arcwise::cassandra

namespace arcwise {

std::vector<std::uint64_t> cassandra_tokens(const AllocationRing& ring, const Joiner& joiner) {
  return ring.replicas > 1 ? cassandra::replication_aware(ring, joiner)
                           : cassandra::no_replication(ring, joiner);
}

}  // namespace arcwise
