// SPDX-License-Identifier: Apache-2.0
#include "synapses/post_trace.hpp"

#include <algorithm>
#include <utility>

namespace npl::synapses {

void PostTrace::resize(std::size_t nodes) {
  const std::size_t old = lines_.size();
  if (nodes <= old) return;
  lines_.resize(nodes);
  history_.resize(nodes);
  if (!read_.empty()) read_.resize(nodes);
  for (std::size_t i = old; i < nodes; ++i) lines_[i].stamp.fill(PostHistory::none);
}

void PostTrace::add(Local node, std::int32_t stamp, std::size_t spikes) {
  kept_ += spikes;
  if (!read_.empty() && !read_[node]) return unread_.push_back({node, stamp, static_cast<std::int32_t>(spikes)});
  add_to_history(node, stamp, spikes);
  const PostHistory& h = history_[node];
  for (PostArrivals& a : arrivals_)
    for (std::size_t k = h.size() - spikes; k < h.size(); ++k) a.add(node, {stamp, h.trace[k]});
}

void PostTrace::add_to_history(Local node, std::int32_t stamp, std::size_t spikes) {
  PostHistory& h = history_[node];
  const std::size_t n = h.size() + spikes;
  if (n > h.stamp.capacity()) h.stamp.reserve(std::max(n, 2 * h.stamp.capacity()));
  if (n > h.trace.capacity()) h.trace.reserve(std::max(n, 2 * h.trace.capacity()));
  PostLine& l = lines_[node];
  double trace = h.stamp.empty() ? 0.0 : h.trace.back() * decay_(stamp - h.stamp.back());
  for (std::size_t k = 0; k < spikes; ++k) {
    h.stamp.push_back(stamp), h.trace.push_back(trace += 1.0);
    append_newest(l.stamp, stamp), append_newest(l.trace, trace);
  }
}

void PostTrace::add_unread() {
  auto next = unread_.begin();
  try {
    for (; next != unread_.end(); ++next) add_to_history(next->node, next->stamp, static_cast<std::size_t>(next->spikes));
  } catch (...) {  // no memory: an edit fails, and the others are added later
    unread_.erase(unread_.begin(), next);
    throw;
  }
  unread_.clear();
}

/// Of spikes that would be dropped at once, only the trace after the last one is found.
void PostTrace::forget_unread(std::int32_t oldest) {
  const auto later = std::find_if(unread_.begin(), unread_.end(), [=](const Unread& u) { return u.stamp > oldest; });
  for (auto u = unread_.begin(); u != later; ++u) {
    PostHistory& h = history_[u->node];
    double trace = h.stamp.empty() ? 0.0 : h.trace.back() * decay_(u->stamp - h.stamp.back());
    for (std::int32_t k = 0; k < u->spikes; ++k) trace += 1.0;
    h.stamp.assign(1, u->stamp), h.trace.assign(1, trace);
  }
  for (auto u = unread_.begin(); u != later; ++u) show_last(u->node);
  unread_.erase(unread_.begin(), later);
}

/// Fills the line of a node from its history.
void PostTrace::show_last(Local node) {
  const PostHistory& h = history_[node];
  PostLine& l = lines_[node];
  l.stamp.fill(PostHistory::none);
  const std::size_t n = h.size();
  for (std::size_t k = 0; k < std::min(n, l.stamp.size()); ++k) l.stamp[l.stamp.size() - 1 - k] = h.stamp[n - 1 - k];
  for (std::size_t k = 0; k < std::min(n, l.trace.size()); ++k) l.trace[l.trace.size() - 1 - k] = h.trace[n - 1 - k];
}

void PostTrace::set_read(std::vector<bool> read) {
  if (read == read_) return;
  add_unread();
  read_ = std::move(read);
  arrivals_.clear();
}

void PostTrace::restore(Local node, PostHistory history) {
  kept_ += history.size();
  history_[node] = std::move(history);
  show_last(node);
}

void PostTrace::replace(Local node, PostHistory history) {
  add_unread();
  kept_ -= history_[node].size();
  restore(node, std::move(history));
  arrivals_.clear();
}

void PostTrace::forget(std::int32_t oldest) {
  forget_unread(oldest);
  kept_ = 0;
  for (const Unread& u : unread_) kept_ += static_cast<std::size_t>(u.spikes);
  for (PostHistory& h : history_) {
    const std::size_t later = h.first_after(oldest);
    if (later > 1) {
      h.stamp.erase(h.stamp.begin(), h.stamp.begin() + static_cast<std::ptrdiff_t>(later - 1));
      h.trace.erase(h.trace.begin(), h.trace.begin() + static_cast<std::ptrdiff_t>(later - 1));
    }
    kept_ += h.stamp.size();
  }
}

PostArrivals& PostTrace::arrivals_of(Delay delay, std::int32_t until) const {
  auto a = std::find_if(arrivals_.begin(), arrivals_.end(), [&](const PostArrivals& x) { return x.delay() == delay; });
  if (a == arrivals_.end()) a = arrivals_.emplace(a, delay);
  a->advance(until, history_);
  return *a;
}

const PostArrivals& PostTrace::arrivals_with_traces(Delay delay, std::int32_t until) const {
  PostArrivals& a = arrivals_of(delay, until);
  a.sum(decay_);
  return a;
}

std::size_t PostTrace::bytes() const {
  std::size_t total =
      lines_.bytes() + history_.capacity() * sizeof(history_[0]) + kept_ * PostHistory::bytes_per_spike + read_.capacity() / 8;
  total += (unread_.capacity() - unread_.size()) * sizeof(Unread);  // spikes in the list are counted with the kept spikes
  for (const PostArrivals& a : arrivals_) total += a.bytes();
  return total;
}

double PostTrace::before(Local node, std::int64_t stamp) const {
  const PostLine& l = lines_[node];
  const auto until = static_cast<std::int32_t>(stamp - 1);
  const auto later = static_cast<std::size_t>(l.later({until, until}).until);
  if (later < l.trace.size()) {
    const std::int32_t last = l.stamp[l.stamp.size() - 1 - later];
    return last == PostHistory::none ? 0.0 : l.trace[l.trace.size() - 1 - later] * decay_(stamp - last);
  }
  const PostHistory& h = history_[node];
  const std::size_t i = h.first_after(stamp - 1);
  return i > 0 ? h.trace[i - 1] * decay_(stamp - h.stamp[i - 1]) : 0.0;
}

}  // namespace npl::synapses
