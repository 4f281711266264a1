// SPDX-License-Identifier: Apache-2.0
/// Bandwidth of the machine by size of the array: the least that moving bytes costs, in each level of the caches and in memory.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>

#include "base/buffer.hpp"
#include "base/simd.hpp"

namespace npl {
namespace {

using Words = Buffer<std::uint64_t>;

struct ReadLoop {
  NPL_INLINE static void run(std::uint64_t* words, std::size_t n) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < n; ++i) all ^= words[i];
    benchmark::DoNotOptimize(all);
  }
};

struct UpdateLoop {
  NPL_INLINE static void run(std::uint64_t* words, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) words[i] += i;
  }
};

struct WriteLoop {
  NPL_INLINE static void run(std::uint64_t* words, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) words[i] = i;
  }
};

/// @param moved how often each byte is
template <class Loop, int moved>
void memory(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0)) / sizeof(std::uint64_t);
  Words words(n);
  std::fill_n(words.data(), n, 1);
  for (auto _ : state) {
    Dispatch<Loop>::run(words.data(), n);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(moved * state.range(0) * state.iterations());
}
constexpr std::int64_t smallest = 1 << 13, largest = 1 << 30;
BENCHMARK(memory<ReadLoop, 1>)->Name("memory/read")->RangeMultiplier(2)->Range(smallest, largest);
BENCHMARK(memory<UpdateLoop, 2>)->Name("memory/update")->RangeMultiplier(2)->Range(smallest, largest);
BENCHMARK(memory<WriteLoop, 1>)->Name("memory/write")->RangeMultiplier(2)->Range(smallest, largest);

}  // namespace
}  // namespace npl
