#include "place/ring_index.hpp"

#include "hash/isa.hpp"

namespace arcwise {
namespace {

using Lines = std::span<const RingPlaces* const>;

void below_plain(Lines lines, const std::int16_t* places, std::uint8_t* below) noexcept {
  for (std::size_t i = 0; i < lines.size(); ++i)
    below[i] = static_cast<std::uint8_t>(tokens_below_plain(*lines[i], places[i]));
}

void below_vector128(Lines lines, const std::int16_t* places, std::uint8_t* below) noexcept {
  for (std::size_t i = 0; i < lines.size(); ++i)
    below[i] = static_cast<std::uint8_t>(tokens_below(*lines[i], places[i]));
}

#if defined(__x86_64__)
__attribute__((target("avx2,bmi"))) void below_avx2(Lines lines, const std::int16_t* places,
                                                    std::uint8_t* below) noexcept {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const __m256i words = _mm256_load_si256(reinterpret_cast<const __m256i*>(lines[i]->word.data()));
    const __m256i less = _mm256_cmpgt_epi16(_mm256_set1_epi16(places[i]), words);
    const auto bits = static_cast<unsigned>(_mm256_movemask_epi8(less));
    below[i] = static_cast<std::uint8_t>(__builtin_ctz(~bits | 0x40000000u) / 2);
  }
}

__attribute__((target("avx512f,avx512bw,avx512vl,bmi"))) void below_avx512(Lines lines,
                                                                           const std::int16_t* places,
                                                                           std::uint8_t* below) noexcept {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const __m256i words = _mm256_load_si256(reinterpret_cast<const __m256i*>(lines[i]->word.data()));
    const unsigned bits = _mm256_cmpgt_epi16_mask(_mm256_set1_epi16(places[i]), words);
    below[i] = static_cast<std::uint8_t>(__builtin_ctz(~bits | 0x8000u));
  }
}
#endif

}  // namespace

void tokens_below(Lines lines, const std::int16_t* places, std::uint8_t* below) noexcept {
  switch (isa()) {
#if defined(__x86_64__)
    case Isa::avx512:
      return below_avx512(lines, places, below);
    case Isa::avx2:
      return below_avx2(lines, places, below);
#endif
    case Isa::plain:
      return below_plain(lines, places, below);
    default:
      return below_vector128(lines, places, below);
  }
}

}  // namespace arcwise
