// SPDX-License-Identifier: Apache-2.0
#include "circuit/pieces.hpp"

#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace npl::circuit {
namespace {

template <class T>
void append(std::vector<std::byte>& to, const T* values, std::size_t n) {
  const auto* bytes = reinterpret_cast<const std::byte*>(values);
  to.insert(to.end(), bytes, bytes + n * sizeof(T));
}

template <class T>
void take_front(std::span<const std::byte>& from, T* values, std::size_t n) {
  if (from.size() < n * sizeof(T)) throw BadMessage("message refused: it ends within a piece of a branch");
  std::memcpy(values, from.data(), n * sizeof(T));
  from = from.subspan(n * sizeof(T));
}

/// Turns points of a morphology into those of one cell.
struct Placing {
  Rotation rotate;
  Vec position;

  Placing(const Cells& cells, std::size_t i)
      : rotate({cells.rotation[4 * i], cells.rotation[4 * i + 1], cells.rotation[4 * i + 2], cells.rotation[4 * i + 3]}),
        position{cells.position[3 * i], cells.position[3 * i + 1], cells.position[3 * i + 2]} {}
  Point operator()(const Point& p) const { return {rotate(p.at) + position, p.radius}; }
};

bool wanted(std::uint32_t types, std::uint8_t type) { return types >> type & 1; }

bool has_segments(const Morphologies::Section& section, std::uint32_t types) {
  return wanted(types, section.type) && section.type != soma && section.points.size() > 1;
}

/// Number of pieces into which a section of n segments is cut.
std::size_t parts_of(std::size_t n) { return (n + lanes - 1) / lanes; }

/// Counts first, then fills, so that no memory is reserved in vain.
void make_room(const Morphologies& morphologies, const Cells& cells, std::size_t first, std::size_t last, std::uint32_t types,
               Pieces& pieces) {
  std::size_t n_pieces = 0, n_points = 0;
  for (std::size_t i = first; i < last; ++i) {
    const auto m = static_cast<std::size_t>(cells.morphology[i]);
    if (wanted(types, soma)) n_pieces += 1, n_points += 2;
    for (std::size_t k = 0; k < morphologies.n_sections(m); ++k) {
      const auto section = morphologies.section(m, k);
      if (!has_segments(section, types)) continue;
      const std::size_t segments = section.points.size() - 1, parts = parts_of(segments);
      n_pieces += parts, n_points += segments + parts;
    }
  }
  pieces.reserve(n_pieces, n_points);
}

void cut_section(const Morphologies::Section& section, Piece piece, std::vector<Point>& placed, Pieces& pieces) {
  const std::size_t n = placed.size() - 1, parts = parts_of(n);
  for (std::size_t k = 0; k < parts; ++k) {
    const std::size_t begin = n * k / parts, end = n * (k + 1) / parts;
    piece.first_segment = static_cast<std::int32_t>(begin);
    piece.segments = static_cast<std::uint32_t>(end - begin);
    piece.arc = section.arc[begin];
    pieces.add(piece, std::span(placed).subspan(begin, end - begin + 1));
  }
}

}  // namespace

Box Pieces::box(std::size_t i, std::size_t lane) const {
  const Segment s = segment(i, lane);
  Box box;
  box.add(s.begin, s.radius);
  box.add(s.at(1), s.radius_at(1));
  return box;
}

Box Pieces::box(std::size_t i) const {
  Box all;
  for (std::size_t lane = 0; lane < pieces_[i].segments; ++lane) all.add(box(i, lane));
  return all;
}

void Pieces::add(Piece piece, std::span<const Point> points) {
  piece.first_point = points_.size();
  pieces_.push_back(piece);
  points_.insert(points_.end(), points.begin(), points.end());
}

void Pieces::arrange(std::span<const std::uint32_t> order) {
  Pieces arranged(mode_);
  arranged.pieces_.reserve(order.size());
  arranged.points_.reserve(points_.size());
  for (std::uint32_t i : order) arranged.add(pieces_[i], points(i));
  *this = std::move(arranged);
}

void Pieces::pack(std::size_t i, std::vector<std::byte>& to) const {
  append(to, &pieces_[i], 1);
  append(to, points(i).data(), pieces_[i].segments + 1);
}

void Pieces::expect(std::span<const std::byte> packed) {
  for (Piece piece; packed.size() >= sizeof piece;) {
    take_front(packed, &piece, 1);
    const std::size_t points = std::size_t{piece.segments} + 1;
    if (packed.size() < points * sizeof(Point)) return;  // malformed; take throws
    packed = packed.subspan(points * sizeof(Point));
    ++pieces_expected_, points_expected_ += points;
  }
}

void Pieces::take(std::span<const std::byte> packed) {
  if (pieces_expected_) reserve(std::exchange(pieces_expected_, 0), std::exchange(points_expected_, 0));
  while (!packed.empty()) {
    Piece piece;
    Point points[lanes + 1];
    take_front(packed, &piece, 1);
    if (piece.segments < 1 || piece.segments > lanes)
      throw BadMessage("message refused: a piece of " + std::to_string(piece.segments) + " segments");
    take_front(packed, points, piece.segments + 1);
    add(piece, {points, piece.segments + 1});
  }
}

void cut(const Morphologies& morphologies, const Cells& cells, std::size_t first, std::size_t last, std::uint32_t types, Pieces& pieces) {
  std::vector<Point> placed;
  make_room(morphologies, cells, first, last, types, pieces);
  for (std::size_t i = first; i < last; ++i) {
    const Placing place(cells, i);
    const auto m = static_cast<std::size_t>(cells.morphology[i]);
    if (wanted(types, soma)) {
      const Point centre = place(morphologies.soma_of(m));
      pieces.add({.gid = cells.gid[i],
                  .section = 0,
                  .first_segment = 0,
                  .first_point = 0,
                  .spine = 0,
                  .arc = 0,
                  .section_length = 0,
                  .path = 0,
                  .segments = 1,
                  .type = soma},
                 std::array{centre, centre});
    }
    for (std::size_t k = 0; k < morphologies.n_sections(m); ++k) {
      const auto section = morphologies.section(m, k);
      if (!has_segments(section, types)) continue;
      placed.clear();
      for (const Point& p : section.points) placed.push_back(place(p));
      const double spine = has_spines(section.type) ? cells.spine_length[i] : 0;
      cut_section(section,
                  {.gid = cells.gid[i],
                   .section = static_cast<std::int32_t>(k + 1),
                   .first_segment = 0,
                   .first_point = 0,
                   .spine = spine,
                   .arc = 0,
                   .section_length = section.length(),
                   .path = section.path,
                   .segments = 0,
                   .type = section.type},
                  placed, pieces);
    }
  }
}

std::uint64_t count_segments(const Morphologies& morphologies, std::size_t m, std::uint32_t types) {
  std::uint64_t n = wanted(types, soma);
  for (std::size_t k = 0; k < morphologies.n_sections(m); ++k) {
    const auto section = morphologies.section(m, k);
    if (has_segments(section, types)) n += section.points.size() - 1;
  }
  return n;
}

}  // namespace npl::circuit
