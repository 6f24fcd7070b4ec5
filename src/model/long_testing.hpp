// For tests of files x_long_test.cpp, which run twice: with the release build, and with the sanitized one,
// where the same takes ten times as long.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define ARCWISE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARCWISE_SANITIZED 1
#endif
#endif

namespace arcwise::testing {

/// The step of a loop over all cases: 1, or `step` under sanitizers.
constexpr std::size_t every([[maybe_unused]] std::size_t step) {
#ifdef ARCWISE_SANITIZED
  return step;
#else
  return 1;
#endif
}

}  // namespace arcwise::testing
