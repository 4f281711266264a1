// SPDX-License-Identifier: Apache-2.0
#include "synapses/exact_trace.hpp"

#include <algorithm>

namespace npl::synapses {

void ExactTrace::resize(std::size_t nodes) { history_.resize(std::max(nodes, history_.size())); }

void ExactTrace::add(Local node, const Moment& spike) {
  ExactHistory& h = history_[node];
  const double trace = h.stamp.empty() ? 1.0 : 1.0 + h.trace.back() * decay_(spike - h.at(h.size() - 1));
  h.stamp.push_back(static_cast<std::int32_t>(spike.stamp));
  h.before.push_back(spike.before);
  h.trace.push_back(trace);
  ++kept_;
}

void ExactTrace::forget(std::int32_t oldest) {
  kept_ = 0;
  for (ExactHistory& h : history_) {
    const std::size_t later = h.first_after({oldest, 0.0});
    if (later > 1) {
      const auto gone = static_cast<std::ptrdiff_t>(later - 1);
      h.stamp.erase(h.stamp.begin(), h.stamp.begin() + gone);
      h.before.erase(h.before.begin(), h.before.begin() + gone);
      h.trace.erase(h.trace.begin(), h.trace.begin() + gone);
    }
    kept_ += h.size();
  }
}

void ExactTrace::restore(Local node, ExactHistory history) {
  kept_ += history.size();
  history_[node] = std::move(history);
}

void ExactTrace::replace(Local node, ExactHistory history) {
  kept_ -= history_[node].size();
  restore(node, std::move(history));
}

double ExactTrace::before(Local node, const Moment& t) const {
  const ExactHistory& h = history_[node];
  const std::size_t i = h.first_from(t);
  return i > 0 ? h.trace[i - 1] * decay_(t - h.at(i - 1)) : 0.0;
}

}  // namespace npl::synapses
