// SPDX-License-Identifier: Apache-2.0
/// Currents that decay for seconds end as subnormal numbers, which many processors handle 10 to 100 times slower: here they become 0.
/// All node updates run under it, so results do not depend on the thread or the SIMD level (law 1).
#pragma once
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace npl::nodes {

/// While it lives, subnormal operands and results of this thread are zero.
class FlushSubnormals {
 public:
#if defined(__SSE2__)
  FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }  // flush to zero, denormals are zero
  ~FlushSubnormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#elif defined(__aarch64__)
  FlushSubnormals() : before_(get()) { set(before_ | (std::uint64_t{1} << 24)); }
  ~FlushSubnormals() { set(before_); }

 private:
  static std::uint64_t get() {
    std::uint64_t v;
    asm volatile("mrs %0, fpcr" : "=r"(v));
    return v;
  }
  static void set(std::uint64_t v) { asm volatile("msr fpcr, %0" : : "r"(v)); }
  std::uint64_t before_;
#else
  FlushSubnormals() {}
#endif
 public:
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;
};

}  // namespace npl::nodes
