// SPDX-License-Identifier: Apache-2.0
/// Calcium and synaptic elements of a neuron. Calcium decays with tau_Ca and grows by beta_Ca with each spike of the neuron; what it makes
/// of the elements is computed at these spikes, at updates of the network's structure and when somebody looks: nothing happens in a step.
#pragma once
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "growth/curve.hpp"

namespace npl::growth {

/// What elements of many neurons have in common; the same list on all ranks.
struct Kind {
  int name;  ///< index among the names of elements
  Curve curve;
  bool operator<(const Kind& other) const { return name != other.name ? name < other.name : curve < other.curve; }
};

struct Element {
  std::uint32_t kind;
  std::int32_t connected;  ///< z_connected: elements that are part of a synapse
  double z;
  /// Whole elements without a synapse; negative: so many must lose theirs.
  std::int64_t vacant() const;
};

/// exp(-time / tau), kept for the next one that asks for the same: relays spike in the same steps.
class Decay {
 public:
  double operator()(double time, double tau);

 private:
  double time_ = 0.0, tau_ = 1.0, factor_ = 1.0;
};

struct Cell {
  Gid gid = 0;
  double calcium = 0.0, tau = 10000.0, beta = 0.001;  ///< tau_Ca [ms]
  double at = 0.0;                                    ///< time of these values [ms]
  double last_spike = -1.0;                           ///< [ms]
  std::vector<Element> elements = {};

  /// Lets time go on until `now` [ms], without spikes.
  void advance(double now, const std::vector<Kind>& kinds) {
    Decay decay;
    advance(now, kinds, decay);
  }
  void advance(double now, const std::vector<Kind>& kinds, Decay& decay);
  /// The neuron spikes at this time [ms], or emits several spikes.
  void spike(double now, const std::vector<Kind>& kinds, Decay& decay, std::size_t spikes) {
    advance(now, kinds, decay);
    for (; spikes > 0; --spikes) calcium += beta;
    last_spike = now;
  }
  /// The element of this name; null: it has none.
  Element* find(int name, const std::vector<Kind>& kinds);
};

}  // namespace npl::growth
