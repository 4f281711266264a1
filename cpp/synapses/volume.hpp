// SPDX-License-Identifier: Apache-2.0
/// Third factor: the concentration of a neuromodulator in a volume, as all synapses of a slice hear it from a transmitter. The transmitter
/// is a node that repeats the spikes of its pool of neurons; its spikes are scheduled like all others, here kept as a common history.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "synapses/decay.hpp"

namespace npl::synapses {

/// What a rule hears; transmitter 0: nothing.
struct Hearing {
  Gid transmitter = 0;
  double tau = 0.0;      ///< time constant of the concentration [ms]
  bool shows_n = false;  ///< the state "n" of its synapses is the concentration, and what state() says of time 0
  /// Whether both are of one concentration.
  friend bool operator==(const Hearing& a, const Hearing& b) { return a.transmitter == b.transmitter && a.tau == b.tau; }
};

/// Concentration n of one transmitter and time constant: dn/dt = -n / tau, and 1 / tau more at each of its spikes.
class Volume {
 public:
  Volume(Hearing of, double dt_ms) : of_(of), decay_(of.tau, dt_ms) {}

  const Hearing& of() const { return of_; }
  const DecayTable& decay() const { return decay_; }
  const std::vector<std::int32_t>& stamps() const { return stamp_; }  ///< [steps] of spikes, ascending, each once
  const std::vector<double>& levels() const { return level_; }        ///< just after each
  /// A spike of the transmitter; stamps must not decrease.
  void hear(std::int32_t stamp);
  /// Index of the first spike after this time [steps].
  std::size_t first_after(Step time) const {
    return static_cast<std::size_t>(std::upper_bound(stamp_.begin(), stamp_.end(), time) - stamp_.begin());
  }
  /// Concentration at a time, with the spikes at this time.
  double at(Step time) const { return before(first_after(time), time); }
  /// The same when the first spike after this time is known.
  double before(std::size_t first, Step time) const { return first == 0 ? 0.0 : level_[first - 1] * decay_(time - stamp_[first - 1]); }
  /// Drops spikes up to this time, but the last of them, which carries the concentration.
  void forget(Step oldest);
  /// Of a checkpoint. Parts of a network may have forgotten more or less: the longest history is kept.
  void restore(std::vector<std::int32_t> stamps, std::vector<double> levels);
  std::size_t bytes() const { return stamp_.capacity() * sizeof(std::int32_t) + level_.capacity() * sizeof(double); }

 private:
  Hearing of_;
  DecayTable decay_;
  std::vector<std::int32_t> stamp_;
  std::vector<double> level_;
};

}  // namespace npl::synapses
