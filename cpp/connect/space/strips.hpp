// SPDX-License-Identifier: Apache-2.0
/// Cell list: nodes are sorted into strips and, within a strip, into bins along the last dimension. A region around a point overlaps few
/// strips, and in each strip one contiguous run of nodes.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace npl::connect::space {

using Column = std::span<const double>;
using Numbers = std::span<const std::int64_t>;
using Place = std::array<double, 3>;

/// The cells in 2 or 3 dimensions (entries beyond `dims` are unused) and their nodes.
struct Strips {
  int dims;
  Place low, width, margin;            ///< corner of the first cell, widths of a cell, tolerance for rounding
  std::array<std::int64_t, 3> counts;  ///< cells
  bool wraps;                          ///< periodic, with period = counts * width
  Place period;
  Numbers start;  ///< [cells + 1] sorted index of the first node of each cell, strip by strip, then the number of nodes
};

/// Region to search relative to a centre: a bounding box and a bounding ellipsoid.
struct Reach {
  Place low, high, middle, half;       ///< corners of the box; centre and half axes of the ellipsoid (infinite: none)
  std::array<std::int64_t, 3> images;  ///< largest distance of a periodic image [periods]
};

/// Contiguous runs of nodes that may lie in the region of a centre, in order of centres.
struct Runs {
  std::vector<std::int64_t> centre, start, length, image;  ///< start: sorted index of the first node; image: index of the periodic image
  std::vector<double> base[3];                             ///< position of the centre relative to the image

  std::size_t size() const { return centre.size(); }
  void clear();
};

/// Finds the runs around centres. One per thread.
class Search {
 public:
  /// Keeps references to its arguments. @param at coordinates of centres by index
  Search(const Strips&, const Reach&, const Column at[3]);
  /// Appends the runs of a centre.
  void around(std::int64_t centre, Runs& to);
  /// Index of the cell that contains a centre, or of the nearest cell.
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
