// SPDX-License-Identifier: Apache-2.0
/// Pieces of branches: up to 8 consecutive segments of a section, in coordinates of the circuit. They are the units that are sorted in
/// space, sent and indexed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/morphologies.hpp"
#include "circuit/overlap.hpp"

namespace npl::circuit {

inline constexpr std::size_t lanes = 8;  ///< largest number of segments of a piece; children of a node of the tree

/// Description of a piece; lengths in um.
struct Piece {
  Gid gid;
  std::int32_t section;        ///< 0 for the soma, k + 1 for section k of the morphology
  std::int32_t first_segment;  ///< of the section
  std::uint64_t first_point;   ///< of the `segments + 1` points
  double spine;                ///< added to the radii
  double arc;                  ///< length of the section up to the first point
  double section_length;
  double path;  ///< path length from the first point of the tree to the beginning of the section
  std::uint32_t segments;
  std::uint32_t type;  ///< SWC code
};

/// Pieces with their points. A soma is a piece of one segment whose two points coincide.
class Pieces {
 public:
  explicit Pieces(Mode mode) : mode_(mode) {}

  std::size_t size() const { return pieces_.size(); }
  const Piece& operator[](std::size_t i) const { return pieces_[i]; }
  std::span<const Point> points(std::size_t i) const { return {points_.data() + pieces_[i].first_point, pieces_[i].segments + 1}; }
  /// Segment `lane` of piece i, radii with spines.
  Segment segment(std::size_t i, std::size_t lane) const { return make(i, lane, pieces_[i].spine); }
  /// The same without spines.
  Segment bare_segment(std::size_t i, std::size_t lane) const { return make(i, lane, 0); }
  /// Bounding box of a segment, and of a piece; with spines.
  Box box(std::size_t i, std::size_t lane) const;
  Box box(std::size_t i) const;
  std::uint64_t n_segments() const { return points_.size() - pieces_.size(); }
  std::size_t bytes() const { return pieces_.capacity() * sizeof(Piece) + points_.capacity() * sizeof(Point); }

  /// Appends a piece with its segments + 1 points; sets first_point.
  void add(Piece piece, std::span<const Point> points);
  void clear() { pieces_ = {}, points_ = {}; }
  /// Permutes the pieces: number k becomes what was number order[k].
  void arrange(std::span<const std::uint32_t> order);
  /// Reserves memory for so many more pieces and points.
  void reserve(std::size_t pieces, std::size_t points) {
    pieces_.reserve(pieces_.size() + pieces), points_.reserve(points_.size() + points);
  }
  /// Number of bytes that pack appends for piece i.
  std::size_t packed_bytes(std::size_t i) const { return sizeof(Piece) + (pieces_[i].segments + 1) * sizeof(Point); }
  /// Appends piece i as bytes; take is the inverse.
  void pack(std::size_t i, std::vector<std::byte>& to) const;
  /// Reserves memory for what take will append; to be called for several letters before the first is taken.
  void expect(std::span<const std::byte> packed);
  /// Appends packed pieces. Throws BadMessage if the bytes are malformed.
  void take(std::span<const std::byte> packed);

 private:
  Segment make(std::size_t i, std::size_t lane, double spine) const {
    const Point* at = points_.data() + pieces_[i].first_point + lane;
    return circuit::segment(at[0], at[1], spine, mode_);
  }
  Mode mode_;
  std::size_t pieces_expected_ = 0, points_expected_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Point> points_;
};

/// Appends the pieces of cells [first, last): sections whose type is in the mask (bit = SWC code; soma: bit 1), cut evenly, in order of
/// sections.
void cut(const Morphologies& morphologies, const Cells& cells, std::size_t first, std::size_t last, std::uint32_t types, Pieces& pieces);

/// Number of segments of a morphology whose type is in the mask.
std::uint64_t count_segments(const Morphologies& morphologies, std::size_t morphology, std::uint32_t types);

}  // namespace npl::circuit
