// SPDX-License-Identifier: Apache-2.0
#include "connect/in_degrees.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace npl::connect {

InDegrees::InDegrees(std::span<const std::unique_ptr<Projection>> projections, std::vector<const Residents*> slices)
    : projections_(projections), slices_(std::move(slices)), begin_(projections.size(), none) {
  std::size_t size = 0;
  for (std::size_t k = 0; k < projections.size(); ++k) {
    const auto n = static_cast<std::size_t>(projections[k]->post.size());
    if (n > most - size || !projections[k]->rule->in_degrees({}, nullptr)) continue;
    begin_[k] = size, size += n;
  }
  if (size) all_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
}

void InDegrees::draw() {
  constexpr std::size_t some = 16;  // projections that a thread takes at once
  if (empty()) return;
  for (std::size_t first; (first = next_.fetch_add(some, std::memory_order_relaxed)) < begin_.size();)
    for (std::size_t k = first; k < std::min(first + some, begin_.size()); ++k)
      if (begin_[k] != none) draw(k);
}

void InDegrees::draw(std::size_t projection) {
  const Projection& p = *projections_[projection];
  std::vector<std::int64_t> own;
  for (const Residents* slice : slices_) p.post.for_each_in(*slice, [&](std::int64_t position, Gid, Local) { own.push_back(position); });
  if (!slices_.empty()) {
    std::sort(own.begin(), own.end());
    p.rule->in_degrees(own, &all_[begin_[projection]]);
    return;
  }
  std::array<std::int64_t, 128> positions;
  for (std::int64_t first = 0; first < p.post.size(); first += std::ssize(positions)) {
    const auto n = static_cast<std::size_t>(std::min(std::ssize(positions), p.post.size() - first));
    std::iota(positions.begin(), positions.end(), first);
    p.rule->in_degrees({positions.data(), n}, &all_[begin_[projection]]);
  }
}

const std::uint8_t* InDegrees::of(std::size_t projection) const { return begin_[projection] == none ? nullptr : &all_[begin_[projection]]; }

}  // namespace npl::connect
