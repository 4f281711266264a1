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

/// How many connections of the same source, target and projections came before.
std::size_t ProjectionNumbers::n_before(const ProjectionBoxes* boxes, Gid source, Gid target) {
  if (last_ != std::pair{source, target}) last_ = {source, target}, met_.clear();
  const auto n = std::count(met_.begin(), met_.end(), boxes);
  met_.push_back(boxes);
  return static_cast<std::size_t>(n);
}

std::int64_t ProjectionNumbers::operator()(std::int32_t spec, Gid source, Gid target) {
  const ProjectionBoxes* boxes = boxes_of(static_cast<std::size_t>(spec));
  if (!boxes) return -1;
  book_.find(*boxes, source, target, found_);
  if (found_.size() <= 1) return found_.empty() ? -1 : found_[0];
  return found_[std::min(n_before(boxes, source, target), found_.size() - 1)];
}

}  // namespace npl::sim
