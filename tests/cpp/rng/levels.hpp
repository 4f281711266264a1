// SPDX-License-Identifier: Apache-2.0
/// Runs a piece of a test at every SIMD level that this machine has.
#pragma once
#include "base/simd.hpp"

template <class F>
void at_every_level(F&& f) {
  const npl::Isa before = npl::isa();
  for (npl::Isa level : {npl::Isa::baseline, npl::Isa::v3, npl::Isa::v4})
    if (npl::set_isa(level)) f(level);
  npl::set_isa(before);
}
