#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "hash/isa.hpp"
#include "hash/splitmix.hpp"
#include "place/ring.hpp"
#include "place/testing.hpp"

namespace arcwise {
namespace {

constexpr std::array<Isa, 4> all_isas{Isa::plain, Isa::vector128, Isa::avx2, Isa::avx512};

// How tokens stand on the circle: where an index that trusts to evenness would go wrong.
enum class Spread { even, random, doubled, one_heap, upper_half, both_ends };
constexpr std::array<Spread, 6> spreads{Spread::even,     Spread::random,     Spread::doubled,
                                        Spread::one_heap, Spread::upper_half, Spread::both_ends};

std::vector<RingPoint> points_of(Spread spread, std::size_t count, NodeIndex nodes, u128 last,
                                 std::uint64_t seed) {
  Splitmix64 random(seed);
  std::vector<RingPoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    const u128 any = ((u128{random.next()} << 64) | random.next()) & last;
    u128 token = any;
    if (spread == Spread::even) token = last / count * i;
    if (spread == Spread::doubled && i % 2 == 1) token = points.back().token.value;
    if (spread == Spread::one_heap) token = last / 3 + i % (last / 2);
    if (spread == Spread::upper_half) token = last / 2 + any / 2;
    if (spread == Spread::both_ends) token = i % 2 ? last - any % 1000 : any % 1000;
    points.push_back({{token}, static_cast<NodeIndex>(random.next() % nodes)});
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.token < b.token; });
  return points;
}

template <class Word>
RingOrder<Word> order_of(const std::vector<RingPoint>& points) {
  RingOrder<Word> out;
  for (const RingPoint& p : points) {
    out.tokens.push_back(static_cast<Word>(p.token.value));
    out.nodes.push_back(p.node);
  }
  return out;
}

NodeIndex by_binary_search(const std::vector<RingPoint>& points, u128 hash) {
  const auto at = std::lower_bound(points.begin(), points.end(), Token{hash},
                                   [](const RingPoint& p, Token t) { return p.token < t; });
  return at == points.end() ? points.front().node : at->node;
}

// Every token with its two neighbours, both ends, and hashes anywhere.
std::vector<u128> hashes_around(const std::vector<RingPoint>& points, u128 last, std::uint64_t seed) {
  std::vector<u128> out{0, last};
  for (const RingPoint& p : points) {
    out.push_back(p.token.value);
    if (p.token.value > 0) out.push_back(p.token.value - 1);
    if (p.token.value < last) out.push_back(p.token.value + 1);
  }
  Splitmix64 random(seed);
  for (int i = 0; i < 500; ++i) out.push_back(((u128{random.next()} << 64) | random.next()) & last);
  return out;
}

template <class Word, class Line>
void expect_exact(const std::vector<RingPoint>& points, u128 last, std::uint64_t seed) {
  const TokenRing<Word, Line> ring(order_of<Word>(points), LookupRule::at_or_after, last);
  const std::vector<u128> hashes = hashes_around(points, last, seed);
  std::vector<std::uint64_t> low;
  for (const u128 hash : hashes) {
    ASSERT_EQ(ring.first({hash}), by_binary_search(points, hash)) << static_cast<std::uint64_t>(hash);
    ASSERT_EQ(ring.entry(ring.locate({hash})).node, by_binary_search(points, hash));
    if constexpr (RingIndex<Line>::has_nodes) {
      const auto near = ring.near({hash});
      const std::size_t entry = ring.locate({hash});
      for (std::size_t k = 0; k < near.nodes.size(); ++k)
        ASSERT_EQ(near.nodes[k], points[(entry + k) % points.size()].node);
      ASSERT_EQ(ring.behind(near, {hash}) % points.size(), (entry + near.nodes.size()) % points.size());
    }
    low.push_back(static_cast<std::uint64_t>(hash));
  }
  if (sizeof(Word) > 8) return;
  std::vector<NodeIndex> batch(hashes.size());
  for (const Isa isa : all_isas) {
    limit_isa(isa);
    ring.first(low, batch);
    for (std::size_t i = 0; i < hashes.size(); ++i) ASSERT_EQ(batch[i], by_binary_search(points, hashes[i]));
  }
  limit_isa(Isa::avx512);
}

TEST(ring_index, answers_as_a_binary_search_however_tokens_are_spread) {
  for (const Spread spread : spreads)
    for (const std::size_t count : {1u, 2u, 7u, 8u, 9u, 100u, 3000u})
      for (const unsigned bits : {32u, 64u}) {
        SCOPED_TRACE(::testing::Message()
                     << "spread " << int(spread) << ", " << count << " tokens of " << bits << " bits");
        const u128 last = (u128{1} << bits) - 1;
        const auto points = points_of(spread, count, 300, last, count + bits);
        expect_exact<std::uint64_t, RingLine>(points, last, 1);
        expect_exact<std::uint64_t, RingPlaces>(points, last, 2);
      }
}

TEST(ring_index, answers_as_a_binary_search_on_rings_wider_than_64_bits) {
  for (const Spread spread : spreads)
    for (const u128 last : {u128{1} << 127, ~u128{0}}) {
      const auto points = points_of(spread, 500, 300, last, 5);
      expect_exact<u128, RingLine>(points, last, 1);
      expect_exact<u128, RingPlaces>(points, last, 2);
    }
}

// 40,000 tokens above the middle: half of the lines begin at entry 0, which is 20,000 and more from even.
TEST(ring_index, holds_lines_whose_first_entry_is_far_from_an_even_spread) {
  const u128 last = ~std::uint64_t{0};
  const auto points = points_of(Spread::upper_half, 140'000, 300, last, 3);
  const TokenRing<std::uint64_t, RingLine> ring(order_of<std::uint64_t>(points), LookupRule::at_or_after,
                                                last);
  Splitmix64 random(9);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t hash = random.next();
    ASSERT_EQ(ring.first({hash}), by_binary_search(points, hash));
    ASSERT_EQ(ring.entry(ring.locate({hash})).node, by_binary_search(points, hash));
  }
}

TEST(ring_index, takes_seven_to_eleven_bytes_a_token) {
  for (const std::size_t count : {1'600u, 25'600u, 256'000u}) {
    const auto points = points_of(Spread::random, count, 1000, ~std::uint64_t{0}, 1);
    const TokenRing<std::uint64_t, RingLine> ring(order_of<std::uint64_t>(points), LookupRule::at_or_after,
                                                  ~std::uint64_t{0});
    EXPECT_GE(ring.index().bytes(), 7 * count);
    EXPECT_LE(ring.index().bytes(), 11 * count);
  }
}

TEST(ring_index, compares_no_more_than_fifteen_times_at_25600_tokens) {
  for (const Spread spread : spreads) {
    const auto points = points_of(spread, 25'600, 1000, ~std::uint64_t{0}, 1);
    const TokenRing<std::uint64_t, RingLine> ring(order_of<std::uint64_t>(points), LookupRule::at_or_after,
                                                  ~std::uint64_t{0});
    int most = 0;
    for (const u128 hash : hashes_around(points, ~std::uint64_t{0}, 2)) {
      const auto value = static_cast<std::uint64_t>(hash);
      const RingSpot at = ring.index().spot(value);
      const RingPlaces& places = ring.index().line(at.line).places;
      int comparisons = 0;
      const std::size_t entry =
          ring.search(value, at, tokens_below(places, at.place), [&](std::uint64_t a, std::uint64_t b) {
            ++comparisons;
            return a < b;
          });
      ASSERT_EQ(points[entry].node, by_binary_search(points, value));
      most = std::max(most, comparisons);
    }
    EXPECT_LE(most, 15) << "spread " << int(spread);
    if (spread == Spread::one_heap) {
      EXPECT_EQ(most, 15) << "all in one line: there is nothing but halving";
    }
  }
}

TEST(ring_index, counts_alike_with_every_instruction_set) {
  using Batch = RingBatch<RingPlaces>;
  Splitmix64 random(4);
  std::vector<RingPlaces> lines(64 * Batch::block);
  std::vector<BatchSpot> spots;
  for (RingPlaces& line : lines) {
    line.word.fill(RingPlaces::unused);
    const std::size_t count = random.next() % (RingPlaces::room + 1);
    for (std::size_t i = 0; i < count; ++i) line.word[i] = static_cast<std::int16_t>(random.next());
    std::sort(line.word.begin(), line.word.begin() + RingPlaces::room);
    line.word[RingPlaces::room] = static_cast<std::int16_t>(random.next());
    if (random.next() % 4 == 0) line.word[RingPlaces::room] = RingPlaces::noted;
    if (random.next() % 40 == 0) line.word.fill(RingPlaces::noted);
    const auto place =
        random.next() % 20 ? static_cast<std::int16_t>(random.next()) : line.word[random.next() % 16];
    spots.push_back({static_cast<std::uint32_t>(spots.size()), place, place});
  }
  for (const BatchSpot& s : spots)
    ASSERT_EQ(tokens_below(lines[s.line], s.place), tokens_below_plain(lines[s.line], s.place));
  std::array<NodeIndex, Batch::block> below;
  for (const Isa isa : all_isas) {
    limit_isa(isa);
    for (std::size_t from = 0; from < lines.size(); from += below.size()) {
      const std::uint32_t open = Batch::best().answers(lines.data(), &spots[from], below.data());
      for (std::size_t i = 0; i < below.size(); ++i) {
        const BatchSpot& s = spots[from + i];
        const RingPlaces& line = lines[s.line];
        const unsigned expected = tokens_below_plain(line, s.place);
        const auto end = line.word.begin() + RingPlaces::room;
        const bool must = (line.drift() == RingPlaces::noted && expected == RingPlaces::room) ||
                          std::find(line.word.begin(), end, s.place) != end;
        ASSERT_TRUE(!must || left_open(line, s.place, expected));
        ASSERT_TRUE(!must || (open >> i & 1) != 0);
        if ((open >> i & 1) == 0) {
          ASSERT_EQ(below[i], expected);
        } else {
          ASSERT_TRUE(left_open(line, s.place, expected));
        }
      }
    }
  }
  limit_isa(Isa::avx512);
}

TEST(ring_index, finds_spots_alike_with_every_instruction_set) {
  using Batch = RingBatch<RingLine>;
  Splitmix64 random(5);
  for (const std::uint64_t count :
       {std::uint64_t{1}, std::uint64_t{200}, std::uint64_t{320'001}, std::uint64_t{0xffff'ffff}})
    for (const unsigned shift : {0u, 1u, 32u, 50u}) {
      std::array<std::uint64_t, Batch::block> hashes;
      for (std::uint64_t& hash : hashes) hash = random.next() >> shift;
      hashes[0] = 0;
      hashes[1] = ~std::uint64_t{0} >> shift;
      for (const Isa isa : all_isas) {
        limit_isa(isa);
        std::array<BatchSpot, Batch::block> spots;
        Batch::best().spots(hashes.data(), shift, count, spots.data());
        for (std::size_t i = 0; i < hashes.size(); ++i) {
          const RingSpot expected = ring_spot(hashes[i] << shift, count);
          ASSERT_EQ(spots[i].line, expected.line);
          ASSERT_EQ(spots[i].place, expected.place);
          ASSERT_EQ(spots[i].again, expected.place);
        }
      }
      limit_isa(Isa::avx512);
    }
}

// The drift of a line has 16 bits. Joins move the last lines of a large ring further than that, and tokens in
// heaps have all of them elsewhere: both must stay exact, and what is fast must stay fast.
TEST(ring_index, lines_far_from_an_even_spread_are_exact_and_not_searched) {
  constexpr std::uint64_t last = ~std::uint64_t{0};
  Splitmix64 random(9);
  RingOrder<std::uint64_t> points;
  constexpr std::size_t count = 400'000;
  for (std::size_t i = 0; i < count; ++i) points.tokens.push_back(random.next() >> (i % 4 ? 2 : 0));
  std::sort(points.tokens.begin(), points.tokens.end());
  for (std::size_t i = 0; i < count; ++i) points.nodes.push_back(static_cast<NodeIndex>(i % 1000));
  const std::vector<std::uint64_t> tokens = points.tokens;
  const TokenRing<std::uint64_t, RingLine> ring(points, LookupRule::at_or_after, last);
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < 20'000; ++i) hashes.push_back(random.next() >> (i % 2 ? 2 : 0));
  std::vector<NodeIndex> batch(hashes.size());
  ring.first(hashes, batch);
  std::size_t searched = 0, noted = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const auto at =
        static_cast<std::size_t>(std::lower_bound(tokens.begin(), tokens.end(), hashes[i]) - tokens.begin());
    const std::size_t entry = at == count ? 0 : at;
    ASSERT_EQ(ring.locate(KeyHash{hashes[i]}), entry);
    ASSERT_EQ(ring.first(KeyHash{hashes[i]}), entry % 1000);
    ASSERT_EQ(batch[i], entry % 1000);
    const RingSpot at_line = ring.index().spot(hashes[i]);
    const RingPlaces& places = ring.index().line(at_line.line).places;
    if (places.drift() != RingPlaces::noted || ring.index().note(at_line.line).count > RingPlaces::room)
      continue;
    ++noted;
    searched += left_open(places, at_line.place, tokens_below(places, at_line.place));
  }
  EXPECT_GT(noted, hashes.size() / 4) << "lines that the test is about";
  EXPECT_LT(searched, noted / 50);
}

// What a line shows of its tokens answers by itself, also where it has no room for all of them.
TEST(ring_index, only_tokens_that_a_full_line_does_not_show_are_searched) {
  constexpr std::uint64_t last = ~std::uint64_t{0};
  const auto points = points_of(Spread::random, 256'000, 1000, last, 3);
  const TokenRing<std::uint64_t, RingLine> ring(order_of<std::uint64_t>(points), LookupRule::at_or_after,
                                                last);
  Splitmix64 random(11);
  std::size_t full = 0, searched = 0;
  for (int i = 0; i < 100'000; ++i) {
    const RingSpot at = ring.index().spot(random.next());
    const RingPlaces& places = ring.index().line(at.line).places;
    const unsigned below = tokens_below(places, at.place);
    if (places.drift() != RingPlaces::noted) continue;
    ++full;
    searched += left_open(places, at.place, below);
    ASSERT_EQ(left_open(places, at.place, below),
              below == RingPlaces::room || places.word[below] == at.place);
  }
  EXPECT_GT(full, 1'500u) << "two in a hundred lines";
  EXPECT_LT(searched, 600u) << "four in a thousand lookups";
}

// 0…2^127 is one position more than 127 bits have.
TEST(ring_index, a_ring_of_two_to_the_127_uses_all_of_its_lines) {
  const u128 last = u128{1} << 127;
  std::vector<RingPoint> points = points_of(Spread::random, 20'000, 100, last - 1, 6);
  points.push_back({{last}, 7});
  const TokenRing<u128, RingLine> ring(order_of<u128>(points), LookupRule::at_or_after, last);
  std::size_t noted = 0;
  for (std::size_t i = 0; i < ring.index().line_count(); ++i)
    noted += ring.index().line(i).places.drift() == RingPlaces::noted;
  EXPECT_LT(noted, ring.index().line_count() / 100);
  for (const u128 hash :
       {u128{0}, last, last - 1, points[19'999].token.value, points[19'999].token.value + 1})
    EXPECT_EQ(ring.first({hash}), by_binary_search(points, hash));
}

TEST(ring_index, large_arrays_begin_with_a_huge_page_and_grow_by_no_more_than_an_eighth) {
  constexpr std::size_t huge = LargeExtent::huge_page;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{64}, huge, 2 * huge - huge / 2})
    EXPECT_FALSE(LargeExtent::of(bytes, 64).huge()) << bytes;
  for (const std::size_t bytes :
       {2 * huge - huge / 8, 2 * huge, 2 * huge + 64, 10 * huge - 1, 10 * huge + huge / 2}) {
    const LargeExtent extent = LargeExtent::of(bytes, 64);
    EXPECT_TRUE(extent.huge()) << bytes;
    EXPECT_GE(extent.bytes, bytes);
    EXPECT_LE(extent.bytes, bytes + bytes / 8);
  }
  const LargeArray<RingLine> lines = large_array<RingLine>(2 * huge / sizeof(RingLine));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lines.get()) % huge, 0u);
}

TEST(ring_index, more_nodes_than_16_bits_can_number) {
  std::vector<Node> nodes;
  for (int i = 0; i < 70'000; ++i) nodes.push_back(testing::node("n" + std::to_string(i)));
  const Placement ring = compile(testing::map_of(testing::parts("ring", nodes, 2, Across::node, 1)));
  Splitmix64 random(1);
  NodeIndex largest = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t hash = random.next();
    std::array<NodeIndex, 2> owners;
    ASSERT_EQ(ring.owners({{}, {hash}, {}}, owners), 2u);
    ASSERT_EQ(owners[0], ring.primary({hash}));
    ASSERT_EQ(owners[0], ring.entry(ring.region_at({hash})).node);
    largest = std::max(largest, owners[0]);
  }
  EXPECT_GT(largest, 65'535u);
}

// A placement compiled from the last one must be the one compiled from nothing.
void expect_same(const Placement& a, const Placement& b) {
  ASSERT_EQ(a.entry_count(), b.entry_count());
  ASSERT_EQ(a.region_count(), b.region_count());
  for (std::size_t i = 0; i < a.entry_count(); ++i) {
    ASSERT_EQ(a.entry(i).token, b.entry(i).token) << i;
    ASSERT_EQ(a.entry(i).node, b.entry(i).node) << i;
  }
  for (std::size_t i = 0; i < a.region_count(); ++i) ASSERT_EQ(a.region(i), b.region(i)) << i;
  std::array<NodeIndex, 3> left, right;
  const auto ask = [&](u128 hash) {
    ASSERT_EQ(a.primary({hash}), b.primary({hash}));
    const std::size_t count = a.owners({{}, {hash}, {}}, left);
    ASSERT_EQ(count, b.owners({{}, {hash}, {}}, right));
    ASSERT_TRUE(std::equal(left.begin(), left.begin() + count, right.begin()));
  };
  for (std::size_t i = 0; i < a.entry_count(); ++i) {
    const u128 token = a.entry(i).token.value;
    ask(token);
    ask(token + 1 > ~std::uint64_t{0} ? 0 : token + 1);
  }
}

// One step of a cluster's life: a join (at the end or amid the list), a leave, a new weight, a change of
// state.
void change(std::vector<Node>& nodes, Splitmix64& random, int& born, bool given) {
  const auto one = [&] { return nodes.begin() + static_cast<std::ptrdiff_t>(random.next() % nodes.size()); };
  switch (nodes.size() < 4 ? 0 : random.next() % 6) {
    case 0:
    case 1: {
      Node fresh = testing::node("n" + std::to_string(born++));
      for (int i = 0; given && i < 40; ++i) fresh.tokens.push_back({random.next()});
      std::sort(fresh.tokens.begin(), fresh.tokens.end());
      if (nodes.empty() || random.next() % 2)
        nodes.push_back(fresh);
      else
        nodes.insert(one(), fresh);
      return;
    }
    case 2:
      nodes.erase(one());
      return;
    case 3:
      one()->weight = 0.5 + static_cast<double>(random.next() % 5);
      return;
    case 4:
      one()->state = NodeState::leaving;
      return;
    default:
      std::iter_swap(one(), one());
      return;
  }
}

void live(bool given, KeyHashId hash, std::size_t start, int steps, std::uint32_t tokens,
          std::uint64_t seed) {
  Splitmix64 random(seed);
  std::vector<Node> nodes;
  int born = 0;
  while (nodes.size() < start) change(nodes, random, born, given);
  const auto map = [&] {
    auto p = testing::parts("ring", nodes, 2, Across::node, tokens);
    p.placement.given = given;
    p.placement.hash = hash;
    return testing::map_of(p);
  };
  Placement ring = compile(map());
  for (int step = 0; step < steps; ++step) {
    change(nodes, random, born, given);
    const ClusterMap now = map();
    ring = compile(now, ring);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", step " << step);
    expect_same(ring, compile(now));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(compile, from_the_placement_before_equals_from_nothing) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    live(false, KeyHashId::xxh3, 2, 40, 3, seed);
    live(false, KeyHashId::xxh3, 60, 25, 20, seed);
    live(false, KeyHashId::crc16, 20, 25, 60, seed);  // 65,536 positions: many nodes share one
    live(true, KeyHashId::xxh3, 3, 40, 0, seed);
    live(true, KeyHashId::xxh3, 30, 20, 0, seed);
    if (HasFatalFailure()) return;
  }
}

TEST(compile, a_placement_of_something_else_is_no_help_and_no_harm) {
  const std::vector<Node> nodes{testing::node("a"), testing::node("b"), testing::node("c")};
  const Placement ring = compile(testing::map_of(testing::parts("ring", nodes, 2)));
  auto other = testing::parts("ring", nodes, 2, Across::node, 64);
  expect_same(compile(testing::map_of(other), ring), compile(testing::map_of(other)));
  const ClusterMap maglev = testing::map_of(testing::parts("maglev", nodes));
  EXPECT_EQ(compile(maglev, ring).entry_count(), compile(maglev).entry_count());
}

TEST(ring_index, many_joins_one_after_the_other_leave_the_index_of_a_ring_compiled_anew) {
  std::vector<Node> nodes;
  for (int i = 0; i < 400; ++i) nodes.push_back(testing::node("n" + std::to_string(i)));
  Placement ring = compile(testing::map_of(testing::parts("ring", nodes, 2, Across::node, 128)));
  for (int i = 400; i < 440; ++i) {
    nodes.push_back(testing::node("n" + std::to_string(i)));
    ring = compile(testing::map_of(testing::parts("ring", nodes, 2, Across::node, 128)), ring);
  }
  expect_same(ring, compile(testing::map_of(testing::parts("ring", nodes, 2, Across::node, 128))));
}

TEST(ring_index, a_join_that_moves_entries_further_than_16_bits_can_say_is_exact) {
  const auto ring_of = [](int count) {
    std::vector<Node> nodes;
    for (int i = 0; i < count; ++i) nodes.push_back(testing::node("n" + std::to_string(i)));
    return testing::map_of(testing::parts("ring", nodes, 20, Across::node, 256));
  };
  const Placement anew = compile(ring_of(1340));
  const Placement joined = compile(ring_of(1340), compile(ring_of(1200)));
  Splitmix64 random(11);
  std::vector<std::uint64_t> hashes(4096);
  for (std::uint64_t& hash : hashes) hash = random.next();
  std::vector<NodeIndex> batch(hashes.size()), left(20), right(20);
  joined.primary(hashes, batch);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_EQ(batch[i], anew.primary({hashes[i]}));
    ASSERT_EQ(joined.primary({hashes[i]}), batch[i]);
    joined.owners({{}, {hashes[i]}, {}}, left);
    anew.owners({{}, {hashes[i]}, {}}, right);
    ASSERT_EQ(left, right) << "more than a line shows";
  }
}

}  // namespace
}  // namespace arcwise
