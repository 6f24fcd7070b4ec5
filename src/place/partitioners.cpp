#include "place/partitioners.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "hash/des.hpp"
#include "hash/digest_positions.hpp"
#include "hash/jenkins.hpp"
#include "model/build.hpp"
#include "place/key_types.hpp"

namespace arcwise {
namespace {

constexpr std::uint32_t top_bit = 0x80000000;

// Cassandra and ScyllaDB: the columns of the partition key, then the partitioner's hash of their bytes.
class TypedKeys final : public KeyRule {
 public:
  using Hash = u128 (*)(std::string_view) noexcept;

  TypedKeys(const ClusterMap& map, Hash hash) : hash_(hash) {
    for (std::string_view names = map.placement().text("key_format"); !names.empty();)
      if (const auto type = find_key_type(next_word(names, ','))) columns_.push_back(*type);
    plain_ = columns_.size() == 1 && columns_[0] == KeyType::text;
  }

  u128 position(std::string_view key) const noexcept override {
    if (plain_) return hash_(key);
    std::array<char, longest_key> room;
    KeyBytes bytes(room);
    return hash_(put_partition_key(columns_, key, bytes) ? bytes.view() : key);
  }
  bool reads(std::string_view key) const noexcept override {
    if (plain_) return true;
    std::array<char, longest_key> room;
    KeyBytes bytes(room);
    return put_partition_key(columns_, key, bytes);
  }
  std::string hashed(std::string_view key) const override {
    std::array<char, longest_key> room;
    KeyBytes bytes(room);
    return std::string(put_partition_key(columns_, key, bytes) ? bytes.view() : key);
  }

 private:
  static constexpr std::size_t longest_key = 65535;  // bytes: more is refused by the databases too

  Hash hash_;
  std::vector<KeyType> columns_;
  bool plain_;
};

u128 murmur3_token(std::string_view bytes) noexcept {
  return key_hash(KeyHashId::murmur3_cassandra, bytes);
}

// ScyllaDB hashes the empty key like any other and gets token 0, which in ring order is the middle.
u128 scylladb_token(std::string_view bytes) noexcept {
  return bytes.empty() ? u128{1} << 63 : murmur3_token(bytes);
}

template <TypedKeys::Hash hash>
std::unique_ptr<const KeyRule> typed_keys(const ClusterMap& map) {
  return std::make_unique<TypedKeys>(map, hash);
}

// With routing_partition_size p > 1 a key is ROUTING/ID, and the id spreads one routing over p places.
class ElasticsearchRouting final : public KeyRule {
 public:
  explicit ElasticsearchRouting(const ClusterMap& map)
      : shards_(map.placement().slots),
        routing_shards_(static_cast<std::uint64_t>(map.placement().integer("routing_num_shards"))),
        partition_(static_cast<std::uint32_t>(map.placement().integer("routing_partition_size"))) {
    if (routing_shards_ == 0) routing_shards_ = elasticsearch_routing_shards(shards_);
  }

  u128 position(std::string_view key) const noexcept override {
    const std::size_t slash = partition_ > 1 ? key.find('/') : key.npos;
    if (slash == key.npos) return elasticsearch_shard(hash(key), 0, routing_shards_, shards_);
    const std::int64_t id = hash(key.substr(slash + 1));
    const auto offset = static_cast<std::uint32_t>((id % partition_ + partition_) % partition_);
    return elasticsearch_shard(hash(key.substr(0, slash)), offset, routing_shards_, shards_);
  }
  bool reads(std::string_view key) const noexcept override {
    return partition_ <= 1 || key.find('/') != key.npos;
  }

 private:
  static std::int32_t hash(std::string_view text) noexcept {
    return static_cast<std::int32_t>(key_hash(KeyHashId::elasticsearch_murmur3, text));
  }

  std::uint64_t shards_;
  std::uint64_t routing_shards_;
  std::int64_t partition_;
};

// 9.4 and later: the shard is the remainder itself, as if every shard count had itself as routing count.
class ElasticsearchModulo final : public KeyRule {
 public:
  explicit ElasticsearchModulo(const ClusterMap& map) : shards_(map.placement().slots) {}
  u128 position(std::string_view key) const noexcept override {
    const auto hash = static_cast<std::int32_t>(key_hash(KeyHashId::elasticsearch_murmur3, key));
    return elasticsearch_shard(hash, 0, shards_, shards_);
  }

 private:
  std::uint64_t shards_;
};

class CitusHash final : public KeyRule {
 public:
  explicit CitusHash(const ClusterMap& map)
      : type_(find_key_type(map.placement().text("key_format")).value_or(KeyType::text)),
        shards_(map.placement().slots) {}

  u128 position(std::string_view key) const noexcept override {
    const std::uint32_t ring_hash =
        hash(key).value_or(static_cast<std::uint32_t>(key_hash(KeyHashId::citus_text, key)));
    return shards_ ? citus_shard(ring_hash, shards_) : ring_hash;
  }
  bool reads(std::string_view key) const noexcept override { return hash(key).has_value(); }

 private:
  std::optional<std::uint32_t> hash(std::string_view key) const noexcept {
    if (type_ == KeyType::int_ || type_ == KeyType::bigint) {
      const auto value = read_integer(key);
      const bool narrow = value && *value == static_cast<std::int32_t>(*value);
      if (!value || (type_ == KeyType::int_ && !narrow)) return std::nullopt;
      return postgres_int8(*value) ^ top_bit;  // int4's hash where the value fits in int4
    }
    std::array<char, 16> room;
    KeyBytes uuid(room);
    if (type_ == KeyType::uuid)
      return put_value(type_, key, uuid) ? std::optional(postgres_bytes(uuid.view()) ^ top_bit)
                                         : std::nullopt;
    return static_cast<std::uint32_t>(key_hash(KeyHashId::citus_text, key));
  }

  KeyType type_;
  std::uint64_t shards_;
};

// The keyspace id of a row id. Text that is no number has none; xxh64 lets it have a place all the same.
class VitessHash final : public KeyRule {
 public:
  u128 position(std::string_view key) const noexcept override {
    return vitess_hash(id(key).value_or(key_hash(KeyHashId::xxh64, key)));
  }
  bool reads(std::string_view key) const noexcept override { return id(key).has_value(); }
  std::string hashed(std::string_view key) const override {
    std::array<char, 8> room;
    KeyBytes bytes(room);
    if (const auto number = id(key)) bytes.put_big_endian(*number, 8);
    return std::string(bytes.size() ? bytes.view() : key);
  }

 private:
  // Unsigned, or negative and then its two's complement.
  static std::optional<std::uint64_t> id(std::string_view key) noexcept {
    if (key.starts_with('-')) {
      const auto value = read_integer(key);
      return value ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
    }
    if (key.empty() || key.size() > 20) return std::nullopt;
    u128 value = 0;
    for (char c : key) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value >> 64 ? std::nullopt : std::optional(static_cast<std::uint64_t>(value));
  }
};

template <class Rule>
std::unique_ptr<const KeyRule> made(const ClusterMap& map) {
  if constexpr (std::is_default_constructible_v<Rule>)
    return std::make_unique<Rule>();
  else
    return std::make_unique<Rule>(map);
}

constexpr std::array<KeyRuleInfo, 7> rules{{
    {"cassandra-murmur3", "key_format", typed_keys<murmur3_token>},
    {"cassandra-random", "key_format", typed_keys<random_partitioner_token>},
    {"scylladb", "key_format", typed_keys<scylladb_token>},
    {"elasticsearch", "routing_num_shards routing_partition_size", made<ElasticsearchRouting>},
    {"elasticsearch-modulo", "", made<ElasticsearchModulo>},
    {"citus", "key_format", made<CitusHash>},
    {"vitess-hash", "", made<VitessHash>},
}};

}  // namespace

std::uint64_t elasticsearch_routing_shards(std::uint64_t shards) noexcept {
  unsigned log2 = 0;
  while (log2 < 63 && std::uint64_t{1} << log2 < shards) ++log2;
  return shards << (log2 < 9 ? 10 - log2 : 1);
}

std::uint64_t elasticsearch_shard(std::int32_t hash, std::uint32_t offset, std::uint64_t routing_shards,
                                  std::uint64_t shards) noexcept {
  // Java's int arithmetic: the sum wraps at 32 bits.
  const std::int64_t sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(hash) + offset);
  const auto modulus = static_cast<std::int64_t>(routing_shards);
  return static_cast<std::uint64_t>((sum % modulus + modulus) % modulus) / (routing_shards / shards);
}

std::uint64_t citus_shard(std::uint32_t ring_hash, std::uint64_t shards) noexcept {
  const std::uint64_t increment = std::max<std::uint64_t>(1, (std::uint64_t{1} << 32) / shards);
  return std::min(ring_hash / increment, shards - 1);
}

std::span<const KeyRuleInfo> partitioner_key_rules() {
  return rules;
}

}  // namespace arcwise
