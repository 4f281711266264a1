// SPDX-License-Identifier: Apache-2.0
/// Which projection made a connection, as its table, source, target, delay and weight tell.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "sim/projection_book.hpp"
#include "sim/table_specs.hpp"

namespace npl::sim {

/// Takes connections in canonical order: of projections that cannot be told apart, the k-th is said to have made the k-th connection of a
/// source and a target that has its delay, and its weight where all weights of the table are equal.
class ProjectionNumbers {
 public:
  ProjectionNumbers(const ProjectionBook& book, const TableSpecs& specs) : book_(book), specs_(specs), known_(specs.all.size()) {}
  /// Number of the projection, -1 where it has no identity. @param spec index of the spec of the table @param delay steps
  std::int64_t operator()(std::int32_t spec, Gid source, Gid target, Delay delay);

 private:
  /// Projections that can have made a connection of a source and a target.
  struct Crowd {
    const ProjectionBoxes* boxes;
    std::vector<const ProjectionEntry*> all;  ///< by number
    std::vector<char> taken;                  ///< [all] whether they have one
    /// @param weight of all connections of the table, 0: they differ
    std::int64_t take(Delay delay, double weight);
  };
  const ProjectionBoxes* boxes_of(std::size_t spec);
  Crowd& crowd(const ProjectionBoxes* boxes, Gid source, Gid target);

  const ProjectionBook& book_;
  const TableSpecs& specs_;
  std::vector<std::optional<const ProjectionBoxes*>> known_;  ///< [specs]
  std::pair<Gid, Gid> last_{-1, -1};
  std::vector<Crowd> crowds_;  ///< of the last source and target; those after n_crowds_ are kept for their memory
  std::size_t n_crowds_ = 0;
};

}  // namespace npl::sim
