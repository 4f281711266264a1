// SPDX-License-Identifier: Apache-2.0
/// Morphologies in their own frames, as flat arrays, and where cells stand.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "circuit/geometry.hpp"

namespace npl::circuit {

/// SWC codes of sections; 5 to 31 are free for others.
inline constexpr std::uint8_t soma = 1, axon = 2, basal = 3, apical = 4, most_types = 32;
inline bool has_spines(std::uint8_t type) { return type == basal || type == apical; }

/// Arrays as a reader has them: M morphologies with S sections in all and P points in all, lengths in um.
struct MorphologyArrays {
  std::span<const double> points;                ///< [P][3]
  std::span<const double> radii;                 ///< [P], >= 0
  std::span<const std::int64_t> point_begin;     ///< [S + 1]: points of section k are [point_begin[k], point_begin[k + 1])
  std::span<const std::int64_t> section_begin;   ///< [M + 1]: sections of morphology i are [section_begin[i], section_begin[i + 1])
  std::span<const std::int32_t> section_parent;  ///< [S]: index within the morphology, below its own, or -1
  std::span<const std::uint8_t> section_type;    ///< [S]: SWC code
  std::span<const double> soma_centre;           ///< [M][3]
  std::span<const double> soma_radius;           ///< [M], >= 0
};

class Morphologies {
 public:
  struct Section {
    std::span<const Point> points;
    std::span<const double> arc;  ///< length along the section up to each point
    std::uint8_t type;
    double path;  ///< length of the path from the first point of its tree to the beginning of the section
    double length() const { return arc.empty() ? 0 : arc.back(); }
  };

  /// Copies. Throws BadLength and BadParameter, named as the arrays, for shapes and values that cannot be.
  explicit Morphologies(const MorphologyArrays& arrays);

  std::size_t size() const { return soma_.size(); }
  std::size_t n_sections(std::size_t morphology) const { return section_begin_[morphology + 1] - section_begin_[morphology]; }
  Section section(std::size_t morphology, std::size_t k) const;
  const Point& soma_of(std::size_t morphology) const { return soma_[morphology]; }

 private:
  void check(const MorphologyArrays& arrays) const;
  void measure(std::span<const std::int32_t> parent);

  std::vector<Point> points_, soma_;
  std::vector<double> arc_, path_;
  std::vector<std::size_t> point_begin_, section_begin_;
  std::vector<std::uint8_t> type_;
};

/// Cells of one rank; all arrays of the same number n of cells.
struct Cells {
  std::span<const Gid> gid;                  ///< >= 0, of all ranks different
  std::span<const std::int32_t> morphology;  ///< index into Morphologies
  std::span<const double> position;          ///< [n][3] um: what is at the origin of the morphology comes to stand here
  std::span<const double> rotation;          ///< [n][4]: w, x, y, z; need not be normalised
  std::span<const double> spine_length;      ///< [n] um, >= 0: added to the radii of basal and apical dendrites

  std::size_t size() const { return gid.size(); }
};

/// Throws BadLength and BadParameter, named as the arrays.
void check(const Cells& cells, const Morphologies& morphologies);

}  // namespace npl::circuit
