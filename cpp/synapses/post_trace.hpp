// SPDX-License-Identifier: Apache-2.0
/// Postsynaptic side of plasticity, stored once per neuron and time constant: the last spikes with the trace K- after each, in one
/// cache line, and a list of older ones for synapses whose source has been silent for long.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "synapses/decay.hpp"

namespace npl::synapses {

/// A spike of the postsynaptic neuron: its stamp in steps and the trace just after it.
struct PostSpike {
  std::int32_t stamp;
  double trace;
};

/// The newest spikes of one neuron, oldest first.
struct alignas(64) PostLine {
  static constexpr int capacity = 5;
  static constexpr std::int32_t never = INT32_MAX;
  std::int32_t count;
  std::array<std::int32_t, capacity> stamp;  ///< never beyond count
  std::array<double, capacity> trace;
};
static_assert(sizeof(PostLine) == 64);

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

  /// Room for more nodes; what is known stays.
  void resize(std::size_t nodes);
  /// The first older spike with a stamp > `after`.
  std::vector<PostSpike>::const_iterator first_older(Local node, std::int64_t after) const;
  /// The neuron spikes with this stamp; stamps do not go back.
  void add(Local node, std::int32_t stamp);
  /// Drops spikes that no synapse will ask for again: those with stamp <= oldest, but for the newest of them (it carries the trace).
  void forget(std::int32_t oldest);
  std::size_t older_count() const { return older_count_; }
  std::size_t bytes() const { return lines_.bytes() + older_.capacity() * sizeof(older_[0]) + older_count_ * sizeof(PostSpike); }
  /// Without older spikes.
  static constexpr std::size_t bytes_per_node = sizeof(PostLine) + sizeof(std::vector<PostSpike>);
  /// Trace at `stamp` of the spikes strictly before it.
  double before(Local node, std::int64_t stamp) const;

 private:
  double tau_minus_;
  DecayTable decay_;
  Buffer<PostLine> lines_;
  std::vector<std::vector<PostSpike>> older_;
  std::size_t older_count_ = 0;
};

}  // namespace npl::synapses
