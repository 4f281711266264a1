// SPDX-License-Identifier: Apache-2.0
/// Spikes of a slice together with the local indices of their sources, which saves a search by gid.
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
  /// Bytes per spike, for the memory model. @param precise spikes carry sub-step offsets
  static constexpr std::size_t bytes_per_spike(bool precise) { return sizeof(Spike) + sizeof(Local) + (precise ? sizeof(double) : 0); }
};

}  // namespace npl::sim
