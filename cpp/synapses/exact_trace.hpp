// SPDX-License-Identifier: Apache-2.0
/// Times between grid points, and the postsynaptic traces of neurons that spike there: what post_trace.hpp is for neurons on the grid.
#pragma once
#include <compare>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "base/math.hpp"
#include "synapses/decay.hpp"

namespace npl::synapses {

/// What lies between two moments: steps, less some ms.
struct Span {
  Step steps;
  double less;
};

/// A time as spikes have it: so many ms, in [0, h), before the end of a step. Two moments are compared without rounding.
struct Moment {
  Step stamp = 0;
  double before = 0.0;

  friend bool operator==(const Moment&, const Moment&) = default;
  friend std::partial_ordering operator<=>(const Moment& a, const Moment& b) {
    if (a.stamp != b.stamp) return a.stamp <=> b.stamp;
    return b.before <=> a.before;
  }
  friend Moment operator-(const Moment& a, Step steps) { return {a.stamp - steps, a.before}; }
  friend Span operator-(const Moment& a, const Moment& b) { return {a.stamp - b.stamp, a.before - b.before}; }
};

/// True for the stamp or the moment of a spike that there was: time 0 stands for none.
inline bool happened(Step stamp) { return stamp > 0; }
inline bool happened(const Moment& m) { return m.stamp > 0; }

/// exp(-t / tau) for times between moments.
class ExactDecay {
 public:
  ExactDecay(double tau_ms, double dt_ms) : tau_(tau_ms), dt_(dt_ms) {}
  double ms(Span t) const { return static_cast<double>(t.steps) * dt_ - t.less; }
  double operator()(Span t) const { return Decay::entry(Decay::exponent(ms(t), tau_)); }

 private:
  double tau_, dt_;
};

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
  const ExactDecay& decay() const { return decay_; }
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
  ExactDecay decay_;
  std::vector<ExactHistory> history_;
  std::size_t kept_ = 0;
};

}  // namespace npl::synapses
