#include "study/diff.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "study/fingerprint.hpp"
#include "study/sample_keys.hpp"
#include "study/tally.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t most_remainders = std::uint64_t{1} << 24;
constexpr std::uint64_t example_tries = 200'000;
constexpr std::size_t most_examples = 3;

// Goes through the pieces of hash space in linear order, from position 0 up. A placement's first region
// wraps, so it comes in two pieces. On slots, position p stands for slot p mod size and the regions repeat
// turn after turn.
class Walk {
 public:
  Walk(const Placement& placement, const std::vector<std::uint32_t>& numbers)
      : placement_(placement), numbers_(numbers), buffer_(placement.max_owners()) {
    load();
  }

  std::span<const std::uint32_t> owners() const { return owners_; }
  /// Past the last token: a rest of the first region.
  bool wrapped() const { return region_ == placement_.region_count(); }
  /// Last position of the piece at hand.
  u128 upto() const { return turn_ + last_in_turn(); }
  void advance() {
    const u128 last = placement_.map().space().last;
    if (last_in_turn() == last) {
      turn_ += last + 1;
      region_ = 0;
    } else {
      ++region_;
    }
    load();
  }

 private:
  u128 last_in_turn() const {
    return wrapped() ? placement_.map().space().last : placement_.region(region_).upto.value;
  }
  void load() {
    const std::size_t n = placement_.region_owners(wrapped() ? 0 : region_, {}, buffer_);
    owners_.clear();
    for (std::size_t i = 0; i < n; ++i) owners_.push_back(numbers_[buffer_[i]]);
  }

  const Placement& placement_;
  const std::vector<std::uint32_t>& numbers_;
  std::vector<NodeIndex> buffer_;
  std::vector<std::uint32_t> owners_;
  std::size_t region_ = 0;
  u128 turn_ = 0;
};

// The values over which both placements can be listed exactly. Worked example: hash mod 10 and hash mod 11
// are both known from hash mod 110, whose 110 values are equally likely.
std::optional<HashDomain> common_domain(const Placement& before, const Placement& after) {
  const ClusterMap& a = before.map();
  const ClusterMap& b = after.map();
  if (!before.traits().enumerable || !after.traits().enumerable) return std::nullopt;
  if (!before.hashes_alike(after)) return std::nullopt;
  if (a.space().last == b.space().last) return a.domain();
  const std::uint64_t m = before.remainder(), n = after.remainder();
  if (m == 0 || n == 0 || m > most_remainders || n > most_remainders) return std::nullopt;
  const std::uint64_t multiple = std::lcm(m, n);
  if (multiple > most_remainders) return std::nullopt;
  return HashDomain{
      std::min<u128>(multiple - 1, TokenSpace::unsigned_bits(info(a.placement().hash).bits).last)};
}

void visit_regions(const Placement& before, const Placement& after, const NodeUnion& nodes,
                   const HashDomain& domain, const PieceVisitor& visit) {
  Walk a(before, nodes.before), b(after, nodes.after);
  Share below;
  while (true) {
    const u128 upto = std::min(a.upto(), b.upto());
    const Share reached = share_upto(domain, {upto});
    // What lies past the last tokens of both belongs to the range that began at position 0.
    visit(a.owners(), b.owners(), reached - below, a.wrapped() && b.wrapped() ? 0 : 1);
    if (upto >= domain.last) return;
    below = reached;
    if (a.upto() == upto && b.upto() == upto) {
      a.advance();
      b.advance();
    } else {
      (a.upto() == upto ? a : b).advance();
    }
  }
}

std::size_t owners_of(const Placement& placement, std::string_view key, std::span<NodeIndex> out) {
  return placement.owners({key, placement.hash(key), {}}, out);
}

void visit_keys(const Placement& before, const Placement& after, const NodeUnion& nodes, std::uint64_t seed,
                std::uint64_t keys, const PieceVisitor& visit) {
  SampleKeys sample(seed);
  const HashDomain domain{u128{keys} - 1};
  std::array<NodeIndex, max_replicas> found;
  std::vector<std::uint32_t> owners[2];
  Share below;
  for (std::uint64_t k = 0; k < keys; ++k) {
    const std::string_view key = sample.next();
    const auto look_up = [&](const Placement& placement, const std::vector<std::uint32_t>& numbers,
                             std::vector<std::uint32_t>& out) {
      const std::size_t n = owners_of(placement, key, found);
      out.clear();
      for (std::size_t i = 0; i < n; ++i) out.push_back(numbers[found[i]]);
    };
    look_up(before, nodes.before, owners[0]);
    look_up(after, nodes.after, owners[1]);
    const Share reached = share_upto(domain, {k});
    visit(owners[0], owners[1], reached - below, 0);
    below = reached;
  }
}

std::vector<std::string> owner_names(const Placement& placement, std::string_view key) {
  std::array<NodeIndex, max_replicas> found;
  std::vector<std::string> names;
  const std::size_t n = owners_of(placement, key, found);
  for (std::size_t i = 0; i < n; ++i) names.push_back(placement.map().nodes()[found[i]].name);
  return names;
}

std::vector<ExampleKey> example_keys(const Placement& before, const Placement& after) {
  std::vector<ExampleKey> examples;
  for (std::uint64_t i = 0; i < example_tries && examples.size() < most_examples; ++i) {
    ExampleKey example{"key:" + std::to_string(i), {}, {}};
    example.before = owner_names(before, example.key);
    example.after = owner_names(after, example.key);
    if (example.before != example.after) examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace

std::uint64_t for_each_piece(const Placement& before, const Placement& after, const NodeUnion& nodes,
                             std::uint64_t seed, std::uint64_t sample_keys, const PieceVisitor& visit) {
  if (const auto domain = common_domain(before, after)) {
    visit_regions(before, after, nodes, *domain, visit);
    return 0;
  }
  const std::uint64_t keys = std::max<std::uint64_t>(1, sample_keys);
  visit_keys(before, after, nodes, seed, keys, visit);
  return keys;
}

Diff compare(const Placement& before, const Placement& after, std::uint64_t seed, std::uint64_t sample_keys) {
  Diff out;
  const NodeUnion nodes(before.map(), after.map());
  Tally tally(nodes.names.size());
  const std::uint64_t keys = for_each_piece(
      before, after, nodes, seed, sample_keys,
      [&](auto a, auto b, Share share, std::uint32_t ranges) { tally.add(a, b, share, ranges); });
  if (keys > 0) out.sampled = Sampled{keys, tally.error_95(keys)};
  tally.fill(nodes, out);
  return out;
}

Diff diff(const Placement& before, const Placement& after, std::uint64_t seed, std::uint64_t sample_keys) {
  Diff out = compare(before, after, seed, sample_keys);
  out.before = fingerprint(before);
  out.after = fingerprint(after);
  if (out.differs.units > 0 || out.sampled) out.example_keys = example_keys(before, after);
  return out;
}

}  // namespace arcwise
