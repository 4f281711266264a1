// SPDX-License-Identifier: Apache-2.0
/// Placement of boutons. Overlaps of one presynaptic section with one postsynaptic cell are merged to regions along the section, and
/// boutons are placed on the regions. Random numbers are keyed by (seed, pre gid, post gid, section).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "rng/philox.hpp"

namespace npl::circuit {

/// Part of a presynaptic section that overlaps with a postsynaptic segment.
struct Overlap {
  double start, end;  ///< along the section [um]
  double clearance;   ///< distance of the surfaces (spines included) in the middle of the overlap [um]; negative where they interpenetrate
  Gid post_gid;
  std::int32_t post_section, post_segment, pre_segment;
  std::uint32_t origin;     ///< rank that found it
  std::uint32_t pre, post;  ///< the two segments on that rank: 8 * piece + lane
};

/// Distances along a section [um].
struct Spacing {
  double min = 5, max = 7;  ///< between boutons of a region; 0 < min <= max
  double region_gap = 5;    ///< overlaps with a smaller gap belong to one region; >= 0
};

/// Sequence of uniform random numbers for one (pre cell, section, post cell).
class Draws {
 public:
  /// @param key of the presynaptic cell, see key()
  Draws(rng::Key key, Gid post_gid, std::int32_t pre_section)
      : key_(key), post_(static_cast<std::uint64_t>(post_gid)), section_(static_cast<std::uint64_t>(pre_section)) {}
  /// The next number, in (0, 1).
  double next() {
    if (drawn_ % 2 == 0) words_ = rng::draw(key_, post_, section_ << 32 | drawn_ / 2);
    const std::size_t half = drawn_++ % 2 * 2;
    return rng::uniform52(words_[half], words_[half + 1]);
  }
  static rng::Key key(std::uint64_t seed, Gid pre_gid) {
    return rng::Key::of(seed, rng::Purpose::touch, static_cast<std::uint64_t>(pre_gid));
  }

 private:
  rng::Key key_;
  std::uint64_t post_, section_, drawn_ = 0;
  rng::Words words_{};
};

/// Appends the places [um along the section] of the boutons of one region. Steps are uniform in [min, max]. If the first step is longer
/// than the region there is one bouton in the middle; else the first is half a step from the start, and others follow in steps up to the
/// end.
void space(double start, double end, const Spacing& spacing, Draws& draws, std::vector<double>& places);

/// A bouton on an overlap.
struct Bouton {
  double place;  ///< along the section [um], within the overlap
  const Overlap* overlap;
};

/// Sorts the overlaps of one section in a total order and appends its boutons. If several overlaps contain a place, the deepest one gets
/// the bouton; a place in a gap of the region moves to the nearest end of an overlap.
void place(std::vector<Overlap>& overlaps, Gid pre_gid, std::int32_t pre_section, std::uint64_t seed, const Spacing& spacing,
           std::vector<Bouton>& boutons);

}  // namespace npl::circuit
