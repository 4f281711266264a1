// SPDX-License-Identifier: Apache-2.0
/// Spike-timing dependent plasticity by brute force: every change of a weight is a sum over all pairs of spikes so far.
/// Rules after Guetig et al. (2003) and Morrison, Aertsen & Diesmann (2007); pairing after Morrison, Diesmann & Gerstner (2008).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/ids.hpp"

namespace npl::reference {

/// A synapse model with its parameters. The whole delay is dendritic.
class Synapse {
 public:
  /// static_synapse, stdp_synapse or stdp_pl_synapse_hom. Values that are not given have the defaults of the models. Throws UnknownName.
  Synapse(const std::string& model, const std::map<std::string, double>& values, double resolution_ms);

  bool is_plastic() const { return kind_ != Kind::fixed; }
  /// Weight after spike pre[n] has arrived and been paired with all postsynaptic spikes before. Stamps [steps] ascend; delay [steps].
  double updated(double weight, const std::vector<Step>& pre, std::size_t n, const std::vector<Step>& post, Step delay) const;

 private:
  enum class Kind { fixed, guetig, power_law };
  double potentiated(double w, double sum) const;
  double depressed(double w, double sum) const;
  double p(const char* name) const { return p_.at(name); }

  Kind kind_;
  std::map<std::string, double> p_;
  double h_;
};

}  // namespace npl::reference
