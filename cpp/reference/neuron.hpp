// SPDX-License-Identifier: Apache-2.0
/// One neuron of the reference kernel: a linear system of equations with threshold, reset and refractory period.
#pragma once
#include <map>
#include <string>

#include "base/ids.hpp"
#include "reference/matrix.hpp"

namespace npl::reference {

using Values = std::map<std::string, double>;  ///< parameters and state by the names that the kernel uses

/// Leaky integrate-and-fire neuron with delta, exponential or alpha-shaped synaptic currents; or a parrot_neuron, which emits a spike per
/// spike received. y = (V - E_L, I_ex, dI_ex, I_in, dI_in, I) obeys y' = A y within a step, integrated by exp(A h) (Rotter & Diesmann
/// 1999).
class Neuron {
 public:
  /// Values that are not given have the defaults of the models; units as there. Throws UnknownName.
  Neuron(const std::string& model, const Values& values, double resolution_ms);

  /// A spike of this weight arrives at the end of the current step; receptor 0 excites, 1 inhibits.
  void receive(int receptor, double weight);
  /// A current [pA] that acts during the current step.
  void inject(double current) { injected_ += current; }
  /// Ends the step; returns the number of spikes emitted.
  int advance(Step step);
  /// V_m [mV], I_syn_ex or I_syn_in [pA]. Throws UnknownName.
  double state(const std::string& name) const;

 private:
  enum class Kind { delta, exponential, alpha, parrot };
  enum Variable : std::size_t { V, I_ex, dI_ex, I_in, dI_in, I, size };

  Matrix<size> equations() const;
  void integrate();
  void take_spikes();

  Kind kind_;
  Values p_;
  std::array<double, size> y_{};
  Matrix<size> propagator_{};
  std::array<double, 2> arrived_{};
  int n_arrived_ = 0;
  double injected_ = 0;
  Step free_at_ = 0;  ///< V is held before this step
  Step refractory_steps_ = 0;
};

}  // namespace npl::reference
