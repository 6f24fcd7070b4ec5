// Ceph: the hash of object names, and what CRUSH draws from.
#pragma once

#include <cstdint>
#include <string_view>

namespace arcwise {

/// ceph_str_hash_rjenkins: an object's name to its placement seed.
std::uint32_t ceph_rjenkins(std::string_view name) noexcept;

/// CRUSH's rjenkins1 of one, two or three numbers; ids, which may be negative, are given as their 32 bits.
std::uint32_t rjenkins1(std::uint32_t a) noexcept;
std::uint32_t rjenkins1(std::uint32_t a, std::uint32_t b) noexcept;
std::uint32_t rjenkins1(std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept;

/// CRUSH's fixed-point logarithm: about 2^44 * log2(draw + 1), with the errors of the tables that it is made
/// from. draw is 0…65535; straw2 subtracts 2^48 and divides by the weight.
std::uint64_t crush_ln(std::uint32_t draw) noexcept;

}  // namespace arcwise
