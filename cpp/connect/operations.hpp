// SPDX-License-Identifier: Apache-2.0
/// Counters of the work of drawing edges, per thread: tests use them to check that no rank does work proportional to the whole (law 3).
#pragma once
#include <cstdint>

namespace npl::connect {

struct Operations {
  std::uint64_t draws = 0;   ///< random blocks for edges, and lookups in a permutation
  std::uint64_t splits = 0;  ///< splits of a CountTree or of DistinctTargets
};

inline thread_local Operations operations;

}  // namespace npl::connect
