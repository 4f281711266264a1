// SPDX-License-Identifier: Apache-2.0
#include "circuit/boutons.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace npl::circuit {
namespace {

constexpr double same_depth = 1e-9;  // um; where two segments join, their depths differ only by rounding

bool earlier(const Overlap& a, const Overlap& b) {
  if (a.post_gid != b.post_gid) return a.post_gid < b.post_gid;
  if (a.start != b.start) return a.start < b.start;
  return std::tie(a.end, a.pre_segment, a.post_section, a.post_segment) < std::tie(b.end, b.pre_segment, b.post_section, b.post_segment);
}

using Region = std::span<const Overlap>;

/// The first region: leading overlaps of one postsynaptic cell, in order along the section, with gaps below region_gap.
std::pair<Region, double> front_region(Region overlaps, double gap) {
  std::size_t n = 1;
  double end = overlaps[0].end;
  for (; n < overlaps.size() && overlaps[n].post_gid == overlaps[0].post_gid && (overlaps[n].start <= end || overlaps[n].start - end < gap);
       ++n)
    end = std::max(end, overlaps[n].end);
  return {overlaps.first(n), end};
}

bool deeper(const Overlap& a, const Overlap& b) {
  if (std::fabs(a.clearance - b.clearance) > same_depth) return a.clearance < b.clearance;
  return std::tie(a.post_section, a.post_segment, a.pre_segment) < std::tie(b.post_section, b.post_segment, b.pre_segment);
}

Bouton choose(Region region, double place) {
  const Overlap* best = nullptr;
  double least_off = 0;
  for (const Overlap& o : region) {
    const double off = std::max({0.0, o.start - place, place - o.end});
    if (!best || off < least_off || (off == least_off && deeper(o, *best))) best = &o, least_off = off;
  }
  return {std::clamp(place, best->start, best->end), best};
}

}  // namespace

void space(double start, double end, const Spacing& spacing, Draws& draws, std::vector<double>& places) {
  const auto step = [&] { return spacing.min + (spacing.max - spacing.min) * draws.next(); };
  const double first = step(), length = end - start;
  if (first >= length) {
    places.push_back(start + 0.5 * length);
    return;
  }
  for (double at = start + 0.5 * first; at <= end; at += step()) places.push_back(at);
}

void place(std::vector<Overlap>& overlaps, Gid pre_gid, std::int32_t pre_section, std::uint64_t seed, const Spacing& spacing,
           std::vector<Bouton>& boutons) {
  std::sort(overlaps.begin(), overlaps.end(), earlier);
  const rng::Key key = Draws::key(seed, pre_gid);
  std::vector<double> places;
  Region rest = overlaps;
  while (!rest.empty()) {
    const Gid post = rest[0].post_gid;
    Draws draws(key, post, pre_section);
    while (!rest.empty() && rest[0].post_gid == post) {
      const auto [region, end] = front_region(rest, spacing.region_gap);
      places.clear();
      space(region[0].start, end, spacing, draws, places);
      for (double at : places) boutons.push_back(choose(region, at));
      rest = rest.subspan(region.size());
    }
  }
}

}  // namespace npl::circuit
