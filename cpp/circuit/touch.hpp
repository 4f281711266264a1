// SPDX-License-Identifier: Apache-2.0
/// A touch: a place where an axon (or what else is on the presynaptic side) is near enough to a postsynaptic cell for a synapse.
#pragma once
#include <cstdint>
#include <tuple>

#include "circuit/pieces.hpp"

namespace npl::circuit {

/// One side of a touch; lengths in um.
struct TouchSide {
  Gid gid;
  std::int32_t section, segment;  ///< of the cell, of the section; 0 for the soma
  float offset;                   ///< along the segment
  float fraction;                 ///< of the section's length, 0 to 1; 0 for the soma
  float surface[3], center[3];    ///< on the surface towards the other side, on the axis
  float distance_soma;            ///< along the path from the first point of the tree; 0 for the soma
  std::uint32_t type;             ///< SWC code of the section
};

struct Touch {
  TouchSide pre, post;
  double place;            ///< along the presynaptic section, um; only for the order
  float spine_length;      ///< from surface to surface, 0 where they interpenetrate, um
  std::uint32_t none = 0;  ///< no padding in messages

  /// The order of touches in files.
  friend bool operator<(const Touch& a, const Touch& b) {
    return std::tie(a.pre.gid, a.post.gid, a.pre.section, a.pre.segment, a.place, a.post.section, a.post.segment, a.post.offset) <
           std::tie(b.pre.gid, b.post.gid, b.pre.section, b.pre.segment, b.place, b.post.section, b.post.segment, b.post.offset);
  }
};

/// The touch at a place of segment pre (8 * piece + lane) with segment post: there, the point of post's axis to which its surface is nearest.
Touch make_touch(const Pieces& pre_pieces, std::uint32_t pre, const Pieces& post_pieces, std::uint32_t post, double place);

}  // namespace npl::circuit
