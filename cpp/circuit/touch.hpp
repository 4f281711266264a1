// SPDX-License-Identifier: Apache-2.0
/// A touch: a place where a presynaptic branch, usually of an axon, is near enough to a postsynaptic cell for a synapse.
#pragma once
#include <cstdint>
#include <tuple>

#include "circuit/pieces.hpp"

namespace npl::circuit {

/// One side of a touch; lengths in um.
struct TouchSide {
  Gid gid;
  std::int32_t section, segment;  ///< section of the cell, segment of the section; 0 for the soma
  float offset;                   ///< length from the beginning of the segment
  float fraction;                 ///< of the section's length, 0 to 1; 0 for the soma
  float surface[3], center[3];    ///< point on the surface towards the other side; point on the axis
  float distance_soma;            ///< path length from the first point of the tree; 0 for the soma
  std::uint32_t type;             ///< SWC code of the section
};

/// A touch with both sides.
struct Touch {
  TouchSide pre, post;
  double place;            ///< along the presynaptic section [um]; for the order only
  float spine_length;      ///< distance of the surfaces [um]; 0 where they interpenetrate
  std::uint32_t none = 0;  ///< fills the padding, so that messages have defined bytes

  /// Order of touches in files.
  friend bool operator<(const Touch& a, const Touch& b) {
    return std::tie(a.pre.gid, a.post.gid, a.pre.section, a.pre.segment, a.place, a.post.section, a.post.segment, a.post.offset) <
           std::tie(b.pre.gid, b.post.gid, b.pre.section, b.pre.segment, b.place, b.post.section, b.post.segment, b.post.offset);
  }
};

/// The touch at a place [um along the section] of segment `pre` with segment `post` (numbers: 8 * piece + lane). On the postsynaptic side
/// it lies at the point of the axis whose ball is nearest to that place.
Touch make_touch(const Pieces& pre_pieces, std::uint32_t pre, const Pieces& post_pieces, std::uint32_t post, double place);

}  // namespace npl::circuit
