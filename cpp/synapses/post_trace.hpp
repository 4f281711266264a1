// SPDX-License-Identifier: Apache-2.0
/// Postsynaptic trace, stored once per neuron and time constant: the newest spikes with the trace K- after each, in one cache line, and a
/// list of older spikes for synapses with a long silent source.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "synapses/decay.hpp"

namespace npl::synapses {

/// Spike of the postsynaptic neuron: stamp [steps] and trace just after it.
struct PostSpike {
  std::int32_t stamp;
  double trace;
};

/// The newest spikes of one neuron in order of time.
struct alignas(64) PostLine {
  static constexpr int capacity = 5;
  static constexpr std::int32_t never = INT32_MAX;
  std::int32_t count;
  std::array<std::int32_t, capacity> stamp;  ///< [steps]; entries from count on are `never`
  std::array<double, capacity> trace;
};
static_assert(sizeof(PostLine) == 64);

/// Postsynaptic traces of the nodes of a slice. Not thread safe: used by the thread of the slice.
class PostTrace {
 public:
  PostTrace(std::size_t nodes, double tau_minus_ms, double dt_ms) : tau_minus_(tau_minus_ms), decay_(tau_minus_ms, dt_ms), older_(0) {
    resize(nodes);
  }

  double tau_minus() const { return tau_minus_; }
  const PostLine& line(Local node) const { return lines_[node]; }
  const PostLine* lines() const { return lines_.data(); }
  const std::vector<PostSpike>& older(Local node) const { return older_[node]; }
  const DecayTable& decay() const { return decay_; }

  /// Makes room for more nodes; existing traces stay. Never shrinks.
  void resize(std::size_t nodes);
  /// The first spike of the list of older ones with a stamp > `after` [steps].
  std::vector<PostSpike>::const_iterator first_older(Local node, std::int64_t after) const;
  /// Adds a spike of the neuron; stamps [steps] must not decrease.
  void add(Local node, std::int32_t stamp);
  /// Drops older spikes with stamp <= oldest [steps], which no synapse needs any more, except the newest of them: it carries the trace.
  void forget(std::int32_t oldest);
  /// Number of older spikes of all nodes.
  std::size_t older_count() const { return older_count_; }
  std::size_t bytes() const { return lines_.bytes() + older_.capacity() * sizeof(older_[0]) + older_count_ * sizeof(PostSpike); }
  /// Memory per node without older spikes.
  static constexpr std::size_t bytes_per_node = sizeof(PostLine) + sizeof(std::vector<PostSpike>);
  /// Trace at `stamp` [steps] of all spikes strictly before it.
  double before(Local node, std::int64_t stamp) const;

 private:
  double tau_minus_;
  DecayTable decay_;
  Buffer<PostLine> lines_;
  std::vector<std::vector<PostSpike>> older_;
  std::size_t older_count_ = 0;
};

}  // namespace npl::synapses
