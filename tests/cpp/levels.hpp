// SPDX-License-Identifier: Apache-2.0
/// Tests run with each instruction set that was compiled and that this processor has. CI compiles all that its processor has.
#pragma once
#include <vector>

#include "base/simd.hpp"

namespace npl {

/// The lowest first.
inline std::vector<Isa> tested_levels() {
  const Isa before = isa();
  std::vector<Isa> found;
  for (const Isa level : {Isa::baseline, Isa::v3, Isa::v4})
    if (set_isa(level)) found.push_back(level);
  set_isa(before);
  return found;
}

/// Runs a piece of a test at every level.
template <class F>
void at_every_level(F&& f) {
  const Isa before = isa();
  for (const Isa level : tested_levels()) {
    set_isa(level);
    f(level);
  }
  set_isa(before);
}

}  // namespace npl
