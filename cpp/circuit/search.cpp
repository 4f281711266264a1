// SPDX-License-Identifier: Apache-2.0
#include "circuit/search.hpp"

namespace npl::circuit {

void Search::section(const Pieces& pre, std::size_t first, std::size_t last, Found& found) {
  const std::size_t before = found.overlaps.size();
  for (std::size_t i = first; i < last; ++i) piece(pre, i, found);
  flush(pre, found);
  const std::size_t n = found.overlaps.size() - before;
  if (n) found.groups.push_back({pre[first].gid, pre[first].section, static_cast<std::uint32_t>(n)});
}

void Search::piece(const Pieces& pre, std::size_t i, Found& found) {
  leaves_.clear();
  counts_.boxes += index_.tree.find(pre.box(i), leaves_);
  if (!autapses_) std::erase_if(leaves_, [&](std::uint32_t leaf) { return index_.pieces[leaf].gid == pre[i].gid; });
  if (leaves_.empty()) return;
  double arc = pre[i].arc;
  for (std::size_t lane = 0; lane < pre[i].segments; ++lane) {
    const Segment p = pre.segment(i, lane);
    const double length = norm(p.axis);
    index_.tree.narrow(pre.box(i, lane), leaves_, slots_);
    counts_.boxes += leaves_.size();
    for (std::uint32_t slot : slots_) {
      pairs_[block_.size] = {arc, length, static_cast<std::uint32_t>(i * lanes + lane), slot};
      block_.add(p, index_.pieces.segment(slot / lanes, slot % lanes));
      if (block_.full()) flush(pre, found);
    }
    arc += length;
  }
}

void Search::flush(const Pieces& pre, Found& found) {
  counts_.tested += block_.size;
  block_.evaluate();
  const std::size_t before = found.overlaps.size();
  for (std::size_t k = 0; k < block_.size; ++k) {
    if (!(block_.lo[k] <= block_.hi[k])) continue;
    const Pair& pair = pairs_[k];
    const Piece &from = pre[pair.pre / lanes], &to = index_.pieces[pair.post / lanes];
    const auto pre_lane = static_cast<std::int32_t>(pair.pre % lanes), post_lane = static_cast<std::int32_t>(pair.post % lanes);
    found.overlaps.push_back({pair.arc + block_.lo[k] * pair.length, pair.arc + block_.hi[k] * pair.length,
                              block_.clearance(k, 0.5 * (block_.lo[k] + block_.hi[k])), to.gid, to.section, to.first_segment + post_lane,
                              from.first_segment + pre_lane, rank_, pair.pre, pair.post});
  }
  counts_.overlaps += found.overlaps.size() - before;
  block_.size = 0;
}

}  // namespace npl::circuit
