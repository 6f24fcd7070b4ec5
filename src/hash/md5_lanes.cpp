// One text (md5_lanes.inc) for 4, 8 and 16 lanes, in vectors of the compiler's own.
//
// Every function carries its instruction set as an attribute; the file is compiled for the plain processor.
// So an inline function of a header that is not inlined here is compiled plainly, and the linker cannot
// choose an AVX copy of it for the whole program, as it could if the file had -mavx2. A template shared by
// all widths would not do: GCC takes vectors apart that the enclosing function has no instructions for,
// before it inlines.
#include "hash/md5_lanes.hpp"

#include <cstring>
#include <utility>

#include "hash/md5_block.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace arcwise {
namespace {

template <std::size_t count>
void pad(const std::string_view* messages, Md5Block* blocks) noexcept {
  for (std::size_t i = 0; i < count; ++i) md5_block::pad(messages[i], blocks[i]);
}

#if defined(__x86_64__) || defined(__aarch64__)
namespace vector128 {
constexpr std::size_t lanes = 4;
typedef std::uint32_t Word __attribute__((vector_size(16)));
#define MD5_TARGET
[[gnu::always_inline]] inline Word row(const Md5Block* blocks, std::size_t word) noexcept {
  Word loaded;
  std::memcpy(&loaded, blocks[0] + word, sizeof loaded);
  return loaded;
}
#include "hash/md5_lanes.inc"
#undef MD5_TARGET
}  // namespace vector128
#endif

#if defined(__x86_64__)
inline __m128i four(const std::uint32_t* words) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(words));
}

namespace avx2 {
constexpr std::size_t lanes = 8;
typedef std::uint32_t Word __attribute__((vector_size(32)));
#define MD5_TARGET [[gnu::target("avx2")]]
MD5_TARGET [[gnu::always_inline]] inline Word row(const Md5Block* blocks, std::size_t word) noexcept {
  return reinterpret_cast<Word>(
      _mm256_inserti128_si256(_mm256_castsi128_si256(four(blocks[0] + word)), four(blocks[4] + word), 1));
}
#include "hash/md5_lanes.inc"
#undef MD5_TARGET
}  // namespace avx2

namespace avx512 {
constexpr std::size_t lanes = 16;
typedef std::uint32_t Word __attribute__((vector_size(64)));
#define MD5_TARGET [[gnu::target("avx512f,avx512bw,avx512vl")]]
MD5_TARGET [[gnu::always_inline]] inline Word row(const Md5Block* blocks, std::size_t word) noexcept {
  __m512i all = _mm512_castsi128_si512(four(blocks[0] + word));
  all = _mm512_inserti32x4(all, four(blocks[4] + word), 1);
  all = _mm512_inserti32x4(all, four(blocks[8] + word), 2);
  return reinterpret_cast<Word>(_mm512_inserti32x4(all, four(blocks[12] + word), 3));
}
#include "hash/md5_lanes.inc"

/// As md5_block::pad without a branch that depends on the size: bytes beyond the message are masked, not
/// read.
MD5_TARGET void pad(const std::string_view* messages, Md5Block* blocks) noexcept {
  for (std::size_t i = 0; i < chains * lanes; ++i) {
    const std::size_t size = messages[i].size();
    const __mmask64 end = __mmask64{1} << size;
    __m512i block = _mm512_maskz_loadu_epi8(end - 1, messages[i].data());
    block = _mm512_mask_blend_epi8(end, block, _mm512_set1_epi8(-128));
    block = _mm512_mask_set1_epi32(block, 1 << 14, static_cast<int>(8 * size));
    _mm512_storeu_si512(blocks[i], block);
  }
}
#undef MD5_TARGET
}  // namespace avx512
#endif

}  // namespace

const Md5Lanes* md5_lanes(Isa isa) noexcept {
#if defined(__x86_64__)
  static constexpr Md5Lanes lanes16{32, avx512::pad, avx512::compress};
  static constexpr Md5Lanes lanes8{16, pad<16>, avx2::compress};
  if (isa == Isa::avx512) return &lanes16;
  if (isa == Isa::avx2) return &lanes8;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  static constexpr Md5Lanes lanes4{8, pad<8>, vector128::compress};
  if (isa != Isa::plain) return &lanes4;
#endif
  return nullptr;
}

}  // namespace arcwise
