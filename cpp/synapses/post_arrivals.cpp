// SPDX-License-Identifier: Apache-2.0
#include "synapses/post_arrivals.hpp"

#include <algorithm>

namespace npl::synapses {

void PostArrivals::add(Local node, PostSpike spike) {
  if (stale_) return;
  coming_.push_back({node, spike});
  stale_ = ++unasked_ > std::max<std::size_t>(1024, stamps_.size());  // nobody asks: start anew when somebody does
  if (stale_) coming_ = {};
}

void PostArrivals::advance(std::int32_t until, const std::vector<PostHistory>& histories) {
  if (until == until_ && stamps_.size() == histories.size()) return;
  until_ = until;
  unasked_ = 0;
  if (stale_ || stamps_.size() != histories.size()) restart(histories);
  for (; past_ < coming_.size() && coming_[past_].spike.stamp < until; ++past_) last_[coming_[past_].node] = coming_[past_].spike;
  for (; met_ < coming_.size() && coming_[met_].spike.stamp <= until; ++met_) {
    auto& s = stamps_[coming_[met_].node].stamp;
    std::copy(s.begin() + 1, s.end(), s.begin());
    s.back() = coming_[met_].spike.stamp;
  }
  if (past_ > 64 && past_ > coming_.size() / 2) {
    coming_.erase(coming_.begin(), coming_.begin() + static_cast<std::ptrdiff_t>(past_));
    met_ -= past_;
    past_ = 0;
  }
}

void PostArrivals::restart(const std::vector<PostHistory>& histories) {
  stamps_.resize(histories.size());
  last_.resize(histories.size());
  coming_.clear();
  met_ = past_ = 0;
  for (std::size_t node = 0; node < histories.size(); ++node) {
    const PostHistory& h = histories[node];
    const std::size_t after = h.first_after(until_), before = h.first_after(std::int64_t{until_} - 1);
    auto& s = stamps_[node].stamp;
    s.fill(PostHistory::none);
    const std::size_t n = std::min(after, s.size());
    std::copy(h.stamp.begin() + static_cast<std::ptrdiff_t>(after - n), h.stamp.begin() + static_cast<std::ptrdiff_t>(after),
              s.end() - static_cast<std::ptrdiff_t>(n));
    last_[node] = before > 0 ? PostSpike{h.stamp[before - 1], h.trace[before - 1]} : PostSpike{PostHistory::none, 0.0};
    for (std::size_t i = before; i < h.stamp.size(); ++i) coming_.push_back({static_cast<Local>(node), {h.stamp[i], h.trace[i]}});
  }
  std::stable_sort(coming_.begin(), coming_.end(), [](const Coming& a, const Coming& b) { return a.spike.stamp < b.spike.stamp; });
  while (met_ < coming_.size() && coming_[met_].spike.stamp <= until_) ++met_;
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
