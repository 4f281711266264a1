// SPDX-License-Identifier: Apache-2.0
/// Which projection made a connection, as its table, source and target tell.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "sim/projection_book.hpp"
#include "sim/table_specs.hpp"

namespace npl::sim {

/// Takes connections in canonical order: of projections that cannot be told apart, the k-th is said to have made the k-th connection of a
/// source and a target.
class ProjectionNumbers {
 public:
  ProjectionNumbers(const ProjectionBook& book, const TableSpecs& specs) : book_(book), specs_(specs), known_(specs.all.size()) {}
  /// Number of the projection, -1 where it has no identity. @param spec index of the spec of the table
  std::int64_t operator()(std::int32_t spec, Gid source, Gid target);

 private:
  const ProjectionBoxes* boxes_of(std::size_t spec);
  std::size_t n_before(const ProjectionBoxes* boxes, Gid source, Gid target);

  const ProjectionBook& book_;
  const TableSpecs& specs_;
  std::vector<std::optional<const ProjectionBoxes*>> known_;  ///< [specs]
  std::vector<std::int64_t> found_;
  std::pair<Gid, Gid> last_{-1, -1};
  std::vector<const ProjectionBoxes*> met_;  ///< of connections from the last source to the last target
};

}  // namespace npl::sim
