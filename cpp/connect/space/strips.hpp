// SPDX-License-Identifier: Apache-2.0
/// A cell list: nodes sorted into strips, and within a strip into bins along the last dimension. A region around a point touches few strips,
/// and in each one run of nodes that lie side by side in memory.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace npl::connect::space {

using Column = std::span<const double>;
using Numbers = std::span<const std::int64_t>;
using Place = std::array<double, 3>;

/// 2 or 3 dimensions; entries beyond are not used.
struct Strips {
  int dims;
  Place low, width, margin;            ///< corner of the first cell, widths of a cell, what rounding may lose
  std::array<std::int64_t, 3> counts;  ///< cells
  bool wraps;                          ///< with a period of counts * width
  Place period;
  Numbers start;  ///< place of the first node of each cell in sorted order, strip by strip, and the end
};

/// What is looked for, relative to a centre: a box, and an ellipsoid that holds the region.
struct Reach {
  Place low, high, middle, half;       ///< half axes: infinite where there is no ellipsoid
  std::array<std::int64_t, 3> images;  ///< how many periods away an image can be
};

/// Runs of nodes that may be in the region of a centre, in order of centres.
struct Runs {
  std::vector<std::int64_t> centre, start, length, image;  ///< start: in sorted order; image: number of the periodic image
  std::vector<double> base[3];                             ///< where the centre is as seen from the image

  std::size_t size() const { return centre.size(); }
  void clear();
};

/// Finds the runs around centres.
class Search {
 public:
  /// `at`: positions of centres by number.
  Search(const Strips&, const Reach&, const Column at[3]);
  /// Appends the runs of a centre.
  void around(std::int64_t centre, Runs& to);
  /// Number of the cell that a centre lies in, or nearest to.
  std::int64_t cell_of(std::int64_t centre) const;

 private:
  double folded(std::int64_t centre, int k) const;
  std::int64_t cell(double place, int k) const;
  void along(int k, std::int64_t strip, std::int64_t image, double rest);
  void bins(std::int64_t strip, std::int64_t image, double rest);
  void add(std::int64_t strip, std::int64_t first, std::int64_t last, std::int64_t image);
  double nearest(double low, double high, int k) const;
  void see_from(int k, std::int64_t turn);

  const Strips& strips_;
  const Reach& reach_;
  Column at_[3];
  Place limit_{}, centre_{}, base_{};
  std::int64_t number_ = 0;
  Runs* to_ = nullptr;
};

}  // namespace npl::connect::space
