// MurmurHash2, 32-bit and 64-bit (MurmurHash64A).
#pragma once

#include <cstdint>
#include <string_view>

namespace arcwise {

/// Kafka's partitioner: seed 0x9747b28c. libmemcached and twemproxy: see murmur_memcached_seed.
std::uint32_t murmur2_32(std::string_view bytes, std::uint32_t seed) noexcept;

/// mcrouter's: Ch3 keys and Rendezvous servers; Rendezvous keys.
inline constexpr std::uint64_t furc_seed = 4193360111, rendezvous_seed = 2718281828;

/// MurmurHash64A. Envoy: seed 0xc70f6907 (std::hash of libstdc++).
std::uint64_t murmur2_64a(std::string_view bytes, std::uint64_t seed) noexcept;

/// libmemcached seeds its Murmur hashes with the key's length: 0xdeadbeef * size modulo 2^32.
constexpr std::uint32_t murmur_memcached_seed(std::string_view bytes) noexcept {
  return 0xdeadbeef * static_cast<std::uint32_t>(bytes.size());
}

}  // namespace arcwise
