// SPDX-License-Identifier: Apache-2.0
/// Postsynaptic traces of neurons that spike between grid points: what post_trace.hpp is for neurons on the grid.
#pragma once
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "synapses/decay.hpp"
#include "synapses/moment.hpp"

namespace npl::synapses {

/// Spikes of one neuron with the trace K- after each, in order of time.
struct ExactHistory {
  std::vector<std::int32_t> stamp;  ///< [steps]
  std::vector<double> before;       ///< [ms]
  std::vector<double> trace;        ///< just after each spike

  std::size_t size() const { return stamp.size(); }
  Moment at(std::size_t i) const { return {stamp[i], before[i]}; }
  /// Index of the first spike after a time. Searches from the end: late times are asked for most.
  std::size_t first_after(const Moment& t) const {
    std::size_t i = size();
    while (i > 0 && at(i - 1) > t) --i;
    return i;
  }
  /// Index of the first spike at that time or after it.
  std::size_t first_from(const Moment& t) const {
    std::size_t i = size();
    while (i > 0 && at(i - 1) >= t) --i;
    return i;
  }
  static constexpr std::size_t bytes_per_spike = sizeof(std::int32_t) + 2 * sizeof(double);
};

/// Postsynaptic traces of the nodes of a slice. Not thread safe: used by the thread of the slice.
class ExactTrace {
 public:
  ExactTrace(std::size_t nodes, double tau_minus_ms, double dt_ms)
      : tau_minus_(tau_minus_ms), decay_(tau_minus_ms, dt_ms), history_(nodes) {}

  double tau_minus() const { return tau_minus_; }
  const Decay& decay() const { return decay_; }
  const ExactHistory& history(Local node) const { return history_[node]; }
  std::size_t kept() const { return kept_; }
  std::size_t bytes() const { return history_.capacity() * sizeof(history_[0]) + kept_ * ExactHistory::bytes_per_spike; }
  static constexpr std::size_t bytes_per_node = sizeof(ExactHistory);

  /// Makes room for more nodes; never shrinks.
  void resize(std::size_t nodes);
  /// Adds a spike of the neuron, in order of time.
  void add(Local node, const Moment& spike);
  /// Drops spikes with stamp <= oldest [steps], which no synapse needs any more, except the newest of them: it carries the trace.
  void forget(std::int32_t oldest);
  /// Of a checkpoint: the history of a neuron that has none.
  void restore(Local node, ExactHistory history);
  /// The same for a neuron that may have one.
  void replace(Local node, ExactHistory history);
  /// Trace at a time, of all spikes strictly before it.
  double before(Local node, const Moment& t) const;

 private:
  double tau_minus_;
  Decay decay_;
  std::vector<ExactHistory> history_;
  std::size_t kept_ = 0;
};

}  // namespace npl::synapses
