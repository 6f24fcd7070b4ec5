#include "place/haproxy_key.hpp"

#include "hash/bytes.hpp"
#include "hash/haproxy.hpp"
#include "place/ip_address.hpp"

namespace arcwise {
namespace {

bool has_avalanche(KeyHashId hash) noexcept {
  return hash == KeyHashId::sdbm_avalanche || hash == KeyHashId::djb2_avalanche ||
         hash == KeyHashId::wt6_avalanche || hash == KeyHashId::crc32_avalanche ||
         hash == KeyHashId::decimal32_avalanche;
}

// `len` cuts first; then a slash too many, or a question mark, ends the part that counts.
std::string_view uri_part(std::string_view uri, std::size_t length, std::uint32_t depth) noexcept {
  if (length > 0) uri = uri.substr(0, length);
  std::uint32_t slashes = 0;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const bool too_deep = uri[i] == '/' && depth > 0 && ++slashes == depth + 1;
    if (too_deep || uri[i] == '?') return uri.substr(0, i);
  }
  return uri;
}

}  // namespace

HaproxyKey::HaproxyKey(const PlacementSettings& placement)
    : hash_(placement.hash),
      length_(static_cast<std::uint32_t>(placement.integer("uri_len"))),
      depth_(static_cast<std::uint32_t>(placement.integer("uri_depth"))) {
  const std::string_view balance = placement.text("balance");
  if (balance == "uri") balance_ = Balance::uri;
  if (balance == "source") balance_ = Balance::source;
  if (balance == "hash-src") balance_ = Balance::hash_src;
}

std::string_view HaproxyKey::value(std::string_view key) const noexcept {
  return balance_ == Balance::uri ? uri_part(key, length_, depth_) : key;
}

std::uint32_t HaproxyKey::hash(std::string_view value) const noexcept {
  const auto address =
      balance_ == Balance::source || balance_ == Balance::hash_src ? ip_address(value) : std::nullopt;
  if (!address || balance_ == Balance::hash_src)
    return static_cast<std::uint32_t>(key_hash(hash_, address ? address->view() : value));
  std::uint32_t words = 0;
  for (std::size_t at = 0; at < address->size; at += 4) words ^= bytes::load_be32(address->bytes.data() + at);
  return has_avalanche(hash_) ? full_hash(words) : words;
}

}  // namespace arcwise
