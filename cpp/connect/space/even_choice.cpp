// SPDX-License-Identifier: Apache-2.0
#include "connect/space/even_choice.hpp"

#include <algorithm>
#include <numeric>

#include "rng/philox_line.hpp"

namespace npl::connect::space {
namespace {

/// Where each other is in the sorted order, by gid; empty where autapses are allowed.
std::vector<std::pair<std::int64_t, std::int64_t>> places_of(const Sides& sides) {
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (std::size_t i = 0; i < sides.other_gid.size(); ++i) places.emplace_back(sides.other_gid[i], static_cast<std::int64_t>(i));
  std::sort(places.begin(), places.end());
  return places;
}

void grow(EvenChoice::Shuffled& shuffled, std::int64_t n) {
  const std::size_t before = shuffled.size();
  if (static_cast<std::size_t>(n) <= before) return;
  shuffled.resize(static_cast<std::size_t>(n));
  std::iota(shuffled.begin() + static_cast<std::ptrdiff_t>(before), shuffled.end(), static_cast<std::uint32_t>(before));
}

}  // namespace

EvenChoice::EvenChoice(const Candidates& c, bool repeats, rng::Key key, bool keyed)
    : sides_(c.sides), places_(places_of(c.sides)), repeats_(repeats), key_(key), keyed_(keyed) {}

bool EvenChoice::operator()(const Runs& runs, std::size_t first, std::size_t last, std::int64_t degree, Shuffled& shuffled,
                            Edges& to) const {
  const std::int64_t centre = runs.centre[first], self = own_index(runs, first, last);
  std::int64_t n = self >= 0 ? -1 : 0;
  for (std::size_t r = first; r < last; ++r) n += runs.length[r];
  if (degree == 0 || n < (repeats_ ? 1 : degree)) return degree == 0;
  draw(centre, n, degree, shuffled, [&](std::int64_t k, std::int64_t chosen) {
    to.list.add(centre, other(runs, first, chosen + (self >= 0 && chosen >= self)));
    if (keyed_) to.key.push_back((centre << 32) + k);
  });
  return true;
}

/// Calls append(k, chosen) for choice k = 0, 1, ... < degree among 0 .. n - 1. Without repeats these are the first steps of a shuffle
/// (Fisher & Yates), which are then undone: so they cost the same for any n.
template <class Append>
void EvenChoice::draw(std::int64_t centre, std::int64_t n, std::int64_t degree, Shuffled& shuffled, Append&& append) const {
  std::uint32_t w[4][batch];
  if (!repeats_) grow(shuffled, n);
  std::vector<std::uint32_t> swapped;
  swapped.reserve(repeats_ ? 0 : static_cast<std::size_t>(degree));
  for (std::int64_t begin = 0; begin < degree; begin += batch) {
    const auto some = static_cast<std::size_t>(std::min<std::int64_t>(batch, degree - begin));
    rng::draw_line(key_, {static_cast<std::uint64_t>(centre), static_cast<std::uint64_t>(begin), 0, 1}, some, {w[0], w[1], w[2], w[3]});
    for (std::size_t i = 0; i < some; ++i) {
      const std::int64_t k = begin + static_cast<std::int64_t>(i), left = repeats_ ? n : n - k;
      const double at = rng::uniform52(w[0][i], w[1][i]) * static_cast<double>(left);
      const std::int64_t drawn = std::min(static_cast<std::int64_t>(at), left - 1);
      if (repeats_) {
        append(k, drawn);
        continue;
      }
      swapped.push_back(static_cast<std::uint32_t>(k + drawn));
      std::swap(shuffled[static_cast<std::size_t>(k)], shuffled[swapped.back()]);
      append(k, shuffled[static_cast<std::size_t>(k)]);
    }
  }
  for (std::size_t k = swapped.size(); k-- > 0;) std::swap(shuffled[k], shuffled[swapped[k]]);
}

/// Index of the centre itself among its others, -1: it is none of them, or may be chosen.
std::int64_t EvenChoice::own_index(const Runs& runs, std::size_t first, std::size_t last) const {
  if (places_.empty()) return -1;
  const std::int64_t gid = sides_.centre_gid[static_cast<std::size_t>(runs.centre[first])];
  const auto found = std::lower_bound(places_.begin(), places_.end(), std::pair{gid, std::int64_t{0}});
  if (found == places_.end() || found->first != gid) return -1;
  std::int64_t before = 0;
  for (std::size_t r = first; r < last; before += runs.length[r++])
    if (const std::int64_t i = found->second - runs.start[r]; i >= 0 && i < runs.length[r]) return before + i;
  return -1;
}

std::int64_t EvenChoice::other(const Runs& runs, std::size_t run, std::int64_t k) const {
  while (k >= runs.length[run]) k -= runs.length[run++];
  return sides_.order[static_cast<std::size_t>(runs.start[run] + k)];
}

}  // namespace npl::connect::space
