// Instruction sets, chosen while the program runs: a release build runs on every x86-64 and ARM64.
#pragma once

#include <cstdint>

namespace arcwise {

/// Ascending: whoever has one has those before it. `vector128` is SSE2 or NEON, which every x86-64 and ARM64
/// has.
enum class Isa : std::uint8_t { plain, vector128, avx2, avx512 };

/// What this processor and its system allow (AVX2 with BMI; AVX-512: F, BW and VL), at most the limit set.
/// Cost: one load.
Isa isa() noexcept;

/// Answers never depend on it; tests and benchmarks run each path. Asked anew at each batch.
void limit_isa(Isa most) noexcept;

}  // namespace arcwise
