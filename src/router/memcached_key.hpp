// The key that a meta command means.
//
// Layer: router. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "router/memcached_reply.hpp"
#include "router/memcached_request.hpp"

namespace arcwise::router {

/// With the flag `b` a key is written in base64, and the item is that of the decoded key, which other
/// commands may name as it is: so its node must be the decoded key's, too. What cannot be decoded stays as it
/// is, and memcached refuses it.
class McKey {
 public:
  McKey(std::string_view written, bool encoded) noexcept;
  std::string_view view() const noexcept { return key_; }
  bool is_decoded() const noexcept { return key_.data() == decoded_.data(); }

 private:
  std::array<char, mc_longest_key> decoded_;
  std::string_view key_;
};

std::string mc_base64(std::string_view bytes);

/// The command that deletes an item, and what is answered. Keys of bytes that stand in no command line are
/// written in base64.
struct McDeletion {
  std::string command;
  McReply reply;
};
McDeletion mc_deletion(std::string_view key);

}  // namespace arcwise::router
