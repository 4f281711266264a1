// SPDX-License-Identifier: Apache-2.0
/// Off-grid spikes (docs/adr/0010-precise-spikes.md): the time of a spike is the end of its step minus a sub-step offset.
#pragma once
#include <tuple>
#include <vector>

#include "base/ids.hpp"

namespace npl {

/// An off-grid spike that arrives at a node within a step.
struct PreciseEvent {
  Local target;
  std::int32_t receptor;
  double offset;  ///< time from the spike to the end of the step [ms], 0 <= offset < resolution
  double weight;  ///< in the unit of the receptor
};

/// Order by node, then time, then receptor and weight. Events that compare equal are identical, so sums in this order have the same bits
/// everywhere (law 1).
inline bool canonical(const PreciseEvent& a, const PreciseEvent& b) {
  return std::tie(a.target, b.offset, a.receptor, a.weight) < std::tie(b.target, a.offset, b.receptor, b.weight);
}

/// Brings events into this order. What one spike sends is mostly in order already: such runs are merged.
void sort_canonically(std::vector<PreciseEvent>& events);

/// Emitted spikes with their sub-step offsets.
struct Emitted {
  std::vector<Spike> spikes;
  std::vector<double> offsets;  ///< [ms]; may be shorter than `spikes`: missing ones are 0, so networks without off-grid models store none

  /// Offset of spike i [ms].
  double offset(std::size_t i) const { return i < offsets.size() ? offsets[i] : 0.0; }
  void clear() { spikes.clear(), offsets.clear(); }
  /// Appends other spikes.
  void append(const Emitted& more) {
    if (!more.offsets.empty()) {
      offsets.resize(spikes.size());
      offsets.insert(offsets.end(), more.offsets.begin(), more.offsets.end());
    }
    spikes.insert(spikes.end(), more.spikes.begin(), more.spikes.end());
  }
  /// Bytes allocated.
  std::size_t bytes() const { return spikes.capacity() * sizeof(Spike) + offsets.capacity() * sizeof(double); }
};

}  // namespace npl
