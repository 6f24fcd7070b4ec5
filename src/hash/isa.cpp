#include "hash/isa.hpp"

#include <algorithm>
#include <atomic>

namespace arcwise {
namespace {

Isa detect() noexcept {
#if defined(__x86_64__)
  // Every processor with AVX2 has BMI; a hypervisor may hide it all the same.
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi")) return Isa::vector128;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512vl")
             ? Isa::avx512
             : Isa::avx2;
#elif defined(__aarch64__)
  return Isa::vector128;
#else
  return Isa::plain;
#endif
}

std::atomic<Isa> limit{Isa::avx512};

}  // namespace

Isa isa() noexcept {
  static const Isa best = detect();
  return std::min(best, limit.load(std::memory_order_relaxed));
}

void limit_isa(Isa most) noexcept {
  limit.store(most, std::memory_order_relaxed);
}

}  // namespace arcwise
