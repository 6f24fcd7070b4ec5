#include "hash/digest_positions.hpp"

#include "hash/bytes.hpp"
#include "hash/md5.hpp"
#include "hash/sha1.hpp"

namespace arcwise {
namespace {

// Tags of Erlang's external term format.
constexpr std::string_view version = "\x83";
constexpr std::string_view pair = "h\x02";

void add_binary(Sha1& hash, std::string_view binary) noexcept {
  char head[5] = {'m'};
  bytes::store_be32(head + 1, static_cast<std::uint32_t>(binary.size()));
  hash.update({head, sizeof head});
  hash.update(binary);
}

}  // namespace

u128 md5_u128(std::string_view input) noexcept {
  const auto digest = md5(input);
  return u128{bytes::load_be64(digest.data())} << 64 | bytes::load_be64(digest.data() + 8);
}

u128 random_partitioner_token(std::string_view input) noexcept {
  if (input.empty()) return 0;
  const u128 number = md5_u128(input);
  return number >> 127 == 0 ? number : ~number + 1;
}

std::array<std::uint8_t, 20> riak_key_index(std::string_view type, std::string_view bucket,
                                            std::string_view key) noexcept {
  Sha1 hash;
  hash.update(version);
  hash.update(pair);
  if (!type.empty() && type != "default") {
    hash.update(pair);
    add_binary(hash, type);
  }
  add_binary(hash, bucket);
  add_binary(hash, key);
  return hash.finish();
}

}  // namespace arcwise
