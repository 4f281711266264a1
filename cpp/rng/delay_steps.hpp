// SPDX-License-Identifier: Apache-2.0
/// Delays of many edges in steps.
#pragma once
#include <span>

#include "base/ids.hpp"

namespace npl::rng {

/// Each delay [ms] in steps, rounded to nearest; 0 where delay_steps() throws. out [delays_ms.size()].
void steps_or_0(std::span<const double> delays_ms, double resolution_ms, Delay* out);

}  // namespace npl::rng
