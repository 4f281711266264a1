// SPDX-License-Identifier: Apache-2.0
/// Values of edges that are known: weights, delays and parameters given as formulas of positions.
#pragma once
#include <vector>

#include "connect/space/program.hpp"
#include "connect/space/strips.hpp"

namespace npl::connect::space {

/// Both ends of edges as indices into positions.
struct Ends {
  int dims;
  std::vector<double> period;         ///< (dims,) displacements are folded to the shortest image; empty: not folded
  Column source_at[3], target_at[3];  ///< coordinates by index
  Numbers source, target;             ///< [edges] indices
};

/// out[i] = value of the formula for edge i; it depends on neither the other edges nor the threads. The program must not read places in
/// masks. Throws BadParameter for an index without a position.
void evaluate(const Program&, const Ends&, int threads, double* out);

}  // namespace npl::connect::space
