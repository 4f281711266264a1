// SPDX-License-Identifier: Apache-2.0
/// Spike-timing dependent plasticity, brute force: every change of a weight is a sum over all pairs of spikes so far.
/// Rules after Guetig et al. (2003) and Morrison, Aertsen & Diesmann (2007); pairing after Morrison, Diesmann & Gerstner (2008).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/ids.hpp"

namespace npl::reference {

/// A synapse model with its parameters; the whole delay is dendritic.
class Synapse {
 public:
  /// static_synapse, stdp_synapse or stdp_pl_synapse_hom; values not given have the defaults of the models. Throws UnknownName.
  Synapse(const std::string& model, const std::map<std::string, double>& values, double resolution_ms);

  bool is_plastic() const { return kind_ != Kind::fixed; }
  /// The weight after the presynaptic spike pre[n] has met all postsynaptic spikes up to its arrival; stamps ascend.
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
