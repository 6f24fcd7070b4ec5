#include "place/swift.hpp"

#include <array>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "hash/md5.hpp"
#include "place/key_types.hpp"
#include "place/partitions.hpp"

namespace arcwise {
namespace {

std::uint32_t leading_32_bits_of_md5(std::string_view text) noexcept {
  const auto digest = md5(text);
  return std::uint32_t{digest[0]} << 24 | std::uint32_t{digest[1]} << 16 | std::uint32_t{digest[2]} << 8 |
         std::uint32_t{digest[3]};
}

// The leading bits of a 32-bit number as one of 2^k partitions.
std::size_t leading_part(std::uint32_t bits, std::size_t partitions) noexcept {
  return static_cast<std::size_t>(std::uint64_t{bits} * partitions >> 32);
}

// MD5 of prefix + "/account[/container[/object]]" + suffix. The slash before the account may be written or
// not; a container or an object that is empty is left out with its slash, so "a/c/" is the container "a/c".
class SwiftPaths final : public KeyRule {
 public:
  explicit SwiftPaths(const ClusterMap& map)
      : prefix_(map.placement().text("hash_path_prefix")),
        suffix_(map.placement().text("hash_path_suffix")),
        partitions_(static_cast<std::size_t>(map.placement().slots)) {}

  u128 position(std::string_view key) const noexcept override {
    std::array<char, longest_path> room;
    KeyBytes bytes(room);
    put(key, bytes);
    return leading_part(leading_32_bits_of_md5(bytes.overflow() ? key : bytes.view()), partitions_);
  }
  bool reads(std::string_view key) const noexcept override {
    const std::string_view p = path(key);
    const std::size_t container = p.find('/');  // an object needs a container: "a//o" is no path
    return !p.empty() && container != 0 && (container == p.npos || p[container + 1] != '/') &&
           prefix_.size() + suffix_.size() + p.size() < longest_path;
  }

  std::string hashed(std::string_view key) const override {
    std::array<char, longest_path> room;
    KeyBytes bytes(room);
    put(key, bytes);
    return std::string(bytes.overflow() ? key : bytes.view());
  }

 private:
  void put(std::string_view key, KeyBytes& bytes) const noexcept {
    bytes.put(prefix_);
    bytes.put('/');
    bytes.put(path(key));
    bytes.put(suffix_);
  }

  static constexpr std::size_t longest_path = 4096;  // names are at most 256 + 256 + 1024 bytes by default

  static std::string_view path(std::string_view key) noexcept {
    if (key.starts_with('/')) key.remove_prefix(1);
    const std::size_t container = key.find('/');
    if (container == key.npos) return key;
    const std::size_t object = key.find('/', container + 1);
    if (object == key.npos || object + 1 == key.size()) key = key.substr(0, object);
    return container + 1 == key.size() ? key.substr(0, container) : key;
  }

  std::string prefix_;
  std::string suffix_;
  std::size_t partitions_;
};

constexpr std::size_t most_devices = 65536;  // device numbers in ring files have 16 bits

class NumberSet {
 public:
  explicit NumberSet(std::size_t numbers) noexcept {
    for (std::size_t w = 0; w * 64 < numbers; ++w) words_[w] = 0;
  }
  bool has(std::uint32_t n) const noexcept { return words_[n / 64] >> (n % 64) & 1; }
  void add(std::uint32_t n) noexcept { words_[n / 64] |= std::uint64_t{1} << (n % 64); }

 private:
  std::array<std::uint64_t, most_devices / 64> words_;  // as far as needed: a scan must not allocate
};

class SwiftRing final : public Partitioner {
 public:
  explicit SwiftRing(const ClusterMap& map) {
    starts_.push_back(0);
    for (const TableRow& row : map.placement().table)
      while (starts_.size() <= static_cast<std::size_t>(row.upto.value) + 1) {
        devices_.insert(devices_.end(), row.owners.begin(), row.owners.end());
        starts_.push_back(static_cast<std::uint32_t>(devices_.size()));
      }
    std::array<std::map<std::string, std::uint32_t>, 3> numbers;
    for (const Node& node : map.nodes()) {
      const std::array<std::string, 3> names{node.zone, node.zone + '\n' + node.rack,
                                             node.zone + '\n' + node.rack + '\n' + node.host};
      std::array<std::uint32_t, 3> place{};
      for (std::size_t level = 0; level < 3; ++level)
        place[level] = numbers[level]
                           .emplace(names[level], static_cast<std::uint32_t>(numbers[level].size()))
                           .first->second;
      places_.push_back(place);
    }
    for (std::size_t level = 0; level < 3; ++level) groups_[level] = numbers[level].size();
  }

  std::size_t own(std::size_t partition, std::span<NodeIndex> out) const noexcept override {
    std::size_t size = 0;
    for (NodeIndex device : devices(partition)) add_distinct(out, size, device);
    return size;
  }

  // Handoffs: four scans over the table from a partition that the MD5 of the number names, by steps that
  // make one scan at most 65,536 rows long: devices of regions not used yet, then of zones, then of servers,
  // then any.
  void substitutes(std::size_t partition, std::span<const NodeIndex>,
                   CandidateVisit visit) const noexcept override {
    if (places_.size() > most_devices) return;
    Used used(*this, partition);
    for (std::size_t level = 0; level <= 3; ++level)
      if (!scan(partition, level, used, visit)) return;
  }

 private:
  struct Used {
    NumberSet devices;
    std::array<NumberSet, 3> groups;

    Used(const SwiftRing& ring, std::size_t partition) noexcept
        : devices(ring.places_.size()),
          groups{NumberSet(ring.groups_[0]), NumberSet(ring.groups_[1]), NumberSet(ring.groups_[2])} {
      for (NodeIndex device : ring.devices(partition)) add(ring, device);
    }
    void add(const SwiftRing& ring, NodeIndex device) noexcept {
      devices.add(device);
      for (std::size_t level = 0; level < 3; ++level) groups[level].add(ring.places_[device][level]);
    }
  };

  std::span<const NodeIndex> devices(std::size_t partition) const noexcept {
    return std::span(devices_).subspan(starts_[partition], starts_[partition + 1] - starts_[partition]);
  }
  std::size_t partitions() const noexcept { return starts_.size() - 1; }

  // false: `visit` wants no more.
  bool scan(std::size_t partition, std::size_t level, Used& used, CandidateVisit visit) const noexcept {
    std::array<char, 20> text;
    const char* end = std::to_chars(text.data(), text.data() + text.size(), partition).ptr;
    const std::size_t start = leading_part(
        leading_32_bits_of_md5({text.data(), static_cast<std::size_t>(end - text.data())}), partitions());
    const std::size_t step = std::max<std::size_t>(1, partitions() / 65536);
    const auto look_at = [&](std::size_t row) noexcept {
      for (NodeIndex device : devices(row)) {
        const bool fresh = level < 3 ? !used.groups[level].has(places_[device][level]) : true;
        if (!fresh || used.devices.has(device)) continue;
        used.add(*this, device);
        if (!visit(device)) return false;
      }
      return true;
    };
    for (std::size_t row = start; row < partitions(); row += step)
      if (!look_at(row)) return false;
    // The steps go on at the table's beginning, and like Swift's never come to partition 0: with 1,024
    // partitions and a start at 700 the rows are 700…1023, then 1…699.
    for (std::size_t row = step - (partitions() - start) % step; row < start; row += step)
      if (!look_at(row)) return false;
    return true;
  }

  std::vector<std::uint32_t> starts_;  ///< into devices_, one more than partitions
  std::vector<NodeIndex> devices_;
  std::vector<std::array<std::uint32_t, 3>> places_;  ///< by node: numbers of its region, zone, server
  std::array<std::size_t, 3> groups_{};               ///< how many of each there are
};

}  // namespace

const KeyRuleInfo swift_key_rule{"swift", "hash_path_prefix hash_path_suffix",
                                 [](const ClusterMap& map) -> std::unique_ptr<const KeyRule> {
                                   return std::make_unique<SwiftPaths>(map);
                                 }};

std::unique_ptr<const Partitioner> swift_partitions(const ClusterMap& map) {
  return std::make_unique<SwiftRing>(map);
}

}  // namespace arcwise
