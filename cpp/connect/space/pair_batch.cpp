// SPDX-License-Identifier: Apache-2.0
#include "connect/space/pair_batch.hpp"

#include <algorithm>
#include <cmath>

#include "base/simd.hpp"
#include "connect/space/parts.hpp"

namespace npl::connect::space {
namespace {

/// Displacements sign * (at - base), folded to the shortest periodic image when period > 0: the arithmetic of Batch, which Bounder bounds.
struct PairMoves {
  NPL_INLINE static void run(const double* __restrict at, const double* __restrict base, std::size_t n, double sign, double period,
                             double* __restrict to) {
    for (std::size_t i = 0; i < n; ++i) to[i] = sign * (at[i] - base[i]);
    if (period > 0.0)
      for (std::size_t i = 0; i < n; ++i) to[i] -= period * std::floor(to[i] / period + 0.5);
  }
};

}  // namespace

PairValues::PairValues(const Candidates& c, const CellSides& in)
    : c_(c), in_(in), columns_(input_count * batch), work_(c.program.work_space()) {
  for (std::size_t i = 0; i < input_count; ++i) inputs_[i] = columns_.data() + i * batch;
}

const double* PairValues::of(const std::uint32_t* centre, const std::uint32_t* place, std::size_t n) {
  for (int k = 0; k < c_.sides.dims; ++k) load(k, centre, place, n);
  return c_.program.run(inputs_, n, work_);
}

void PairValues::load(int k, const std::uint32_t* centre, const std::uint32_t* place, std::size_t n) {
  const Sides& sides = c_.sides;
  const bool inwards = sides.centre_is_target;
  double *base = column(inwards ? Input::target : Input::source, k), *at = column(inwards ? Input::source : Input::target, k);
  const Column from = sides.centre_at[k];
  const std::vector<double>& to = in_.other_at[k];
  for (std::size_t i = 0; i < n; ++i) base[i] = from[centre[i]], at[i] = to[place[i]];
  const double period = sides.period.empty() ? 0.0 : sides.period[static_cast<std::size_t>(k)];
  const auto moves = [&](Input what, double sign, double wrap) {
    if (c_.program.reads(what, k))
      Dispatch<PairMoves>::run(static_cast<const double*>(at), static_cast<const double*>(base), n, sign, wrap, column(what, k));
  };
  moves(Input::in_mask, sides.mask_around_centre ? 1.0 : -1.0, 0.0);
  moves(Input::move, inwards ? -1.0 : 1.0, period);
}

void PairBatch::finish() {
  const Sides& sides = c_.sides;
  const double* value = values_.of(centre_, place_, n_);
  for (std::size_t i = 0; i < n_; ++i) {
    if (!(u_[i] < value[i])) continue;
    const std::uint32_t sorted = in_.others.nodes[place_[i]];
    if (!sides.centre_gid.empty() && sides.centre_gid[centre_[i]] == sides.other_gid[sorted]) continue;
    const std::int64_t other = sides.order[sorted];
    to_.list.add(centre_[i], other);
    if (keyed_) to_.key.push_back(pair_key(sides, centre_[i], other, 0));
  }
  n_ = 0;
}

}  // namespace npl::connect::space
