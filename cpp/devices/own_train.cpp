// SPDX-License-Identifier: Apache-2.0
#include "devices/own_train.hpp"

#include <algorithm>

namespace npl::devices {
namespace {

/// A delay of one step, which all parts take; currents act one step later.
Step lag_of(const Device& d) { return d.info->effect == Effect::current ? 2 : 1; }

Targets targets_of(const ExtraTarget& extra, std::uint64_t seed) {
  Targets t;
  t.local = {0}, t.gid = {extra.gid}, t.weight = {1.0};
  t.since = extra.since;
  t.link = extra.link;
  t.count = t.precise = true;
  t.seed = seed;
  return t;
}

}  // namespace

OwnTrain::OwnTrain(const Device& device, const ExtraTarget& target, std::uint64_t seed)
    : device_(device), part_(device.info->make_part(device, targets_of(target, seed))), next_(target.since), applied_(target.since) {}

/// The first step in which the part may send something again; a setting that was made since it was asked wakes it.
Step OwnTrain::wakes() const { return std::min(part_->wakes() - lag_of(device_), device_.holds_until(applied_)); }

/// Passes over steps before `until` in which nothing is sent.
void OwnTrain::skip(Step until) {
  if (const Step next = std::min(until, wakes()); next > next_) next_ = next, count_ = current_ = 0.0, events_.clear();
}

/// Every step in which something may be sent is computed, in order: what some devices send depends on what they sent before.
void OwnTrain::compute_next() {
  count_ = current_ = 0.0;
  events_.clear();
  applied_ = next_;
  Fixed count = 0;
  part_->rouse();  // nobody tells when a setting changes
  part_->apply(next_++ + lag_of(device_), {&count, 1.0, &current_, &events_});
  count_ = static_cast<double>(count + static_cast<Fixed>(events_.size()));
}

double OwnTrain::sent(Step step) {
  if (step < next_ - 1) return 0.0;
  while (next_ <= step) {
    skip(step + 1);
    if (next_ <= step) compute_next();
  }
  return device_.info->effect == Effect::current ? current_ : count_;
}

Step OwnTrain::emit(Step from, Step until, Emitted& out) {
  for (skip(until); next_ < until; skip(until)) {
    const Step step = next_;
    compute_next();
    const auto n = static_cast<std::size_t>(count_);
    if (n == 0 || step < from) continue;
    if (!events_.empty()) {
      std::sort(events_.begin(), events_.end(), [](const auto& a, const auto& b) { return canonical(a, b); });
      out.offsets.resize(out.spikes.size());
      for (const PreciseEvent& e : events_) out.offsets.push_back(e.offset);
    }
    out.spikes.insert(out.spikes.end(), n, Spike{device_.gid, step});
  }
  return std::max(until, wakes());
}

}  // namespace npl::devices
