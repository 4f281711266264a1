// SPDX-License-Identifier: Apache-2.0
/// Spikes between grid points (docs/adr/0010-precise-spikes.md): their time is that of the end of a step less an offset.
#pragma once
#include <tuple>
#include <vector>

#include "base/ids.hpp"

namespace npl {

/// What arrives at a node of a slice inside a step.
struct PreciseEvent {
  Local target;
  std::int32_t receptor;
  double offset;  ///< before the end of the step [ms], >= 0 and below the resolution
  double weight;
};

/// By node, then in the order of time; total but for events that are equal, so that sums in this order are the same everywhere (law 1).
inline bool canonical(const PreciseEvent& a, const PreciseEvent& b) {
  return std::tie(a.target, b.offset, a.receptor, a.weight) < std::tie(b.target, a.offset, b.receptor, b.weight);
}

/// Spikes as somebody emitted them.
struct Emitted {
  std::vector<Spike> spikes;
  std::vector<double> offsets;  ///< of the spikes [ms]; those past its end have offset 0, so that it stays empty where nobody is precise

  double offset(std::size_t i) const { return i < offsets.size() ? offsets[i] : 0.0; }
  void clear() { spikes.clear(), offsets.clear(); }
  void append(const Emitted& more) {
    if (!more.offsets.empty()) {
      offsets.resize(spikes.size());
      offsets.insert(offsets.end(), more.offsets.begin(), more.offsets.end());
    }
    spikes.insert(spikes.end(), more.spikes.begin(), more.spikes.end());
  }
  std::size_t bytes() const { return spikes.capacity() * sizeof(Spike) + offsets.capacity() * sizeof(double); }
};

}  // namespace npl
