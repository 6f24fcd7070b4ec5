#include "place/rendezvous.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "hash/murmur3.hpp"
#include "hash/utf8.hpp"

namespace arcwise {
namespace {

void add_text(Murmur32& hash, std::string_view text) noexcept {
  for_each_code_point(text, [&hash](std::uint32_t point) { hash.add(static_cast<std::uint8_t>(point)); });
}

// Python's repr of bytes: b'user:1', b"it's", b'\x00\t\\'.
template <class Put>
void bytes_repr(std::string_view key, const Put& put) noexcept {
  const auto escaped = [&](char c) { put('\\'), put(c); };
  const bool has_single = key.find('\'') != key.npos;
  const char quote = has_single && key.find('"') == key.npos ? '"' : '\'';
  put('b'), put(quote);
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\')
      escaped(c);
    else if (c == '\t')
      escaped('t');
    else if (c == '\n')
      escaped('n');
    else if (c == '\r')
      escaped('r');
    else if (byte >= 0x20 && byte < 0x7f)
      put(c);
    else
      escaped('x'), put("0123456789abcdef"[byte >> 4]), put("0123456789abcdef"[byte & 15]);
  }
  put(quote);
}

// Of equal scores the node whose text is larger wins.
class Pymemcache final : public Chooser {
 public:
  explicit Pymemcache(const ClusterMap& map)
      : nodes_(owning_nodes(map)), bytes_(map.placement().text("key_type") == "bytes") {
    for (NodeIndex n : nodes_) {
      labels_.push_back(map.nodes()[n].label);
      Murmur32 hash(0);
      add_text(hash, labels_.back());
      hash.add('-');
      begun_.push_back(hash);
    }
  }

  void candidates(const Query&, std::string_view key, CandidateVisit visit) const noexcept override {
    const auto score = [&](std::size_t i) {
      Murmur32 hash = begun_[i];
      if (bytes_)
        bytes_repr(key, [&hash](char c) { hash.add(static_cast<std::uint8_t>(c)); });
      else
        add_text(hash, key);
      return hash.finish();
    };
    const auto before = [&](std::uint32_t a, std::size_t i, std::uint32_t b, std::size_t j) {
      if (a != b) return a > b;
      return labels_[i] != labels_[j] ? labels_[i] > labels_[j] : i < j;
    };
    best_first(nodes_, score, before, visit);
  }

 private:
  std::vector<NodeIndex> nodes_;
  std::vector<std::string> labels_;
  std::vector<Murmur32> begun_;  ///< the hash of "NODE-", to be continued with the key
  bool bytes_;
};

}  // namespace

std::string python_repr(std::string_view key) {
  std::string out;
  bytes_repr(key, [&out](char c) { out += c; });
  return out;
}

std::unique_ptr<const Chooser> pymemcache_rendezvous(const ClusterMap& map) {
  return std::make_unique<Pymemcache>(map);
}

}  // namespace arcwise
