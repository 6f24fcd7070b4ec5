#include "place/ring_batch.hpp"

#include "hash/isa.hpp"

namespace arcwise {
namespace {

template <class Line>
constexpr std::size_t block = RingBatch<Line>::block;
template <class Line>
constexpr std::size_t group = RingBatch<Line>::group;

std::uint32_t answer(const RingLine& line, unsigned below) noexcept {
  return line.node[below];
}
std::uint32_t answer(const RingPlaces&, unsigned below) noexcept {
  return below;
}
template <class Line>
const RingPlaces& places_of(const Line& line) noexcept {
  return RingIndex<Line>::places(line);
}

template <class Line>
void spots_portable(const std::uint64_t* hashes, unsigned shift, std::uint64_t count,
                    BatchSpot* out) noexcept {
  for (std::size_t i = 0; i < block<Line>; ++i) {
    const RingSpot at = ring_spot(hashes[i] << shift, count);
    out[i] = {static_cast<std::uint32_t>(at.line), at.place, at.place};
  }
}

template <class Line, auto below_of>
std::uint32_t answers_portable(const Line* lines, const BatchSpot* spots, NodeIndex* out) noexcept {
  std::uint32_t open = 0;
  for (std::size_t i = 0; i < block<Line>; ++i) {
    const Line& line = lines[spots[i].line];
    const unsigned below = below_of(places_of(line), spots[i].place);
    out[i] = answer(line, below);
    open |= std::uint32_t{left_open(places_of(line), spots[i].place, below)} << i;
  }
  return open;
}

#if defined(__x86_64__)
#define ARCWISE_AVX2 __attribute__((target("avx2,bmi")))

// hash · count is wanted to 80 bits: with hash = a · 2^32 + b, a · count + (b · count >> 32) is its upper
// part without the lowest 32 bits. Of that the upper half is the line, the next 16 bits are the place.
constexpr long long spot_bytes = 0x0302'0302'0706'0504;  // of such a number, as BatchSpot has them
constexpr long long flip = static_cast<long long>(0x8000'8000'0000'0000);

ARCWISE_AVX2 void spots_avx2(const std::uint64_t* hashes, unsigned shift, std::uint64_t count,
                             BatchSpot* out) noexcept {
  const __m256i lines = _mm256_set1_epi64x(static_cast<long long>(count));
  const __m128i left = _mm_cvtsi32_si128(static_cast<int>(shift));
  const __m256i order =
      _mm256_broadcastsi128_si256(_mm_set_epi64x(spot_bytes + 0x0808'0808'0808'0808, spot_bytes));
  for (std::size_t i = 0; i < block<RingLine>; i += 4) {
    const __m256i hash =
        _mm256_sll_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(hashes + i)), left);
    const __m256i low = _mm256_srli_epi64(_mm256_mul_epu32(hash, lines), 32);
    const __m256i product = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(hash, 32), lines), low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_xor_si256(_mm256_shuffle_epi8(product, order), _mm256_set1_epi64x(flip)));
  }
}

template <class Line>
std::uint32_t open_of_group(const Line* lines, const BatchSpot* spots) noexcept {
  std::uint32_t open = 0;
  for (std::size_t i = 0; i < group<Line>; ++i) {
    const RingPlaces& places = places_of(lines[spots[i].line]);
    open |= std::uint32_t{left_open(places, spots[i].place, tokens_below(places, spots[i].place))} << i;
  }
  return open;
}

// An answer may be open where a token is at the very place, or all that the line shows are below: over the
// eight lines of a group, equal words are gathered, and the bit that tells 15 from fewer.
template <class Line>
ARCWISE_AVX2 std::uint32_t answers_avx2(const Line* lines, const BatchSpot* spots, NodeIndex* out) noexcept {
  std::uint32_t open = 0;
  for (std::size_t from = 0; from < block<Line>; from += group<Line>) {
    __m256i equal = _mm256_setzero_si256();
    unsigned full = 0;
    for (std::size_t i = from; i < from + group<Line>; ++i) {
      const Line& line = lines[spots[i].line];
      std::int32_t twice;
      std::memcpy(&twice, &spots[i].place, sizeof twice);
      const __m256i words = _mm256_load_si256(reinterpret_cast<const __m256i*>(places_of(line).word.data()));
      const __m256i wanted = _mm256_set1_epi32(twice);
      equal = _mm256_or_si256(equal, _mm256_cmpeq_epi16(words, wanted));
      // Tokens above; where none is equal, all others are below. Two bits a word, and the last is no place.
      const auto above = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpgt_epi16(words, wanted)));
      const auto twice_below = static_cast<unsigned>(__builtin_ctz(above | 0x40000000u));
      full |= twice_below + 2;
      out[i] = answer(line, twice_below / 2);
    }
    const auto suspect = static_cast<unsigned>(_mm256_movemask_epi8(equal)) | (full & 32);
    if (suspect != 0) [[unlikely]]
      open |= open_of_group(lines, spots + from) << from;
  }
  return open;
}
#endif

}  // namespace

template <class Line>
RingBatch<Line> RingBatch<Line>::best() noexcept {
  switch (isa()) {
#if defined(__x86_64__)
    // Vectors of 512 bits gain nothing here: a line's places fill 256.
    case Isa::avx512:
    case Isa::avx2:
      return {spots_avx2, answers_avx2<Line>};
#endif
    case Isa::plain:
      return {spots_portable<Line>, answers_portable<Line, tokens_below_plain>};
    default:
      return {spots_portable<Line>, answers_portable<Line, tokens_below>};
  }
}
template struct RingBatch<RingLine>;
template struct RingBatch<RingPlaces>;

}  // namespace arcwise
