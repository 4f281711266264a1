// SPDX-License-Identifier: Apache-2.0
#include "synapses/post_trace.hpp"

#include <algorithm>

namespace npl::synapses {

void PostTrace::resize(std::size_t nodes) {
  const std::size_t old = lines_.size();
  if (nodes <= old) return;
  lines_.resize(nodes);
  older_.resize(nodes);
  for (std::size_t i = old; i < nodes; ++i) lines_[i].stamp.fill(PostLine::never);
}

std::vector<PostSpike>::const_iterator PostTrace::first_older(Local node, std::int64_t after) const {
  const auto& list = older_[node];
  return std::upper_bound(list.begin(), list.end(), after, [](std::int64_t a, const PostSpike& s) { return a < s.stamp; });
}

void PostTrace::add(Local node, std::int32_t stamp) {
  PostLine& l = lines_[node];
  double trace = 1.0;
  if (l.count > 0) trace += l.trace[static_cast<std::size_t>(l.count - 1)] * decay_(stamp - l.stamp[static_cast<std::size_t>(l.count - 1)]);
  if (l.count == PostLine::capacity) {
    older_[node].push_back({l.stamp[0], l.trace[0]});
    ++older_count_;
    std::copy(l.stamp.begin() + 1, l.stamp.end(), l.stamp.begin());
    std::copy(l.trace.begin() + 1, l.trace.end(), l.trace.begin());
    --l.count;
  }
  l.stamp[static_cast<std::size_t>(l.count)] = stamp;
  l.trace[static_cast<std::size_t>(l.count)] = trace;
  ++l.count;
}

void PostTrace::forget(std::int32_t oldest) {
  older_count_ = 0;
  for (auto& list : older_) {
    auto keep = std::find_if(list.begin(), list.end(), [&](const PostSpike& s) { return s.stamp > oldest; });
    if (keep != list.begin()) list.erase(list.begin(), keep - 1);
    older_count_ += list.size();
  }
}

double PostTrace::before(Local node, std::int64_t stamp) const {
  const PostLine& l = lines_[node];
  for (std::int32_t i = l.count; i-- > 0;)
    if (l.stamp[static_cast<std::size_t>(i)] < stamp)
      return l.trace[static_cast<std::size_t>(i)] * decay_(stamp - l.stamp[static_cast<std::size_t>(i)]);
  const auto after = first_older(node, stamp - 1);
  if (after != older_[node].begin()) return (after - 1)->trace * decay_(stamp - (after - 1)->stamp);
  return 0.0;
}

}  // namespace npl::synapses
