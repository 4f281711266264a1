// SPDX-License-Identifier: Apache-2.0
/// One function body compiled for several instruction sets, chosen at run time (env NEUROPIL_SIMD overrides, for tests).
#pragma once
#include <cstdint>
#include <string_view>

#ifdef __CUDACC__
/// Marks functions of a model's step that are not inlined: the CUDA compiler compiles them, and all inlined ones, for the device as well.
#define NPL_STEP __host__ __device__
#define NPL_INLINE NPL_STEP inline
#else
#define NPL_STEP
#define NPL_INLINE [[gnu::always_inline]] inline
#endif
/// Inlining is not left to the compiler's judgement: a call in a loop keeps it scalar.
#define NPL_INLINE_LAMBDA __attribute__((always_inline))
/// Before a loop: its steps do not depend on each other; it is unrolled n times.
#define NPL_PRAGMA(text) _Pragma(#text)
#ifdef __CUDACC__
#define NPL_IVDEP
#define NPL_UNROLL(n)
#elif defined(__clang__)
#define NPL_IVDEP NPL_PRAGMA(clang loop vectorize(assume_safety))
#define NPL_UNROLL(n) NPL_PRAGMA(clang loop unroll_count(n))
#else
#define NPL_IVDEP NPL_PRAGMA(GCC ivdep)
#define NPL_UNROLL(n) NPL_PRAGMA(GCC unroll n)
#endif

namespace npl {

enum class Isa { baseline, v3, v4 };  ///< x86-64 level: SSE2, AVX2, AVX-512

std::string_view isa_name(Isa) noexcept;
/// Change the level (tests only; not while a network runs). Returns false, and changes nothing, when this machine or build lacks it.
bool set_isa(Isa) noexcept;
/// The best level of this machine.
Isa machine_isa() noexcept;

// Of the CMake option NEUROPIL_ISA, as numbers of Isa: NPL_ONLY_ISA, the only level that is compiled, or NPL_MOST_ISA, the highest one.
// Without NPL_ONLY_ISA the best level is chosen at run time.
#ifdef NPL_ONLY_ISA
constexpr bool has_isa(Isa level) { return level == Isa{NPL_ONLY_ISA}; }
constexpr Isa isa() noexcept { return Isa{NPL_ONLY_ISA}; }
#else
#ifndef NPL_MOST_ISA
#define NPL_MOST_ISA 2
#endif
constexpr bool has_isa(Isa level) { return level <= Isa{NPL_MOST_ISA}; }
/// The level in use: the best that machine and build have, or the value of NEUROPIL_SIMD (baseline, v3, v4) where they have it.
Isa isa() noexcept;
#endif

}  // namespace npl

#if defined(__x86_64__)
#if (defined(NPL_ONLY_ISA) && NPL_ONLY_ISA == 2) || (!defined(NPL_ONLY_ISA) && NPL_MOST_ISA == 2)
#define NPL_WITH_V4  ///< code with intrinsics of AVX-512 is compiled
#endif
#define NPL_TARGET_V3 [[gnu::target("arch=x86-64-v3")]]
#define NPL_TARGET_V4 [[gnu::target("arch=x86-64-v4")]]
#else
#define NPL_TARGET_V3
#define NPL_TARGET_V4
#endif

namespace npl {
/// Fetches the cache lines of an array.
NPL_INLINE void prefetch_lines(const void* begin, std::size_t bytes) {
  constexpr std::uintptr_t line = 64;  // none beyond the last: a row of two synapses would fetch twice as many
  const auto first = reinterpret_cast<std::uintptr_t>(begin), end = first + bytes;
  for (std::uintptr_t at = first & ~(line - 1); at < end; at += line) __builtin_prefetch(reinterpret_cast<const void*>(at));
}

/// `run(args...)` calls Body::run, an always_inline function compiled once per level; or Body::run<level>, where what is fastest depends on
/// the level. -ffp-contract=off: same bits on every level (law 1).
template <class Body>
struct Dispatch {
  template <class... A>
  [[gnu::noinline]] static void baseline(A... a) {
    at<Isa::baseline>(a...);
  }
  template <class... A>
  NPL_TARGET_V3 [[gnu::noinline]] static void v3(A... a) {
    at<Isa::v3>(a...);
  }
  template <class... A>
  NPL_TARGET_V4 [[gnu::noinline]] static void v4(A... a) {
    at<Isa::v4>(a...);
  }

  /// Calls the version of the current level; a device has one only.
  template <class... A>
  NPL_STEP static void run(A... a) {
#ifdef __CUDACC__
    at<Isa::baseline>(a...);
#else
    if constexpr (has_isa(Isa::v4))
      if (isa() == Isa::v4) return v4(a...);
    if constexpr (has_isa(Isa::v3))
      if (isa() == Isa::v3) return v3(a...);
    if constexpr (has_isa(Isa::baseline)) baseline(a...);
#endif
  }

 private:
  template <Isa level, class... A>
  NPL_INLINE static void at(A... a) {
    if constexpr (requires { Body::template run<level>(a...); })
      Body::template run<level>(a...);
    else
      Body::run(a...);
  }
};
}  // namespace npl
