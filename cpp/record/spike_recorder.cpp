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
  if (spike.step + 1 <= start_ || spike.step + 1 > stop_) return;
  make_room(kept_.spikes);
  if (timed) kept_.offsets.resize(kept_.spikes.size()), kept_.offsets.push_back(offset);
  kept_.spikes.push_back(spike);
}

void SpikeTrack::take(const Emitted& emitted, std::span<const Local> sources) {
  if (recorded_.empty() || emitted.spikes.empty()) return;
  const std::size_t n = kept_.spikes.size();
  std::size_t end = n;
  make_room(kept_.spikes, emitted.spikes.size());
  kept_.spikes.resize(n + emitted.spikes.size());
  const bool timed = !emitted.offsets.empty();
  if (timed) kept_.offsets.resize(n + emitted.spikes.size());
  for (std::size_t i = 0; i < emitted.spikes.size(); ++i) {  // without a branch: spikes that are not wanted are written over
    const Spike& s = emitted.spikes[i];
    const bool wanted = records(sources[i]);
    kept_.spikes[end] = s;
    if (timed) kept_.offsets[end] = emitted.offset(i);
    end += wanted & (s.step + 1 > start_) & (s.step + 1 <= stop_);
  }
  kept_.spikes.resize(end);
  if (kept_.offsets.size() > end) kept_.offsets.resize(end);
}

void SpikeTrack::copy_since(Step after, Step disorder, Emitted& to) const {
  std::size_t first = kept_.spikes.size();
  while (first > restored_ && kept_.spikes[first - 1].step + 1 + disorder > after) --first;
  append_since(kept_, first > restored_ ? first : 0, after, to);
}

void SpikeTrack::restore(const Emitted& more) {
  kept_.append(more);
  restored_ = kept_.spikes.size();
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

void append_since(const Emitted& from, std::size_t first, Step after, Emitted& to) {
  if (after == from_the_start) return to.append(from);
  Emitted found;
  for (std::size_t i = first; i < from.spikes.size(); ++i) {
    if (from.spikes[i].step + 1 <= after) continue;
    found.spikes.push_back(from.spikes[i]);
    if (!from.offsets.empty()) found.offsets.push_back(from.offset(i));
  }
  to.append(found);
}

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
