// SPDX-License-Identifier: Apache-2.0
/// Spikes per bin of time. The step of a spike decides its bin: step n is the time (n, n + 1] * dt, also of spikes between grid points.
#pragma once
#include "sim/binned.hpp"

namespace npl::sim {

class SpikeCounts : public Binned {
 public:
  using Binned::Binned;
  static constexpr const char* kind = "rate";
  static constexpr unsigned phases = bit(end_of_part);
  void end(const PartSteps&, SourcedSpikes& out) override {
    for (std::size_t i = 0; i < out.spikes.size(); ++i) count(out.sources[i], out.spikes[i].step);
  }
};

}  // namespace npl::sim
