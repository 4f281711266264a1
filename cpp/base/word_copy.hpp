// SPDX-License-Identifier: Apache-2.0
/// Copies of structs that were written word by word just before.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/simd.hpp"

namespace npl {

/// Copies a struct in words of 8 bytes. The compiler would load it by vectors. A vector load waits for the cache if its bytes were stored
/// by several instructions just before (no store forwarding), which is a fifth of a step of one neuron.
template <class T>
NPL_INLINE void copy_by_words(T& to, const T& from) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0);
  const auto one = [&](std::size_t k) NPL_INLINE_LAMBDA {
    std::uint64_t word;
    std::memcpy(&word, reinterpret_cast<const char*>(&from) + k * sizeof word, sizeof word);
#ifndef __CUDACC__
    asm("" : "+r"(word));  // words are not joined to vectors
#endif
    std::memcpy(reinterpret_cast<char*>(&to) + k * sizeof word, &word, sizeof word);
  };
  [&]<std::size_t... K>(std::index_sequence<K...>)
      NPL_INLINE_LAMBDA { (one(K), ...); }(std::make_index_sequence<sizeof(T) / sizeof(std::uint64_t)>{});
}

}  // namespace npl
