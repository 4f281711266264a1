// SPDX-License-Identifier: Apache-2.0
#include "synapses/post_arrivals.hpp"

#include <algorithm>

namespace npl::synapses {

void PostArrivals::add(Local node, PostSpike spike) {
  if (stale_) return;
  pending_.push_back({node, spike});
  stale_ = ++since_advance_ >
           std::max<std::size_t>(1024, stamps_.size());  // not used any more: pending spikes would pile up; the next use restarts
  if (stale_) pending_ = {};
}

void PostArrivals::advance(std::int32_t until, const std::vector<PostHistory>& histories) {
  if (until == until_ && stamps_.size() == histories.size()) return;
  until_ = until;
  since_advance_ = 0;
  if (stale_ || stamps_.size() != histories.size()) restart(histories);
  for (; n_in_last_ < pending_.size() && pending_[n_in_last_].spike.stamp < until; ++n_in_last_)
    last_[pending_[n_in_last_].node] = pending_[n_in_last_].spike;
  for (; n_in_stamps_ < pending_.size() && pending_[n_in_stamps_].spike.stamp <= until; ++n_in_stamps_)
    append_newest(stamps_[pending_[n_in_stamps_].node].stamp, pending_[n_in_stamps_].spike.stamp);
  if (n_in_last_ > 64 && n_in_last_ > pending_.size() / 2) {
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(n_in_last_));
    n_in_stamps_ -= n_in_last_;
    n_in_last_ = 0;
  }
}

void PostArrivals::restart(const std::vector<PostHistory>& histories) {
  stamps_.resize(histories.size());
  last_.resize(histories.size());
  pending_.clear();
  n_in_stamps_ = n_in_last_ = 0;
  for (std::size_t node = 0; node < histories.size(); ++node) {
    const PostHistory& h = histories[node];
    const std::size_t after = h.first_after(until_), before = h.first_after(std::int64_t{until_} - 1);
    auto& s = stamps_[node].stamp;
    s.fill(PostHistory::none);
    const std::size_t n = std::min(after, s.size());
    std::copy(h.stamp.begin() + static_cast<std::ptrdiff_t>(after - n), h.stamp.begin() + static_cast<std::ptrdiff_t>(after),
              s.end() - static_cast<std::ptrdiff_t>(n));
    last_[node] = before > 0 ? PostSpike{h.stamp[before - 1], h.trace[before - 1]} : PostSpike{PostHistory::none, 0.0};
    for (std::size_t i = before; i < h.stamp.size(); ++i) pending_.push_back({static_cast<Local>(node), {h.stamp[i], h.trace[i]}});
  }
  std::stable_sort(pending_.begin(), pending_.end(), [](const Pending& a, const Pending& b) { return a.spike.stamp < b.spike.stamp; });
  while (n_in_stamps_ < pending_.size() && pending_[n_in_stamps_].spike.stamp <= until_) ++n_in_stamps_;
  stale_ = false;
}

void PostArrivals::sum(const DecayTable& table) {
  if (summed_ == until_ && trace_.size() == last_.size()) return;
  trace_.resize(last_.size());
  const DecayTable::View decay = table.view();
  for (std::size_t i = 0; i < last_.size(); ++i) trace_[i] = last_[i].trace * decay.since(last_[i].stamp, until_);
  summed_ = until_;
}

}  // namespace npl::synapses
