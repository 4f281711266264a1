// SPDX-License-Identifier: Apache-2.0
#include "sim/projection_numbers.hpp"

#include <algorithm>

namespace npl::sim {

const ProjectionBoxes* ProjectionNumbers::boxes_of(std::size_t spec) {
  if (!known_[spec]) {
    const tables::TableSpec& s = *specs_.all[spec];
    known_[spec] = book_.boxes(ProjectionKind::of(s, specs_.label_of(s)), specs_.layer_of(s));
  }
  return *known_[spec];
}

ProjectionNumbers::Crowd& ProjectionNumbers::crowd(const ProjectionBoxes* boxes, Gid source, Gid target) {
  if (last_ != std::pair{source, target}) last_ = {source, target}, n_crowds_ = 0;
  const auto end = crowds_.begin() + static_cast<std::ptrdiff_t>(n_crowds_);
  if (const auto found = std::find_if(crowds_.begin(), end, [&](const Crowd& c) { return c.boxes == boxes; }); found != end) return *found;
  if (n_crowds_ == crowds_.size()) crowds_.emplace_back();
  Crowd& made = crowds_[n_crowds_++];
  made.boxes = boxes;
  book_.find(*boxes, source, target, made.all);
  made.taken.assign(made.all.size(), 0);
  return made;
}

/// The first that fits and was not taken; else the last that fits, as a call can make several connections of the same nodes.
std::int64_t ProjectionNumbers::Crowd::take(Delay delay, double weight) {
  if (all.size() <= 1) return all.empty() ? -1 : all[0]->number;
  std::size_t best = all.size();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const ProjectionEntry& e = *all[k];
    if ((e.delay != delay && e.delay != 0) || (weight != 0.0 && e.weight != weight)) continue;
    best = k;
    if (!taken[k]) break;
  }
  if (best == all.size()) best = static_cast<std::size_t>(std::find(taken.begin(), taken.end() - 1, 0) - taken.begin());
  taken[best] = 1;
  return all[best]->number;
}

std::int64_t ProjectionNumbers::operator()(std::int32_t spec, Gid source, Gid target, Delay delay) {
  const ProjectionBoxes* boxes = boxes_of(static_cast<std::size_t>(spec));
  const tables::TableSpec& s = *specs_.all[static_cast<std::size_t>(spec)];
  const double weight = s.weights == tables::Weights::uniform ? s.uniform : 0.0;
  return boxes ? crowd(boxes, source, target).take(delay, weight) : -1;
}

}  // namespace npl::sim
