// What it costs from a key's bytes to its node: through the public header and the linked library, beside
// libmemcached itself and the layouts of other programs. Every answer is compared with the rival's first.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "arcwise/placement.hpp"
#include "bench_report.hpp"
#include "hash/isa.hpp"
#include "hash/splitmix.hpp"
#include "rival_rings.hpp"

namespace {

using namespace arcwise;

constexpr std::uint64_t seed = 1;
constexpr std::size_t key_count = 8192;
constexpr std::size_t key_size = 20;
constexpr std::size_t batch = 256;
constexpr std::size_t passes = 4;  // a round: the first brings tables and keys back into the caches
constexpr std::size_t lookups = passes * key_count;
constexpr int rounds = 21;
constexpr std::uint64_t partitions = 65536;

// One behind the other, as they come off the network.
struct Keys {
  std::string text;
  std::vector<std::string_view> view;
  Keys() {
    std::vector<std::uint64_t> numbers(key_count);
    for (std::uint64_t i = 0; i < key_count; ++i) numbers[i] = i * 7919;
    Splitmix64 random(seed);
    for (std::size_t i = key_count; i > 1; --i) std::swap(numbers[i - 1], numbers[random.next() % i]);
    for (const std::uint64_t number : numbers) {
      const std::string digits = std::to_string(number);
      text += "user:" + std::string(key_size - 5 - digits.size(), '0') + digits;
    }
    for (std::size_t i = 0; i < key_count; ++i)
      view.push_back(std::string_view(text).substr(i * key_size, key_size));
  }
};

std::vector<std::string> hosts(std::uint32_t count) {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < count; ++i)
    out.push_back("10.0." + std::to_string(i / 250) + '.' + std::to_string(i % 250 + 1));
  return out;
}

ClusterMap::Parts servers(std::uint32_t count, std::string_view recipe) {
  ClusterMap::Parts parts;
  parts.cluster = "bench";
  parts.placement.recipe = find_recipe(recipe);
  parts.placement.hash = parts.placement.recipe->hash;
  for (const std::string& host : hosts(count)) parts.nodes.emplace_back().name = host + ":11211";
  return parts;
}

Placement placed(ClusterMap::Parts parts) {
  const auto map = ClusterMap::build(std::move(parts));
  if (!map) {
    std::fprintf(stderr, "%s\n", map.error().what.c_str());
    std::exit(1);
  }
  return compile(*map);
}

Placement ring_of(std::uint32_t count, KeyHashId hash) {
  ClusterMap::Parts parts = servers(count, "ring");
  parts.placement.hash = hash;
  parts.placement.tokens = 160;
  return placed(std::move(parts));
}

// A partition's owner, in turns: how partitions were assigned does not matter to a lookup.
Placement partition_table(std::uint32_t count) {
  ClusterMap::Parts parts = servers(count, "ranges");
  parts.placement.slots = partitions;
  for (std::uint64_t i = 0; i < partitions; ++i)
    parts.placement.table.push_back({Token{i}, {static_cast<NodeIndex>(i % count)}});
  return placed(std::move(parts));
}

class Bench {
 public:
  explicit Bench(bench::Report& report) : report_(report), positions_(key_count), nodes_(key_count) {}

  /// One lookup after the other.
  template <class Find>
  auto each(Find find) const {
    return [this, find] {
      std::uint64_t sum = 0;
      for (std::size_t pass = 0; pass < passes; ++pass)
        for (std::string_view key : keys_.view) sum += find(key);
      bench::keep(sum);
    };
  }
  template <class Rival>
  auto rival(const Rival& rival) const {
    return each([&rival](std::string_view key) { return rival.find(key); });
  }
  auto single(const Placement& placement) const {
    return each([&placement](std::string_view key) { return placement.owner(key); });
  }
  auto batched(const Placement& placement, Isa most) {
    return [this, &placement, most] {
      limit_isa(most);
      for (std::size_t pass = 0; pass < passes; ++pass) look_up(placement);
      limit_isa(Isa::avx512);
      bench::keep(nodes_[0]);
    };
  }
  void add_batched(bench::Comparison& to, const std::string& name, const Placement& placement) {
    if (isa() >= Isa::vector128) to.add(name + ", 128 bits", batched(placement, Isa::vector128));
    if (isa() >= Isa::avx2) to.add(name + ", AVX2", batched(placement, Isa::avx2));
    if (isa() >= Isa::avx512) to.add(name + ", AVX-512", batched(placement, Isa::avx512));
  }
  /// Ends the program where an answer differs from the rival's.
  template <class Rival>
  void check(const Placement& placement, const Rival& rival) {
    std::vector<NodeIndex> wanted;
    for (std::string_view key : keys_.view) wanted.push_back(rival.find(key));
    for (const Isa most : {Isa::plain, Isa::vector128, Isa::avx2, Isa::avx512}) {
      limit_isa(most);
      look_up(placement);
      for (std::size_t i = 0; i < key_count; ++i) {
        if (nodes_[i] == wanted[i] && placement.owner(keys_.view[i]) == wanted[i]) continue;
        std::fprintf(stderr, "%s: not the rival's answer\n", std::string(keys_.view[i]).c_str());
        std::exit(1);
      }
    }
  }

  void against_libmemcached(std::uint32_t count);
  void against_layouts(std::uint32_t count);
  void against_the_hash(std::uint32_t count);
  void own_placements(std::uint32_t count);

 private:
  void look_up(const Placement& placement) {
    for (std::size_t from = 0; from < key_count; from += batch) {
      const auto positions = std::span(positions_).subspan(from, batch);
      placement.hash(std::span(keys_.view).subspan(from, batch), positions);
      placement.primary(positions, std::span(nodes_).subspan(from, batch));
    }
  }
  void finish(bench::Comparison& comparison, std::uint32_t count, const std::string& what) {
    report_.add(std::to_string(count) + " servers, " + what, comparison, rounds);
  }

  bench::Report& report_;
  Keys keys_;
  std::vector<std::uint64_t> positions_;
  std::vector<NodeIndex> nodes_;
};

void Bench::against_libmemcached(std::uint32_t count) {
  const bench::Libmemcached weighted(hosts(count), MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED);
  const bench::Libmemcached ketama(hosts(count), MEMCACHED_BEHAVIOR_KETAMA);
  const Placement our_weighted = placed(servers(count, "libmemcached-ketama-weighted"));
  const Placement our_ketama = placed(servers(count, "libmemcached-consistent"));
  const Placement ring = ring_of(count, KeyHashId::xxh3);
  check(our_weighted, weighted);
  check(our_ketama, ketama);

  bench::Comparison md5("libmemcached KETAMA_WEIGHTED", rival(weighted), lookups);
  md5.add("libmemcached-ketama-weighted", single(our_weighted));
  add_batched(md5, "libmemcached-ketama-weighted, batched", our_weighted);
  md5.add("ring of 160 tokens a node, xxh3", single(ring));
  md5.add("ring of 160 tokens a node, xxh3, batched", batched(ring, Isa::avx512));
  finish(md5, count, "weighted ketama (MD5)");

  bench::Comparison plain("libmemcached KETAMA", rival(ketama), lookups);
  plain.add("libmemcached-consistent", single(our_ketama));
  plain.add("libmemcached-consistent, batched", batched(our_ketama, Isa::avx512));
  plain.add("ring of 160 tokens a node, xxh3", single(ring));
  plain.add("ring of 160 tokens a node, xxh3, batched", batched(ring, Isa::avx512));
  finish(plain, count, "ketama as it comes (one-at-a-time)");
}

void Bench::against_layouts(std::uint32_t count) {
  const Placement ring = ring_of(count, KeyHashId::xxh3);
  const Placement ring64 = ring_of(count, KeyHashId::xxh64);
  const bench::EnvoyLayout envoy(ring64);
  ClusterMap::Parts parts = servers(count, "twemproxy-ketama");
  parts.placement.hash = KeyHashId::fnv1a_64_low32;
  const Placement our_twemproxy = placed(std::move(parts));
  const bench::TwemproxyLayout twemproxy(our_twemproxy);
  const Placement weighted = placed(servers(count, "libmemcached-ketama-weighted"));
  check(ring64, envoy);
  check(our_twemproxy, twemproxy);

  bench::Comparison layouts("Envoy's layout: hash and shared_ptr, xxh64", rival(envoy), lookups);
  layouts.add("twemproxy's layout: number and point, fnv1a_64", rival(twemproxy));
  layouts.add("twemproxy-ketama, fnv1a_64", single(our_twemproxy));
  layouts.add("ring of 160 tokens a node, xxh64", single(ring64));
  layouts.add("ring of 160 tokens a node, xxh3", single(ring));
  layouts.add("ring of 160 tokens a node, xxh3, batched", batched(ring, Isa::avx512));
  layouts.add("libmemcached-ketama-weighted", single(weighted));
  layouts.add("libmemcached-ketama-weighted, batched", batched(weighted, Isa::avx512));
  finish(layouts, count, "other layouts");
}

void Bench::against_the_hash(std::uint32_t count) {
  const Placement ring = ring_of(count, KeyHashId::xxh3);
  const Placement maglev = placed(servers(count, "maglev"));
  const Placement table = partition_table(count);

  bench::Comparison floor("key_hash(xxh3)",
                          each([](std::string_view key) { return key_hash(KeyHashId::xxh3, key); }), lookups);
  floor.add("XXH3 inlined into the loop",
            each([](std::string_view key) { return XXH3_64bits(key.data(), key.size()); }));
  for (const auto& [name, placement] :
       {std::pair{"partition table of 65,536", &table}, std::pair{"maglev, table of 65,537", &maglev},
        std::pair{"ring of 160 tokens a node", &ring}}) {
    floor.add(name, single(*placement));
    floor.add(std::string(name) + ", batched", batched(*placement, Isa::avx512));
  }
  finish(floor, count, "the distance to the key hash alone");
}

void Bench::own_placements(std::uint32_t count) {
  const Placement ring = ring_of(count, KeyHashId::xxh3);
  bench::Comparison methods("ring of 160 tokens a node", single(ring), lookups);
  std::vector<std::pair<std::string_view, Placement>> others;
  for (const std::string_view recipe :
       {"maglev", "jump", "jump-back", "anchor", "memento", "multi-probe", "rendezvous"}) {
    ClusterMap::Parts parts = servers(count, recipe);
    parts.placement.tokens = parts.placement.recipe->default_tokens;
    others.emplace_back(recipe, placed(std::move(parts)));
  }
  for (const auto& [recipe, placement] : others) methods.add(std::string(recipe), single(placement));
  report_.add(std::to_string(count) + " servers, every placement of Arcwise's own", methods, rounds / 4);
}

}  // namespace

int main(int argc, char** argv) {
  // Where there has never been a second thread, libstdc++ copies a shared_ptr without atomic operations.
  std::thread([] {}).join();
  bench::Report report(argc, argv);
  Bench bench(report);
  for (const std::uint32_t count : {10u, 100u, 1000u}) {
    if (report.smoke() && count > 100) break;
    if (count <= bench::Libmemcached::most_servers) bench.against_libmemcached(count);
    bench.against_layouts(count);
    bench.against_the_hash(count);
    bench.own_placements(count);
  }
  report.close(seed);
}
