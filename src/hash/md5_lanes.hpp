// MD5 of as many messages at once as vectors have lanes.
//
// Layer: hash. Pure, noexcept, no allocation; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hash/isa.hpp"
#include "hash/md5.hpp"

namespace arcwise {

using Md5Block = std::uint32_t[16];  ///< its words, least significant byte first

struct Md5Lanes {
  std::size_t count;  ///< messages at once; divides Md5Batch::most
  /// The blocks of `count` messages that fit one each (md5_block::longest_single).
  void (*pad)(const std::string_view* messages, Md5Block* blocks) noexcept;
  /// Adds a block to each of `count` states: `state` is word 0 of the first, Md5Batch::most apart from
  /// word 1.
  void (*compress)(const Md5Block* blocks, std::uint32_t* state) noexcept;
};

/// nullptr: no lanes with this instruction set.
const Md5Lanes* md5_lanes(Isa isa) noexcept;

}  // namespace arcwise
