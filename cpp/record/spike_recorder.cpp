// SPDX-License-Identifier: Apache-2.0
#include "record/spike_recorder.hpp"

#include <algorithm>
#include <tuple>

namespace npl::record {

void SpikeTrack::add_node(Local node, Local nodes) {
  if (recorded_.size() < nodes) recorded_.resize(nodes);
  recorded_[node] = 1;
}

void SpikeTrack::take(const Emitted& emitted, std::span<const Local> sources) {
  if (recorded_.empty()) return;
  for (std::size_t i = 0; i < emitted.spikes.size(); ++i) {
    const Spike& s = emitted.spikes[i];
    const Local local = sources[i];
    if (local >= recorded_.size() || !recorded_[local] || s.step + 1 <= start_ || s.step + 1 > stop_) continue;
    if (i < emitted.offsets.size()) {
      kept_.offsets.resize(kept_.spikes.size());
      kept_.offsets.push_back(emitted.offsets[i]);
    }
    kept_.spikes.push_back(s);
  }
}

namespace {

void sort_by_time(Emitted& e) {
  std::vector<std::tuple<Step, double, Gid>> all;
  for (std::size_t i = 0; i < e.spikes.size(); ++i) all.emplace_back(e.spikes[i].step, -e.offset(i), e.spikes[i].gid);
  std::sort(all.begin(), all.end());
  e.offsets.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [step, minus_offset, gid] = all[i];
    e.spikes[i] = {gid, step};
    e.offsets[i] = 0.0 - minus_offset;  // never -0
  }
}

}  // namespace

void sort(Emitted& e) { e.offsets.empty() ? std::sort(e.spikes.begin(), e.spikes.end(), canonical) : sort_by_time(e); }

Emitted merged(std::span<const SpikeTrack* const> tracks) {
  Emitted all;
  std::size_t n = 0;
  for (const SpikeTrack* t : tracks) n += t->kept().spikes.size();
  all.spikes.reserve(n);
  for (const SpikeTrack* t : tracks) all.append(t->kept());
  sort(all);
  return all;
}

}  // namespace npl::record
