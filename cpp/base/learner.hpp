// SPDX-License-Identifier: Apache-2.0
/// What synapses that learn by eligibility propagation (e-prop) must know of a target, and what they read of it in each step. Neurons say
/// it, synapses use it.
#pragma once
#include <cstddef>

#include "base/ids.hpp"

namespace npl {

/// Constants of a neuron that learns.
struct Learner {
  double decay = 0.0;                   ///< per step, of the trace of presynaptic spikes
  double filtered = 0.0;                ///< 1: eligibility is filtered with the time constant of the synapse; 0: it is not (readouts)
  double gain = 0.0;                    ///< of a spike: what the trace must be multiplied with
  double rho = 0.0;                     ///< per step, of the adaptation; 0: none
  double beta = 0.0;                    ///< adaptation per spike [in the unit of V_m]; 0: none
  double c_reg = 0.0;                   ///< of the firing rate
  double f_target = 0.0;                ///< spikes per step
  double lag = 0.0;                     ///< a signal of step t + lag belongs to step t [steps]
  double hold = 0.0;                    ///< a spike that arrives after step t brings learning up to step t - hold [steps]
  double first = 0.0;                   ///< end of the first step of the first interval [steps]
  double interval = 0.0;                ///< between updates [steps]; 0: an update at each spike
  double window = 0.0;                  ///< steps of an interval in which is learned
  double kappa = 0.0, kappa_reg = 0.0;  ///< per step: of the filters of eligibility for the two signals, where the neuron knows them
  double cutoff = 0.0;                  ///< steps after a spike of the source in which the synapse learns, where there are no intervals

  bool adapts() const { return rho != 0.0 || beta != 0.0; }
};
inline constexpr std::size_t n_learner = sizeof(Learner) / sizeof(double);

/// What is recorded in each step.
enum LearnerRow : int {
  surrogate,  ///< slope of the spike function (pseudo-derivative); 1 of readouts
  signal,     ///< learning signal that has arrived; of readouts the error
  activity,   ///< spikes in the interval so far, or a running mean [per step]
  n_learner_rows
};

/// Learning by synapses that have heard nothing for long goes on at multiples of so many steps. In intervals, others may leave it to the
/// first spike after that; so two strides need be kept.
inline constexpr Step learning_stride = 256;
/// Steps beyond delays and strides that are kept.
inline constexpr Step learning_margin = 48;
/// Steps after the arrival of a spike from which on synapses may learn without another spike.
inline constexpr Step learning_quiet = learning_margin / 4;
/// Values per step and target that synapses compute of these rows where they learn in intervals: factors of blocks of 4, 16 and 64 steps
/// (synapses/eligibility_blocks.hpp). @param adapts the thresholds of targets
constexpr double learning_digest(bool adapts) { return (adapts ? 11 : 6) * (1.0 / 4 + 1.0 / 16 + 1.0 / 64); }

}  // namespace npl
