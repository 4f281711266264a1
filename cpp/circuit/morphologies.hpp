// SPDX-License-Identifier: Apache-2.0
/// Morphologies in their own coordinates, as flat arrays, and positions and rotations of cells.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "circuit/geometry.hpp"

namespace npl::circuit {

/// SWC codes of sections; 5 to 31 are free for other types.
inline constexpr std::uint8_t soma = 1, axon = 2, basal = 3, apical = 4, most_types = 32;
/// Whether sections of this type have spines.
inline bool has_spines(std::uint8_t type) { return type == basal || type == apical; }

/// Input arrays: M morphologies with S sections and P points in total; lengths in um.
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

/// Morphologies by index, from 0.
class Morphologies {
 public:
  /// A section; lengths in um.
  struct Section {
    std::span<const Point> points;
    std::span<const double> arc;  ///< length along the section up to each point
    std::uint8_t type;
    double path;  ///< path length from the first point of its tree to the beginning of the section
    double length() const { return arc.empty() ? 0 : arc.back(); }
  };

  /// Copies the arrays. Throws BadLength and BadParameter, naming the array, for impossible shapes and values.
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

/// n cells of one rank. The arrays must live as long as this object.
struct Cells {
  std::span<const Gid> gid;                  ///< [n] >= 0, unique over all ranks
  std::span<const std::int32_t> morphology;  ///< [n] index into Morphologies
  std::span<const double> position;          ///< [n][3] position of the morphology's origin [um]
  std::span<const double> rotation;          ///< [n][4] quaternion w, x, y, z; need not be normalised
  std::span<const double> spine_length;      ///< [n] added to the radii of basal and apical dendrites [um], >= 0

  std::size_t size() const { return gid.size(); }
};

/// Throws BadLength and BadParameter, naming the array.
void check(const Cells& cells, const Morphologies& morphologies);

}  // namespace npl::circuit
