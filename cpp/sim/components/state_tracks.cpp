// SPDX-License-Identifier: Apache-2.0
#include "sim/components/state_tracks.hpp"

namespace npl::sim {

void StateTracks::begin(Step from, Step until) {
  if (all_.empty()) return;
  if (mapped_ != all_.size()) map();
  for (std::size_t r = 0; r < all_.size(); ++r) {
    const record::Sampling& times = all_[r]->sampling();
    const Step first = times.next(from + 1);
    firsts_[r] = {nodes::Sampler::never, nullptr};
    if (first <= until) firsts_[r] = {first, all_[r]->extend(static_cast<std::size_t>((until - first) / times.interval + 1))};
  }
  for (nodes::Sampler& sampler : samplers_) {
    for (auto& t : sampler.tracks()) t.next = firsts_[t.recorder].stamp, t.row = firsts_[t.recorder].row;
    sampler.find_next();
  }
}

/// Finds the group of each variable.
void StateTracks::map() {
  samplers_.assign(host_.groups.size(), {});
  firsts_.resize(all_.size());
  for (std::size_t r = 0; r < all_.size(); ++r) {
    const auto& sources = all_[r]->sources();
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const auto group = static_cast<std::size_t>(
          std::find_if(host_.groups.begin(), host_.groups.end(), [&](const auto& g) { return g->has(sources[k]); }) - host_.groups.begin());
      auto& tracks = samplers_[group].tracks();
      if (tracks.empty() || tracks.back().recorder != r)
        tracks.push_back({.recorder = r, .from = {}, .place = {}, .interval = all_[r]->sampling().interval, .width = sources.size()});
      tracks.back().from.push_back(sources[k]);
      tracks.back().place.push_back(k);
    }
  }
  mapped_ = all_.size();
}

}  // namespace npl::sim
