// Points made of a text: a digest's words, or one hash.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hash/bytes.hpp"
#include "hash/md5.hpp"
#include "place/methods.hpp"

namespace arcwise {

/// The texts STEM-0, STEM-1, …; the view is good until the next call.
class NumberedText {
 public:
  explicit NumberedText(std::string_view label, char separator = '-')
      : text_(label), stem_(label.size() + 1) {
    text_ += separator;
  }
  std::string_view at(std::uint64_t i) {
    text_.resize(stem_);
    text_ += std::to_string(i);
    return text_;
  }

 private:
  std::string text_;
  std::size_t stem_;
};

/// The first `words` 32-bit words of a digest, least significant byte first: libketama's four points.
template <class Digest>
void word_points(const Digest& digest, std::size_t words, NodeIndex n, std::vector<RingPoint>& out) {
  for (std::size_t i = 0; i < words; ++i) out.push_back({{bytes::load_le32(digest.data() + 4 * i)}, n});
}

/// Four points for each of LABEL-0 … LABEL-(digests-1).
inline void md5_points(std::string_view label, std::uint64_t digests, NodeIndex n,
                       std::vector<RingPoint>& out) {
  NumberedText text(label);
  for (std::uint64_t k = 0; k < digests; ++k) word_points(md5(text.at(k)), 4, n, out);
}

/// One point for each of LABEL-0 … LABEL-(count-1).
inline void hash_points(KeyHashId hash, ByteSign sign, std::string_view label, std::uint64_t count,
                        NodeIndex n, std::vector<RingPoint>& out) {
  NumberedText text(label);
  for (std::uint64_t k = 0; k < count; ++k) out.push_back({{key_hash(hash, text.at(k), sign)}, n});
}

}  // namespace arcwise
