// SPDX-License-Identifier: Apache-2.0
#include "connect/node_set.hpp"

#include <algorithm>
#include <numeric>

namespace npl::connect {
namespace {

Gid last_gid(const Range& r) { return r.first + (r.count - 1) * r.stride; }

/// Members of both ranges; the common ones repeat with the least common multiple of the strides.
std::int64_t common_count(const Range& a, const Range& b) {
  const Gid start = std::max(a.first, b.first), stop = std::min(last_gid(a), last_gid(b));
  const std::int64_t divisor = std::gcd(a.stride, b.stride), period = a.stride / divisor * b.stride;
  if (start > stop || (b.first - a.first) % divisor != 0) return 0;
  Gid g = a.first + (start - a.first + a.stride - 1) / a.stride * a.stride;
  for (std::int64_t tried = 0; tried < b.stride / divisor && g <= stop; ++tried, g += a.stride)
    if ((g - b.first) % b.stride == 0) return (stop - g) / period + 1;
  return 0;
}

}  // namespace

NodeSet::NodeSet(std::vector<Range> ranges) : ranges_(std::move(ranges)) {
  std::erase_if(ranges_, [](const Range& r) { return r.count <= 0; });
  std::int64_t total = 0;
  for (Range& r : ranges_) {
    if (r.count == 1) r.stride = 1;
    offsets_.push_back(total += r.count);
    lookup_.push_back({r.first, last_gid(r), static_cast<std::uint32_t>(offsets_.size() - 1)});
  }
  std::sort(lookup_.begin(), lookup_.end(), [](const Lookup& a, const Lookup& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < lookup_.size(); ++i) lookup_[i].reach = std::max(lookup_[i].reach, lookup_[i - 1].reach);
}

Gid NodeSet::operator[](std::int64_t i) const {
  const auto r = static_cast<std::size_t>(std::upper_bound(offsets_.begin(), offsets_.end(), i) - offsets_.begin());
  return ranges_[r].first + (i - (offsets_[r] - ranges_[r].count)) * ranges_[r].stride;
}

void NodeSet::gids(std::span<const std::uint32_t> positions, Gid* out) const {
  if (ranges_.size() == 1) {
    const Range r = ranges_[0];
    for (std::size_t k = 0; k < positions.size(); ++k) out[k] = r.first + positions[k] * r.stride;
    return;
  }
  for (std::size_t k = 0; k < positions.size(); ++k) out[k] = (*this)[positions[k]];
}

std::int64_t NodeSet::position(Gid gid) const {
  auto entry = std::upper_bound(lookup_.begin(), lookup_.end(), gid, [](Gid g, const Lookup& l) { return g < l.first; });
  while (entry != lookup_.begin() && (--entry)->reach >= gid) {
    const Range& r = ranges_[entry->range];
    const std::int64_t distance = gid - r.first;
    if (distance % r.stride == 0 && distance / r.stride < r.count) return offsets_[entry->range] - r.count + distance / r.stride;
  }
  return -1;
}

std::int64_t NodeSet::common(const NodeSet& other) const {
  if (other.ranges_.size() > ranges_.size()) return other.common(*this);
  std::int64_t total = 0;
  for (const Range& a : ranges_) {
    if (a.count == 1) {
      total += other.position(a.first) >= 0;
      continue;
    }
    for (const Range& b : other.ranges_) total += common_count(a, b);
  }
  return total;
}

Gid NodeSet::lowest() const { return lookup_.empty() ? 0 : lookup_.front().first; }
Gid NodeSet::highest() const { return lookup_.empty() ? 0 : lookup_.back().reach; }

}  // namespace npl::connect
