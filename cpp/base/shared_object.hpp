// SPDX-License-Identifier: Apache-2.0
/// Models that were compiled by themselves, in shared objects.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/simd.hpp"

namespace npl {

/// Raised when what a shared object gives the kernel, or what its functions are called with, changes its meaning.
inline constexpr std::uint32_t model_abi = 4;

/// What a compiled model begins with. It may be the work of another compiler, with another standard library, than the kernel.
struct Compiled {
  std::uint32_t abi = model_abi;
  Isa level = isa();           ///< of its loops
  bool plain_vectors = false;  ///< a std::vector is its begin, its end and the end of its memory
};

inline Compiled compiled() {
  std::vector<std::uint64_t> list;
  list.reserve(4);
  list.push_back(1);
  const std::uint64_t* words[3] = {};
  static_assert(sizeof list == sizeof words);
  __builtin_memcpy(&words, &list, sizeof words);
  return {.plain_vectors = words[0] == list.data() && words[1] == list.data() + 1 && words[2] == list.data() + list.capacity()};
}

/// The function of this name in a shared object, which stays loaded: what it describes points into it. Null: it has none, and is closed.
/// Throws BadParameter where it cannot be opened.
void* find_in_object(const std::string& path, const char* name);
/// "a compiled model: why".
std::string compiled_model_text(const std::string& why);
/// Why a compiled model cannot be used, as compiled_model_text; "": it can. @param same_layout of what both sides look into
std::string fault_of(const Compiled& model, bool same_layout);

}  // namespace npl
