// SPDX-License-Identifier: Apache-2.0
/// Spikes of one slice together with the places of their sources in it: the update knows the place, so nobody has to search for it again.
#pragma once
#include <vector>

#include "base/precise_event.hpp"

namespace npl::sim {

struct SourcedSpikes : Emitted {
  std::vector<Local> sources;  ///< [spikes] index of the source in the slice

  void clear() { Emitted::clear(), sources.clear(); }
  void append(const SourcedSpikes& more) {
    Emitted::append(more);
    sources.insert(sources.end(), more.sources.begin(), more.sources.end());
  }
  std::size_t bytes() const { return Emitted::bytes() + sources.capacity() * sizeof(Local); }
  /// Memory model: bytes of a spike. @param precise do spikes carry offsets?
  static constexpr std::size_t bytes_per_spike(bool precise) { return sizeof(Spike) + sizeof(Local) + (precise ? sizeof(double) : 0); }
};

}  // namespace npl::sim
