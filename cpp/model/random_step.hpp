// SPDX-License-Identifier: Apache-2.0
/// Random numbers of neurons that draw one in each step: keyed by neuron and step, so they do not depend on threads and ranks.
#pragma once
#include <cstdint>

#include "base/ids.hpp"
#include "base/math.hpp"
#include "base/simd.hpp"
#include "rng/philox.hpp"

namespace npl::model {

/// A number in (0, 1) that belongs to this neuron and step; `id` tells uses apart.
NPL_INLINE double uniform_of_step(std::uint64_t seed, std::uint64_t id, Gid gid, Step step) {
  const auto words =
      rng::draw(rng::Key::of(seed, rng::Purpose::model, id), static_cast<std::uint64_t>(gid), static_cast<std::uint64_t>(step));
  return rng::uniform52(words[0], words[1]);
}

/// A Poisson number by inversion of u, at most `most`.
NPL_INLINE double poisson_number(double u, double expected, double most) {
  double term = math::exp(-expected), sum = term, count = 0.0;
  while (u >= sum && count < most) term *= expected / ++count, sum += term;
  return count;
}

}  // namespace npl::model
