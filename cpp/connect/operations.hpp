// SPDX-License-Identifier: Apache-2.0
/// What drawing edges has cost the calling thread, counted per batch and per split, so that law 3 can be tested and not only claimed.
#pragma once
#include <cstdint>

namespace npl::connect {

struct Operations {
  std::uint64_t draws = 0;   ///< random blocks for edges, and places looked up in a permutation
  std::uint64_t splits = 0;  ///< of a count tree or of a tree of distinct targets
};

inline thread_local Operations operations;

}  // namespace npl::connect
