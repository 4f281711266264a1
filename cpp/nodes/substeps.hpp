// SPDX-License-Identifier: Apache-2.0
/// Neurons of a batch that need more substeps than the first, of any model: gathered side by side, tried, put back, until all have reached
/// the end of the time step. Only the try itself is compiled for each model (rkf45.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "nodes/input_rows.hpp"

namespace npl::nodes {

/// Substeps tried per time step; a neuron that needs more is given NaN, which ends the run. All models at 0.1 and 1 ms need at most 300 in
/// use, aeif models at 10 ms 724; a Hodgkin-Huxley neuron at -300 mV would need 100 000 at 0.1 ms, so that its run hardly moved.
inline constexpr int max_attempts = 20000;

namespace rkf45 {

inline constexpr std::size_t batch = 8 * chunk;  ///< neurons that make a substep together; those that need another one are then gathered

/// Columns of a batch.
struct Columns {
  std::span<double* const> state;
  std::span<const double* const> derived;  ///< read only where `shared` is null
  const double* shared;                    ///< derived values that are equal for all, or null
  const double* current;                   ///< [pA]
  double *t, *spikes;                      ///< time within the step [ms], spikes so far
  std::size_t n;
};

/// Neurons side by side; up to whole vectors the first of them once more.
struct Gathered {
  static constexpr std::size_t size = 32;
  std::span<double* const> state, derived;  ///< columns of `size` values
  double *current, *t, *spikes;
  bool fixed;  ///< derived values stay as they are
  /// One substep for the first n of them.
  void (*attempt)(void* model, std::size_t n);
  void* model;

  void take(const Columns& from, const std::uint16_t* index, std::size_t n);
  void give(const Columns& to, const std::uint16_t* index, std::size_t n) const;
};

/// The first substep of the neurons from `whole` on, fewer than a vector; has one not reached the end?
bool attempt_rest(const Columns& columns, Gathered& gathered, std::size_t whole);
/// Further substeps until every neuron of the batch has reached the end of the time step.
void complete(const Columns& columns, Gathered& gathered);

}  // namespace rkf45
}  // namespace npl::nodes
