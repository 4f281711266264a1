// SPDX-License-Identifier: Apache-2.0
#include "connect/space/strips.hpp"

#include <algorithm>
#include <cmath>

namespace npl::connect::space {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

void Runs::clear() {
  for (auto column : {&centre, &start, &length, &image}) column->clear();
  for (auto& column : base) column.clear();
}

Search::Search(const Strips& strips, const Reach& reach, const Column at[3]) : strips_(strips), reach_(reach), at_{at[0], at[1], at[2]} {
  for (std::size_t k = 0; k < 3; ++k)
    limit_[k] = static_cast<double>(strips.counts[k]) * (2.0 + 2.0 * static_cast<double>(reach.images[k]));
}

/// A coordinate shifted by whole periods into the layer. Coordinates inside the layer, including its upper edge, stay bit-identical.
double Search::folded(std::int64_t centre, int k) const {
  const auto i = static_cast<std::size_t>(k);
  const double at = at_[k][static_cast<std::size_t>(centre)];
  if (!strips_.wraps || at - strips_.low[i] == strips_.period[i]) return at;
  const double turns = std::floor((at - strips_.low[i]) / strips_.period[i]);
  return turns == 0.0 ? at : at - turns * strips_.period[i];
}

std::int64_t Search::cell_of(std::int64_t centre) const {
  std::int64_t number = 0;
  for (int k = 0; k < strips_.dims; ++k) {
    const std::int64_t count = strips_.counts[static_cast<std::size_t>(k)];
    number = number * count + std::clamp<std::int64_t>(cell(folded(centre, k), k), 0, count - 1);
  }
  return number;
}

void Search::around(std::int64_t centre, Runs& to) {
  number_ = centre, to_ = &to;
  for (int k = 0; k < strips_.dims; ++k) centre_[static_cast<std::size_t>(k)] = base_[static_cast<std::size_t>(k)] = folded(centre, k);
  along(0, 0, 0, 1.0 + 1e-12);
}

/// Index of the cell along dimension k; may lie outside the layer, and is bounded because regions may be infinite.
std::int64_t Search::cell(double place, int k) const {
  const auto i = static_cast<std::size_t>(k);
  return static_cast<std::int64_t>(std::clamp(std::floor((place - strips_.low[i]) / strips_.width[i]), -limit_[i], limit_[i]));
}

void Search::see_from(int k, std::int64_t turn) {
  const auto i = static_cast<std::size_t>(k);
  if (strips_.wraps) base_[i] = centre_[i] - static_cast<double>(turn) * strips_.period[i];
}

/// Distance between the centre of the ellipsoid and an interval, in half axes.
double Search::nearest(double low, double high, int k) const {
  const auto i = static_cast<std::size_t>(k);
  return std::max(std::max(low - reach_.middle[i], reach_.middle[i] - high), 0.0) / reach_.half[i];
}

/// Visits the strips along dimension k. `rest`: 1 minus the terms of the previous dimensions in the equation of the ellipsoid.
void Search::along(int k, std::int64_t strip, std::int64_t image, double rest) {
  if (k == strips_.dims - 1) return bins(strip, image, rest);
  const auto i = static_cast<std::size_t>(k);
  const double margin = strips_.margin[i];
  std::int64_t first = cell(centre_[i] + (reach_.low[i] - margin), k), last = cell(centre_[i] + (reach_.high[i] + margin), k);
  if (!strips_.wraps) first = std::max<std::int64_t>(first, 0), last = std::min(last, strips_.counts[i] - 1);
  for (std::int64_t index = first; index <= last; ++index) {
    const std::int64_t turn = strips_.wraps ? floor_div(index, strips_.counts[i]) : 0, cell = index - turn * strips_.counts[i];
    const double moved = strips_.wraps ? static_cast<double>(turn) * strips_.period[i] : 0.0;
    const double low = strips_.low[i] + static_cast<double>(cell) * strips_.width[i] + moved - centre_[i];
    const double far = nearest(low - margin, low + strips_.width[i] + margin, k), left = rest - far * far;
    if (left < 0.0) continue;
    see_from(k, turn);
    along(k + 1, strip * strips_.counts[i] + cell, image * (2 * reach_.images[i] + 1) + turn + reach_.images[i], left);
  }
}

/// Visits the bins of a strip: one run per period.
void Search::bins(std::int64_t strip, std::int64_t image, double rest) {
  const int k = strips_.dims - 1;
  const auto i = static_cast<std::size_t>(k);
  const double half = reach_.half[i] * std::sqrt(rest), margin = strips_.margin[i];
  const double from = std::max(reach_.low[i], reach_.middle[i] - half) - margin,
               to = std::min(reach_.high[i], reach_.middle[i] + half) + margin;
  const std::int64_t n = strips_.counts[i], first = cell(centre_[i] + from, k), last = cell(centre_[i] + to, k);
  const std::int64_t lowest = strips_.wraps ? floor_div(first, n) : 0, highest = strips_.wraps ? floor_div(last, n) : 0;
  for (std::int64_t turn = lowest; turn <= highest; ++turn) {
    see_from(k, turn);
    add(strip * n, std::max<std::int64_t>(first - turn * n, 0), std::min(last - turn * n, n - 1),
        image * (2 * reach_.images[i] + 1) + turn + reach_.images[i]);
  }
}

/// Appends the run of the nodes in bins `first` .. `last` of a strip. @param strip index of its first bin
void Search::add(std::int64_t strip, std::int64_t first, std::int64_t last, std::int64_t image) {
  if (first > last) return;
  const std::int64_t start = strips_.start[static_cast<std::size_t>(strip + first)],
                     end = strips_.start[static_cast<std::size_t>(strip + last + 1)];
  if (start == end) return;
  to_->centre.push_back(number_);
  to_->start.push_back(start);
  to_->length.push_back(end - start);
  to_->image.push_back(image);
  for (int k = 0; k < strips_.dims; ++k) to_->base[k].push_back(base_[static_cast<std::size_t>(k)]);
}

}  // namespace npl::connect::space
