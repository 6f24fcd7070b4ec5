#include "place/ring_index.hpp"

#include "hash/isa.hpp"

namespace arcwise {
namespace {

template <class Line>
using Lines = std::span<const Line* const>;

const RingPlaces& places_of(const RingLine& line) noexcept {
  return line.places;
}
const RingPlaces& places_of(const RingPlaces& line) noexcept {
  return line;
}

std::uint32_t answer(const RingLine& line, std::int16_t place, unsigned below, NodeIndex& out) noexcept {
  out = line.node[below];
  return left_open(line.places, place, below);
}
std::uint32_t answer(const RingPlaces& line, std::int16_t place, unsigned below, NodeIndex& out) noexcept {
  out = below;
  return left_open(line, place, below);
}

template <class Line, auto below>
std::uint32_t batch_portable(Lines<Line> lines, const std::int16_t* places, NodeIndex* out) noexcept {
  std::uint32_t open = 0;
  for (std::size_t i = 0; i < lines.size(); ++i)
    open |= answer(*lines[i], places[i], below(places_of(*lines[i]), places[i]), out[i]) << i;
  return open;
}

#if defined(__x86_64__)
template <class Line>
__attribute__((target("avx2,bmi"))) std::uint32_t batch_avx2(Lines<Line> lines, const std::int16_t* places,
                                                             NodeIndex* out) noexcept {
  std::uint32_t open = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const __m256i words =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(places_of(*lines[i]).word.data()));
    const __m256i less = _mm256_cmpgt_epi16(_mm256_set1_epi16(places[i]), words);
    const auto bits = static_cast<unsigned>(_mm256_movemask_epi8(less));
    const auto below = static_cast<unsigned>(__builtin_ctz(~bits | 0x40000000u)) / 2;
    open |= answer(*lines[i], places[i], below, out[i]) << i;
  }
  return open;
}

template <class Line>
__attribute__((target("avx512f,avx512bw,avx512vl,bmi"))) std::uint32_t batch_avx512(
    Lines<Line> lines, const std::int16_t* places, NodeIndex* out) noexcept {
  std::uint32_t open = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const __m256i words =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(places_of(*lines[i]).word.data()));
    const unsigned bits = _mm256_cmpgt_epi16_mask(_mm256_set1_epi16(places[i]), words);
    const auto below = static_cast<unsigned>(__builtin_ctz(~bits | 0x8000u));
    open |= answer(*lines[i], places[i], below, out[i]) << i;
  }
  return open;
}
#endif

}  // namespace

template <class Line>
RingBatch<Line> ring_batch() noexcept {
  switch (isa()) {
#if defined(__x86_64__)
    case Isa::avx512:
      return batch_avx512<Line>;
    case Isa::avx2:
      return batch_avx2<Line>;
#endif
    case Isa::plain:
      return batch_portable<Line, tokens_below_plain>;
    default:
      return batch_portable<Line, tokens_below>;
  }
}
template RingBatch<RingLine> ring_batch<RingLine>() noexcept;
template RingBatch<RingPlaces> ring_batch<RingPlaces>() noexcept;

}  // namespace arcwise
