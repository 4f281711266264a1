// SPDX-License-Identifier: Apache-2.0
/// Internal to Description.
#pragma once
#include <cmath>

#include "sim/description.hpp"

namespace npl::sim {

/// Result of checking a call, before anything changes.
struct Description::Sketch {
  std::unique_ptr<connect::Projection> p;
  const synapses::SynapseInfo* synapse;
  std::vector<double> parameters;
  std::vector<int> varied;  ///< indices of the parameters that differ from synapse to synapse
  double largest_allowed;   ///< weight; 0: no bound
  double low, high;         ///< weights
  tables::Weights kind;
  tables::TargetInput input;
  bool off_grid;
  int receptor;  ///< index, where the sign of the weight does not choose

  bool never_positive = false;  ///< the bounds of a plastic rule: weights of 0 inhibit, too

  bool by_sign() const { return input == tables::TargetInput::by_sign; }
  bool inhibits() const { return by_sign() && (high < 0 || never_positive); }
  bool has_both_signs() const { return by_sign() && low < 0 && !inhibits(); }
  double margin() const { return synapse->plastic ? WeightRange::plastic_margin : 1.0; }
  double largest() const { return std::max(std::abs(low), std::abs(high)); }
};

}  // namespace npl::sim
