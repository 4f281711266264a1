// SPDX-License-Identifier: Apache-2.0
#include "connect/node_set.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace npl::connect {
namespace {

using Wide = __int128;  // products of strides

/// x with a * x = 1 modulo m, for a and m without common factors.
Wide inverse(Wide a, Wide m) {
  Wide r = m, next_r = a % m, x = 0, next_x = 1;
  while (next_r != 0) {
    const Wide q = r / next_r;
    r = std::exchange(next_r, r - q * next_r);
    x = std::exchange(next_x, x - q * next_x);
  }
  return x < 0 ? x + m : x;
}

}  // namespace

/// The common members of two arithmetic sequences are an arithmetic sequence with the least common multiple of the strides (Chinese
/// remainder theorem).
Range common_nodes(const Range& a, const Range& b) {
  const Gid start = std::max(a.first, b.first), stop = std::min(last_gid(a), last_gid(b));
  const std::int64_t divisor = std::gcd(a.stride, b.stride);
  if (start > stop || (b.first - a.first) % divisor != 0) return {start, 0, 1};
  const Wide turns = b.stride / divisor, period = a.stride * turns;
  const Wide steps = (b.first - a.first) / divisor % turns * inverse(a.stride / divisor, turns) % turns;
  Wide first = a.first + a.stride * ((steps + turns) % turns);  // the first common member >= a.first, also if b begins later
  if (first < start) first += (start - first + period - 1) / period * period;
  if (first > stop) return {start, 0, 1};
  const Wide count = (stop - first) / period + 1;
  return {static_cast<Gid>(first), static_cast<std::int64_t>(count), count == 1 ? 1 : static_cast<std::int64_t>(period)};
}

std::int64_t same_at_same_position(const NodeSet& a, const NodeSet& b) {
  std::int64_t same = 0;
  std::size_t in_a = 0, in_b = 0;
  for (std::int64_t at_a = 0, at_b = 0; in_a < a.ranges().size() && in_b < b.ranges().size();) {
    const Range &r = a.ranges()[in_a], &s = b.ranges()[in_b];
    const std::int64_t n = std::min(r.count - at_a, s.count - at_b), apart = s.first + at_b * s.stride - (r.first + at_a * r.stride);
    const std::int64_t closing = r.stride - s.stride;
    if (closing == 0)
      same += apart == 0 ? n : 0;
    else
      same += apart % closing == 0 && apart / closing >= 0 && apart / closing < n;
    if ((at_a += n) == r.count) at_a = 0, ++in_a;
    if ((at_b += n) == s.count) at_b = 0, ++in_b;
  }
  return same;
}

void NodeSet::hold(const Range& only) {
  only_ = {only.first, only.count, only.count == 1 ? 1 : only.stride};
  size_ = only.count;
  lowest_ = only_.first, highest_ = last_gid(only_);
}

NodeSet::NodeSet(std::vector<Range> given) {
  std::erase_if(given, [](const Range& r) { return r.count <= 0; });
  if (given.empty()) return;
  if (given.size() == 1) {
    hold(given.front());
    return;
  }
  auto several = std::make_shared<Several>();
  auto& [ranges, offsets, lookup] = *several;
  ranges = std::move(given);
  for (Range& r : ranges) {
    if (r.count == 1) r.stride = 1;
    offsets.push_back(size_ += r.count);
    lookup.push_back({r.first, last_gid(r), static_cast<std::uint32_t>(offsets.size() - 1)});
  }
  std::sort(lookup.begin(), lookup.end(), [](const Lookup& a, const Lookup& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < lookup.size(); ++i) lookup[i].reach = std::max(lookup[i].reach, lookup[i - 1].reach);
  lowest_ = lookup.front().first, highest_ = lookup.back().reach;
  several_ = std::move(several);
}

Gid NodeSet::operator[](std::int64_t i) const {
  if (!several_) return only_.first + i * only_.stride;
  const auto& [ranges, offsets, lookup] = *several_;
  const auto r = static_cast<std::size_t>(std::upper_bound(offsets.begin(), offsets.end(), i) - offsets.begin());
  return ranges[r].first + (i - (offsets[r] - ranges[r].count)) * ranges[r].stride;
}

void NodeSet::gids(std::span<const std::uint64_t> positions, Gid* out) const {
  const auto position = [&](std::size_t k) { return static_cast<std::int64_t>(positions[k]); };
  if (several_)
    for (std::size_t k = 0; k < positions.size(); ++k) out[k] = (*this)[position(k)];
  else if (const Range r = only_; r.stride == 1)  // a loop of its own, without 64-bit products
    for (std::size_t k = 0; k < positions.size(); ++k) out[k] = r.first + position(k);
  else
    for (std::size_t k = 0; k < positions.size(); ++k) out[k] = r.first + position(k) * r.stride;
}

std::int64_t NodeSet::position(Gid gid) const {
  if (!several_) return position_in(only_, gid);
  const auto& [ranges, offsets, lookup] = *several_;
  auto entry = std::upper_bound(lookup.begin(), lookup.end(), gid, [](Gid g, const Lookup& l) { return g < l.first; });
  while (entry != lookup.begin() && (--entry)->reach >= gid) {
    const Range& r = ranges[entry->range];
    if (const std::int64_t i = position_in(r, gid); i >= 0) return offsets[entry->range] - r.count + i;
  }
  return -1;
}

std::int64_t NodeSet::common(const NodeSet& other) const {
  if (other.ranges().size() > ranges().size()) return other.common(*this);  // loop over the shorter list, search in the longer
  std::int64_t total = 0;
  for (const Range& r : other.ranges()) for_each_common(r, [&](const Range& c) { total += c.count; });
  return total;
}

std::int64_t NodeSet::count_in(const Residents& slice) const {
  std::int64_t n = 0;
  for (const Range& r : ranges())
    for_each_block(slice, r, [&](const Residents::Block& block, std::int64_t begin, std::int64_t end) {
      if (r.stride == 1) return void(n += end - begin);
      for (std::int64_t k = begin; k < end; ++k) n += (block.members[k] - r.first) % r.stride == 0;
    });
  return n;
}

}  // namespace npl::connect
