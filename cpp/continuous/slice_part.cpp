// SPDX-License-Identifier: Apache-2.0
#include "continuous/slice_part.hpp"

#include <algorithm>
#include <cmath>

namespace npl::continuous {

const double* const* SlicePart::sum(Intake& intake, const nodes::Group& g, Step step) {
  const std::size_t n = g.size();
  if (sums_.size() < intake.slots * n) sums_.resize(intake.slots * n);
  columns_.resize(intake.slots);
  for (std::size_t s = 0; s < intake.slots; ++s) columns_[s] = sums_.data() + s * n;
  std::fill_n(sums_.begin(), intake.slots * n, 0.0);
  for (Inflow& f : intake.inflows) {
    const Flow& flow = *f.flow;
    if (!flow.delayed && !flow.waves && step <= flow.since) continue;
    if (!f.weights.empty()) {
      interpolate(f, n, step);
      continue;
    }
    outs_.clear();
    for (const std::size_t s : f.slots) outs_.push_back(columns_[s]);
    flow.waves ? f.plan.add(step + 1, flow.guess, flow.devices, g, f.gain, outs_.data())
               : f.plan.add(step, flow.course, flow.devices, g, f.gain, outs_.data());
  }
  return columns_.data();
}

/// The polynomials of a step: constant, a line between its values, or a cubic Hermite spline.
void SlicePart::interpolate(const Inflow& f, std::size_t n, Step step) {
  const Flow& flow = *f.flow;
  const std::size_t sources = flow.course.sources();
  double *w = columns_[f.slots[0]], *c0 = w + n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
  for (std::size_t i = 0; i < n; ++i) w[i] += f.weights[i];
  f.plan.add_all(flow.waves && step > from_ ? flow.guess.row(step - 1) : flow.course.row(step - 1), c0);
  if (!flow.waves || flow.order == 0) return;
  const double* row = flow.guess.row(step);
  f.plan.add_all(row, c1);
  if (flow.order == 1) {
    for (std::size_t i = 0; i < n; ++i) c1[i] -= c0[i];
    return;
  }
  f.plan.add_all(row + sources, c2);
  f.plan.add_all(row + 2 * sources, c3);
  for (std::size_t i = 0; i < n; ++i) {
    const double y0 = c0[i], y1 = c1[i], f0 = c2[i], f1 = c3[i];
    c1[i] = f0;
    c2[i] = 3.0 * (y1 - y0) - 2.0 * f0 - f1;
    c3[i] = 2.0 * (y0 - y1) + f0 + f1;
  }
}

void SlicePart::note(std::size_t group, const nodes::Group& g, Step step) {
  for (const Sender& s : senders_[group]) {
    if (!s.flow->waves) continue;
    const std::size_t sources = s.flow->course.sources();
    for (std::size_t k = 0; k < s.course.size(); ++k) {
      const auto values = g.state(s.course[k]);
      double* next = s.flow->next.row(step) + s.column + k * sources;
      std::copy(values.begin(), values.end(), next);
      if (k > 0 || !settled_) continue;
      const double* guess = s.flow->guess.row(step) + s.column;
      for (std::size_t i = 0; i < values.size() && settled_; ++i) settled_ = std::fabs(next[i] - guess[i]) <= tolerance_;
    }
  }
}

std::size_t SlicePart::bytes() const {
  std::size_t total = sums_.capacity() * sizeof(double);
  for (const Intake& i : intakes_)
    for (const Inflow& f : i.inflows) total += f.plan.bytes() + f.weights.capacity() * sizeof(double);
  return total;
}

}  // namespace npl::continuous
