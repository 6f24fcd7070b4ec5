// Rings as others lay them out and search them, for benchmarks: libmemcached itself, and the layouts of Envoy
// and twemproxy rebuilt from their published sources.
#pragma once

#include <libmemcached/memcached.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/placement.hpp"

// What libxxhash is to a program that includes it whole, as Envoy does.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace arcwise::bench {

/// Debian's libmemcached. More than 100 servers end the program: update_continuum() asserts.
class Libmemcached {
 public:
  static constexpr std::size_t most_servers = 100;

  Libmemcached(const std::vector<std::string>& hosts, memcached_behavior_t ketama)
      : memc_(memcached_create(nullptr)) {
    memcached_behavior_set(memc_, ketama, 1);
    for (const std::string& host : hosts) memcached_server_add(memc_, host.c_str(), MEMCACHED_DEFAULT_PORT);
  }
  Libmemcached(const Libmemcached&) = delete;
  Libmemcached& operator=(const Libmemcached&) = delete;
  ~Libmemcached() { memcached_free(memc_); }

  NodeIndex find(std::string_view key) const {
    return memcached_generate_hash(memc_, key.data(), key.size());
  }

 private:
  memcached_st* memc_;
};

/// Envoy's ring_hash: sorted pairs of a hash and a shared pointer to the host; the answer is a copy of the
/// pointer.
class EnvoyLayout {
 public:
  explicit EnvoyLayout(const Placement& ring) {
    for (NodeIndex n = 0; n < ring.map().nodes().size(); ++n)
      hosts_.push_back(std::make_shared<const NodeIndex>(n));
    for (std::size_t i = 0; i < ring.entry_count(); ++i)
      ring_.push_back({static_cast<std::uint64_t>(ring.entry(i).token.value), hosts_[ring.entry(i).node]});
  }
  std::shared_ptr<const NodeIndex> host(std::string_view key) const {
    const std::uint64_t hash = XXH64(key.data(), key.size(), 0);
    const auto at =
        std::lower_bound(ring_.begin(), ring_.end(), hash,
                         [](const Entry& entry, std::uint64_t wanted) { return entry.hash < wanted; });
    return at == ring_.end() ? ring_.front().host : at->host;
  }
  NodeIndex find(std::string_view key) const { return *host(key); }

 private:
  struct Entry {
    std::uint64_t hash;
    std::shared_ptr<const NodeIndex> host;
  };
  std::vector<std::shared_ptr<const NodeIndex>> hosts_;
  std::vector<Entry> ring_;
};

/// twemproxy's ketama with its default hash: 32-bit points beside server numbers, bisected.
class TwemproxyLayout {
 public:
  explicit TwemproxyLayout(const Placement& ring) {
    for (std::size_t i = 0; i < ring.entry_count(); ++i)
      continuum_.push_back({ring.entry(i).node, static_cast<std::uint32_t>(ring.entry(i).token.value)});
  }
  NodeIndex find(std::string_view key) const {
    std::uint32_t hash = 0x84222325;  // FNV-1a 64 as twemproxy computes it: its low half
    for (const char c : key) hash = (hash ^ static_cast<std::uint32_t>(c)) * 0x1b3;
    const Point* left = continuum_.data();
    const Point* right = left + continuum_.size();
    while (left < right) {
      const Point* middle = left + (right - left) / 2;
      if (middle->value < hash)
        left = middle + 1;
      else
        right = middle;
    }
    return left == continuum_.data() + continuum_.size() ? continuum_.front().index : left->index;
  }

 private:
  struct Point {
    std::uint32_t index, value;
  };
  std::vector<Point> continuum_;
};

}  // namespace arcwise::bench
