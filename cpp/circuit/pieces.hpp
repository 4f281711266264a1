// SPDX-License-Identifier: Apache-2.0
/// Pieces of branches: up to 8 consecutive segments of a section, in the frame of the circuit. What is sorted in space, sent and indexed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/morphologies.hpp"
#include "circuit/overlap.hpp"

namespace npl::circuit {

inline constexpr std::size_t lanes = 8;  ///< most segments of a piece, children of a node

struct Piece {
  Gid gid;
  std::int32_t section;        ///< 0 for the soma, k + 1 for section k of the morphology
  std::int32_t first_segment;  ///< of the section
  std::uint64_t first_point;   ///< of the `segments + 1` points
  double spine;                ///< added to the radii, um
  double arc;                  ///< along the section up to the first point, um
  double section_length;       ///< um
  double path;                 ///< to the first point of the tree from the beginning of the section, um
  std::uint32_t segments;
  std::uint32_t type;  ///< SWC code
};

/// Pieces with their points. A soma is a piece of one segment whose two points are one.
class Pieces {
 public:
  explicit Pieces(Mode mode) : mode_(mode) {}

  std::size_t size() const { return pieces_.size(); }
  const Piece& operator[](std::size_t i) const { return pieces_[i]; }
  std::span<const Point> points(std::size_t i) const { return {points_.data() + pieces_[i].first_point, pieces_[i].segments + 1}; }
  /// Of the piece, from 0; radii with spine, or without.
  Segment segment(std::size_t i, std::size_t lane) const { return make(i, lane, pieces_[i].spine); }
  Segment bare_segment(std::size_t i, std::size_t lane) const { return make(i, lane, 0); }
  Box box(std::size_t i, std::size_t lane) const;
  Box box(std::size_t i) const;
  std::uint64_t n_segments() const { return points_.size() - pieces_.size(); }
  std::size_t bytes() const { return pieces_.capacity() * sizeof(Piece) + points_.capacity() * sizeof(Point); }

  void add(Piece piece, std::span<const Point> points);
  void clear() { pieces_ = {}, points_ = {}; }
  /// In this order.
  void arrange(std::span<const std::uint32_t> order);
  /// Makes room for so many more.
  void reserve(std::size_t pieces, std::size_t points) {
    pieces_.reserve(pieces_.size() + pieces), points_.reserve(points_.size() + points);
  }
  /// Of pack.
  std::size_t packed_bytes(std::size_t i) const { return sizeof(Piece) + (pieces_[i].segments + 1) * sizeof(Point); }
  /// Appends pieces as bytes, the inverse of take.
  void pack(std::size_t i, std::vector<std::byte>& to) const;
  /// Makes room for what take will append: to be called for several letters before the first is taken.
  void expect(std::span<const std::byte> packed);
  /// Appends what was packed. Throws BadMessage for bytes that are no pieces.
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

/// Cuts cells [first, last) into pieces: sections whose type is in the mask (bit = SWC code; the soma is type 1), evenly cut, in order of sections.
void cut(const Morphologies& morphologies, const Cells& cells, std::size_t first, std::size_t last, std::uint32_t types, Pieces& pieces);

/// Segments of the cell that are in the mask.
std::uint64_t count_segments(const Morphologies& morphologies, std::size_t morphology, std::uint32_t types);

}  // namespace npl::circuit
