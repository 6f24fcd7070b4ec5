#include "router/coalesce.hpp"

#include "arcwise/hash.hpp"

namespace arcwise::router {

KeyMark WriteMarks::of(std::string_view key) noexcept {
  return static_cast<KeyMark>(key_hash(KeyHashId::xxh3, key) % size);
}

ReadsInFlight::Read& ReadsInFlight::at(std::uint32_t server, std::string_view command) {
  constexpr std::size_t size = 1024;
  if (table_.empty()) table_.resize(size);
  return table_[(key_hash(KeyHashId::xxh3, command) + server) % size];
}

std::uint32_t Riders::add(std::uint32_t at, const Part& part) {
  if (free_ == 0) {
    all_.emplace_back();
    free_ = static_cast<std::uint32_t>(all_.size());
  }
  const std::uint32_t number = free_;
  free_ = all_[number - 1].next;
  all_[number - 1] = {part, at};
  return number;
}

}  // namespace arcwise::router
