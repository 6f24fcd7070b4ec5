#include "place/riak.hpp"

#include <string>
#include <vector>

#include "hash/digest_positions.hpp"
#include "place/partitions.hpp"

namespace arcwise {
namespace {

// A key is BUCKET/KEY: the bucket ends at the first slash. The bucket type is a setting.
class RiakKeys final : public KeyRule {
 public:
  explicit RiakKeys(const ClusterMap& map)
      : type_(map.placement().text("bucket_type")), partitions_(map.placement().slots) {}

  u128 position(std::string_view key) const noexcept override {
    const std::size_t slash = key.find('/');
    const bool pair = slash != key.npos;
    const auto index =
        riak_key_index(type_, pair ? key.substr(0, slash) : "", pair ? key.substr(slash + 1) : key);
    std::uint64_t leading = 0;
    for (std::size_t i = 0; i < 8; ++i) leading = leading << 8 | index[i];
    return riak_partition(leading, partitions_);
  }
  bool reads(std::string_view key) const noexcept override { return key.find('/') != key.npos; }
  std::string hashed(std::string_view key) const override {
    const std::size_t slash = key.find('/');
    const std::string bucket = binary(slash == key.npos ? "" : key.substr(0, slash));
    const bool typed = !type_.empty() && type_ != "default";
    return "\x83h\x02" + (typed ? "h\x02" + binary(type_) + bucket : bucket) +
           binary(slash == key.npos ? key : key.substr(slash + 1));
  }

 private:
  // Erlang's external form: m, four bytes of length, the bytes.
  static std::string binary(std::string_view text) {
    std::string out = "m";
    for (unsigned shift = 32; shift > 0;) out += static_cast<char>(text.size() >> (shift -= 8) & 255);
    return out += text;
  }

  std::string type_;
  std::uint64_t partitions_;
};

// Copies are on the partitions that follow, whoever claimed them: where a node has two of them, it holds two
// copies and the key has fewer owners than copies. Fallbacks are the partitions after those.
class RiakRing final : public Partitioner {
 public:
  explicit RiakRing(const ClusterMap& map) : copies_(map.replicas().count) {
    for (const TableRow& row : map.placement().table)
      owner_.resize(static_cast<std::size_t>(row.upto.value) + 1,
                    row.owners.empty() ? no_node : row.owners[0]);
  }

  std::size_t own(std::size_t partition, std::span<NodeIndex> out) const noexcept override {
    std::size_t size = 0;
    for (std::size_t i = 0; i < copies_ && i < owner_.size() && size < out.size(); ++i)
      if (const NodeIndex node = following(partition, i); node != no_node) add_distinct(out, size, node);
    return size;
  }
  void substitutes(std::size_t partition, std::span<const NodeIndex>,
                   CandidateVisit visit) const noexcept override {
    for (std::size_t i = copies_; i < owner_.size(); ++i)
      if (const NodeIndex node = following(partition, i); node != no_node && !visit(node)) return;
  }

 private:
  NodeIndex following(std::size_t partition, std::size_t steps) const noexcept {
    const std::size_t at = partition + steps;
    return owner_[at < owner_.size() ? at : at - owner_.size()];
  }

  std::size_t copies_;
  std::vector<NodeIndex> owner_;
};

}  // namespace

std::uint64_t riak_partition(std::uint64_t leading_bits, std::uint64_t partitions) noexcept {
  // partitions is 2^k: the index's leading k bits are its place; 2^0 takes none.
  const std::uint64_t place = static_cast<std::uint64_t>(u128{leading_bits} * partitions >> 64);
  return (place + 1) & (partitions - 1);
}

const KeyRuleInfo riak_key_rule{
    "riak", "bucket_type",
    [](const ClusterMap& map) -> std::unique_ptr<const KeyRule> { return std::make_unique<RiakKeys>(map); }};

std::unique_ptr<const Partitioner> riak_partitions(const ClusterMap& map) {
  return std::make_unique<RiakRing>(map);
}

}  // namespace arcwise
