// SPDX-License-Identifier: Apache-2.0
/// Spikes of a slice together with the local indices of their sources, which saves a search by gid.
#pragma once
#include <numeric>
#include <utility>
#include <vector>

#include "base/precise_event.hpp"

namespace npl {

struct SourcedSpikes : Emitted {
  std::vector<Local> sources;  ///< [spikes] index of the source in the slice

  void add(Spike spike, Local source) { spikes.push_back(spike), sources.push_back(source); }
  void clear() { Emitted::clear(), sources.clear(); }
  void append(const SourcedSpikes& more) {
    Emitted::append(more);
    sources.insert(sources.end(), more.sources.begin(), more.sources.end());
  }
  /// Brings the spikes into the order of their sources, those of each in the order in which they are. @param nodes of the slice
  /// @param spare becomes what there was
  void sort_by_source(std::size_t nodes, SourcedSpikes& spare) {
    std::vector<std::uint32_t> place(nodes + 1);
    for (const Local source : sources) ++place[source + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    if (!offsets.empty()) offsets.resize(spikes.size());  // the last ones may be left out
    spare.spikes.resize(spikes.size()), spare.sources.resize(sources.size()), spare.offsets.resize(offsets.size());
    for (std::size_t i = 0; i < spikes.size(); ++i) {
      const std::uint32_t to = place[sources[i]]++;
      spare.spikes[to] = spikes[i], spare.sources[to] = sources[i];
      if (!offsets.empty()) spare.offsets[to] = offsets[i];
    }
    std::swap(*this, spare);
  }
  std::size_t bytes() const { return Emitted::bytes() + sources.capacity() * sizeof(Local); }
  /// Bytes per spike, for the memory model. @param precise spikes carry sub-step offsets
  static constexpr std::size_t bytes_per_spike(bool precise) { return sizeof(Spike) + sizeof(Local) + (precise ? sizeof(double) : 0); }
};

}  // namespace npl
