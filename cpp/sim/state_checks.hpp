// SPDX-License-Identifier: Apache-2.0
/// Search for neurons whose state is not finite or out of range, after every ms since time 0 (after every step if steps are longer): the
/// same neurons are found for any layout. They are frozen, and the run goes on until all ranks can end it.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/slice_input.hpp"

namespace npl::sim {

/// A neuron whose state is not finite or out of range, or a synapse whose weight is too large: the run must end.
struct Diverged {
  Step stamp;  ///< end of the step of detection [steps]; states are checked at fixed steps, the same for any layout
  Gid gid;     ///< of the neuron, or of the target of the synapse
  std::string model, state;
  double value;                    ///< of the state variable, in its unit; or the weight
  bool overflow = false;           ///< the sum of the neuron's inputs has overflown; value: the receptor
  std::optional<Gid> source = {};  ///< of the synapse; none: a neuron
  /// Rank among those of one time: synapses, which may be the cause of what happens to neurons, then neurons; by gid.
  std::int64_t order() const { return source ? gid : gid | (std::int64_t{1} << 62); }
  bool before(const Diverged& other) const {
    return std::tuple(stamp, order(), source) < std::tuple(other.stamp, other.order(), other.source);
  }
};

/// Not a component: every slice is checked, so no virtual call is made.
class StateChecks {
 public:
  explicit StateChecks(double dt_ms) : interval_(std::max<Step>(1, std::lround(1.0 / dt_ms))) {}

  Step interval() const { return interval_; }
  /// The last step before the first check at or after the end of step `from`.
  Step first_from(Step from) const { return from / interval_ * interval_ + interval_ - 1; }
  /// @param stamp end of the last step
  void look(const Groups& groups, Step stamp);
  /// Keeps the first one.
  void note(Diverged found) {
    if (!found_ || found.before(*found_)) found_ = std::move(found);
  }
  /// The first diverged neuron or synapse found; never reset.
  const std::optional<Diverged>& found() const { return found_; }
  /// Releases the neurons that look() has frozen.
  void release();

 private:
  Step interval_;
  std::optional<Diverged> found_;
  std::vector<std::pair<nodes::Group*, std::size_t>> stopped_;  ///< neurons frozen by look()
};

}  // namespace npl::sim
