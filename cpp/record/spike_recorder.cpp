// SPDX-License-Identifier: Apache-2.0
#include "record/spike_recorder.hpp"

#include <algorithm>
#include <tuple>

namespace npl::record {

void SpikeTrack::add_node(Local node) {
  if (recorded_.empty()) first_ = node;
  if (node < first_) {
    recorded_.insert(recorded_.begin(), first_ - node, 0);
    first_ = node;
  }
  if (node >= end_of_nodes()) recorded_.resize(std::size_t{node} - first_ + 1);
  recorded_[node - first_] = 1;
}

void SpikeTrack::keep(const Spike& spike, double offset, bool timed) {
  if (!in_window(spike)) return;
  spikes_.push_back(spike);
  if (timed) offsets_.resize(spikes_.size() - 1), offsets_.push_back(offset);
}

void SpikeTrack::take(const Emitted& emitted, std::span<const Local> sources) {
  if (recorded_.empty() || emitted.spikes.empty()) return;
  const auto wanted = [&](std::size_t i) { return records(sources[i]) & in_window(emitted.spikes[i]); };
  const std::size_t before = spikes_.size();
  spikes_.append(emitted.spikes, wanted);
  if (emitted.offsets.empty()) return;
  offsets_.resize(before);
  for (std::size_t i = 0; i < emitted.spikes.size(); ++i)
    if (wanted(i)) offsets_.push_back(emitted.offset(i));
}

void SpikeTrack::copy_since(Step after, Step disorder, Emitted& to) const {
  std::size_t first = spikes_.size();
  while (first > restored_ && spikes_[first - 1].step + 1 + disorder > after) --first;
  if (first <= restored_) first = 0;
  spikes_.visit([&](const auto& list) {
    for (std::size_t i = first; i < list.size(); ++i) {
      const Spike s = list[i];
      if (s.step + 1 <= after) continue;
      if (i < offsets_.size()) to.offsets.resize(to.spikes.size()), to.offsets.push_back(offsets_[i]);
      to.spikes.push_back(s);
    }
  });
}

void SpikeTrack::restore(const Emitted& more) {
  for (std::size_t i = 0; i < more.spikes.size(); ++i) {
    spikes_.push_back(more.spikes[i]);
    if (!more.offsets.empty()) offsets_.resize(spikes_.size() - 1), offsets_.push_back(more.offset(i));
  }
  restored_ = spikes_.size();
}

void TrackIndex::make(const Tracks& tracks, Local nodes) {
  forget();
  begin_.assign(std::size_t{nodes} + 1, 0);
  const auto for_all = [&](auto&& f) {
    for (std::uint32_t t = 0; t < tracks.size(); ++t)
      for (Local n = tracks[t]->first_node(); n < tracks[t]->end_of_nodes(); ++n)
        if (tracks[t]->records(n)) f(n, t);
  };
  for_all([&](Local n, std::uint32_t) { ++begin_[n + 1]; });
  for (std::size_t n = 0; n < nodes; ++n) begin_[n + 1] += begin_[n];
  of_node_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for_all([&](Local n, std::uint32_t t) { of_node_[next[n]++] = t; });
  tracks_ = tracks.size();
}

void TrackIndex::take(const Tracks& tracks, const Emitted& emitted, std::span<const Local> sources) const {
  if (of_node_.empty()) return;
  const bool timed = !emitted.offsets.empty();
  for (std::size_t i = 0; i < emitted.spikes.size(); ++i) {
    const Local node = sources[i];
    if (std::size_t{node} + 1 >= begin_.size()) continue;
    for (std::uint32_t k = begin_[node]; k < begin_[node + 1]; ++k) tracks[of_node_[k]]->keep(emitted.spikes[i], emitted.offset(i), timed);
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

Emitted merged(std::span<const SpikeTrack* const> tracks, Step after, Step disorder) {
  Emitted all;
  std::size_t n = 0;
  for (const SpikeTrack* t : tracks) n += t->spikes().size();
  if (after == from_the_start) all.spikes.reserve(n);
  for (const SpikeTrack* t : tracks) t->copy_since(after, disorder, all);
  if (std::ranges::all_of(all.offsets, [](double offset) { return offset == 0.0; })) all.offsets.clear();
  sort(all);
  return all;
}

}  // namespace npl::record
