// SPDX-License-Identifier: Apache-2.0
#include "circuit/touch.hpp"

#include <algorithm>
#include <cmath>

namespace npl::circuit {
namespace {

double arc_of(const Pieces& pieces, std::size_t piece, std::size_t lane) {
  double arc = pieces[piece].arc;
  for (std::size_t k = 0; k < lane; ++k) arc += norm(pieces.segment(piece, k).axis);
  return arc;
}

void set(float (&to)[3], Vec v) { to[0] = static_cast<float>(v.x), to[1] = static_cast<float>(v.y), to[2] = static_cast<float>(v.z); }

/// Unit vector from a to b; if they coincide, any direction across the axis.
Vec direction(Vec a, Vec b, Vec axis) {
  const Vec way = b - a;
  const double length = norm(way);
  if (length > 0) return 1 / length * way;
  const bool along_x = std::fabs(axis.x) > std::fabs(axis.y);
  const Vec across = along_x ? Vec{-axis.z, 0, axis.x} : Vec{0, axis.z, -axis.y};
  return norm(across) > 0 ? 1 / norm(across) * across : Vec{1, 0, 0};
}

TouchSide side(const Pieces& pieces, std::size_t piece, std::size_t lane, double arc, double s, Vec to_other) {
  const Piece& p = pieces[piece];
  const Segment bare = pieces.bare_segment(piece, lane);
  const double offset = s * norm(bare.axis), length = p.section_length;
  const Vec center = bare.at(s);
  TouchSide t{};
  t.gid = p.gid;
  t.section = p.section;
  t.segment = p.first_segment + static_cast<std::int32_t>(lane);
  t.offset = static_cast<float>(offset);
  t.fraction = length > 0 ? static_cast<float>(std::clamp((arc + offset) / length, 0.0, 1.0)) : 0;
  set(t.center, center);
  set(t.surface, center + bare.radius_at(s) * to_other);
  t.distance_soma = static_cast<float>(p.path + arc + offset);
  t.type = p.type;
  return t;
}

}  // namespace

Touch make_touch(const Pieces& pre_pieces, std::uint32_t pre, const Pieces& post_pieces, std::uint32_t post, double place) {
  const std::size_t i = pre / lanes, i_lane = pre % lanes, j = post / lanes, j_lane = post % lanes;
  const Segment p = pre_pieces.bare_segment(i, i_lane), q = post_pieces.bare_segment(j, j_lane);
  const double length = norm(p.axis), arc = arc_of(pre_pieces, i, i_lane);
  const double s = length > 0 ? std::clamp((place - arc) / length, 0.0, 1.0) : 0, t = nearest(q, p.at(s));
  const Vec from = p.at(s), to = q.at(t), way = direction(from, to, p.axis);
  Touch touch{};
  touch.pre = side(pre_pieces, i, i_lane, arc, s, way);
  touch.post = side(post_pieces, j, j_lane, arc_of(post_pieces, j, j_lane), t, -1.0 * way);
  touch.place = place;
  touch.spine_length = static_cast<float>(std::max(0.0, norm(to - from) - p.radius_at(s) - q.radius_at(t)));
  return touch;
}

}  // namespace npl::circuit
