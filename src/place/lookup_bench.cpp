// What a ring lookup costs, from a hash to its node: through the public header and the linked library, beside
// std::lower_bound on the same tokens and the cost of touching one random cache line, which no exact method
// can go below.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "arcwise/placement.hpp"
#include "bench_report.hpp"
#include "hash/isa.hpp"
#include "hash/splitmix.hpp"
#include "place/ring_index.hpp"

namespace {

using namespace arcwise;

constexpr std::uint64_t seed = 1;
constexpr std::size_t lookups = std::size_t{1} << 17;
constexpr std::size_t chain = 4 * lookups;  // long enough that what it costs to bring an index back into the
                                            // caches, out of which the method before drove it, is little
constexpr int rounds = 15;

struct Setting {
  std::uint32_t nodes, tokens, replicas;
};

Placement ring_of(const Setting& of) {
  ClusterMap::Parts parts;
  parts.cluster = "bench";
  parts.placement.recipe = find_recipe("ring");
  parts.placement.tokens = of.tokens;
  parts.replicas.count = of.replicas;
  parts.nodes.resize(of.nodes);
  for (std::size_t i = 0; i < of.nodes; ++i) parts.nodes[i].name = "node-" + std::to_string(i);
  return compile(*ClusterMap::build(std::move(parts)));
}

// What people write first: sorted tokens, their owners beside them.
struct Sorted {
  std::vector<std::uint64_t> tokens;
  std::vector<std::uint16_t> owners;
  explicit Sorted(const Placement& ring) {
    for (std::size_t i = 0; i < ring.entry_count(); ++i) {
      tokens.push_back(static_cast<std::uint64_t>(ring.entry(i).token.value));
      owners.push_back(static_cast<std::uint16_t>(ring.entry(i).node));
    }
  }
  NodeIndex find(std::uint64_t hash) const {
    const auto at = std::lower_bound(tokens.begin(), tokens.end(), hash);
    return owners[at == tokens.end() ? 0 : static_cast<std::size_t>(at - tokens.begin())];
  }
};

// As many cache lines as the index has, in the same kind of memory, one of them touched.
struct Floor {
  struct alignas(64) Line {
    std::uint16_t word[32];
  };
  std::size_t count;
  LargeArray<Line> lines;
  explicit Floor(std::size_t tokens)
      : count(tokens / RingIndex<RingLine>::tokens_a_line(tokens)), lines(large_array<Line>(count)) {
    std::fill_n(lines.get(), count, Line{});
  }
  NodeIndex find(std::uint64_t hash) const {
    return lines[static_cast<std::size_t>(u128{hash} * count >> 64)].word[hash & 31];
  }
};

struct Hashes {
  std::vector<std::uint64_t> of;
  Hashes() : of(lookups) {
    for (std::size_t i = 0; i < lookups; ++i) of[i] = mix64(seed + i);
  }
};

template <class Find>
std::uint64_t independent(const Hashes& hashes, Find&& find) {
  std::uint64_t sum = 0;
  for (std::uint64_t h : hashes.of) sum += find(h);
  return sum;
}

// The next hash waits for the last answer.
template <class Find>
std::uint64_t dependent(Find&& find) {
  std::uint64_t h = seed;
  for (std::size_t i = 0; i < chain; ++i) h = mix64(h + find(h));
  return h;
}

void check(const Placement& ring, const Sorted& sorted, const Hashes& hashes) {
  std::vector<NodeIndex> batch(lookups);
  std::vector<std::uint64_t> asked = hashes.of;
  for (std::size_t i = 0; i + 2 < asked.size() && i / 3 < sorted.tokens.size(); i += 3)
    for (std::size_t k = 0; k < 3; ++k) asked[i + k] = sorted.tokens[i / 3] + k - 1;
  asked.front() = 0;
  asked.back() = ~std::uint64_t{0};
  ring.primary(asked, batch);
  for (std::size_t i = 0; i < lookups; ++i)
    if (batch[i] != sorted.find(asked[i]) || ring.primary({asked[i]}) != batch[i]) {
      std::fprintf(stderr, "wrong answer for %llx\n", static_cast<unsigned long long>(asked[i]));
      std::exit(1);
    }
}

void compare(const Setting& setting, const Hashes& hashes, bench::Report& report) {
  const Placement ring = ring_of(setting);
  const Sorted sorted(ring);
  const Floor floor(sorted.tokens.size());
  const std::string size =
      std::to_string(setting.nodes) + " nodes x " + std::to_string(setting.tokens) + " tokens";
  std::vector<NodeIndex> out(lookups);
  const auto linear = [&](std::uint64_t h) { return sorted.find(h); };
  const auto touch = [&](std::uint64_t h) { return floor.find(h); };
  const auto primary = [&](std::uint64_t h) { return ring.primary({h}); };
  const auto list = [&](std::uint64_t h) {
    NodeIndex owners[3];
    const std::size_t count = ring.owners({{}, {h}, {}}, owners);
    return owners[count - 1];
  };
  const auto batch = [&](Isa isa) {
    return [&, isa] {
      limit_isa(isa);
      ring.primary(hashes.of, out);
      limit_isa(Isa::avx512);
      bench::keep(out[0]);
    };
  };
  check(ring, sorted, hashes);

  bench::Comparison single("std::lower_bound", [&] { bench::keep(independent(hashes, linear)); }, lookups);
  single.add("primary", [&] { bench::keep(independent(hashes, primary)); });
  single.add("primary, batched, plain", batch(Isa::plain));
  single.add("primary, batched, 128-bit vectors", batch(Isa::vector128));
  if (isa() >= Isa::avx2) single.add("primary, batched, AVX2", batch(Isa::avx2));
  if (setting.replicas > 1) single.add("3 owners", [&] { bench::keep(independent(hashes, list)); });
  single.add("floor: touch one random line", [&] { bench::keep(independent(hashes, touch)); });
  report.add(size + ", independent", single, rounds);

  bench::Comparison chained("std::lower_bound", [&] { bench::keep(dependent(linear)); }, chain);
  chained.add("primary", [&] { bench::keep(dependent(primary)); });
  chained.add("floor: touch one random line", [&] { bench::keep(dependent(touch)); });
  report.add(size + ", each waiting for the last", chained, rounds);
}

}  // namespace

int main(int argc, char** argv) {
  bench::Report report(argc, argv);
  const Hashes hashes;
  for (const Setting& setting : {Setting{10, 160, 1}, Setting{100, 160, 1}, Setting{100, 256, 1},
                                 Setting{1000, 256, 3}, Setting{10000, 250, 1}})
    if (!report.smoke() || setting.nodes <= 100) compare(setting, hashes, report);
  report.close(seed);
}
