// SPDX-License-Identifier: Apache-2.0
/// Internal to Description: checks the parameters of a synapse model that differ from synapse to synapse.
#pragma once
#include "sim/description.hpp"

namespace npl::sim {

/// What the parameters of a call allow its synapses, over all their values.
struct Varied {
  std::vector<int> indices;                      ///< of the parameters that differ, ascending
  std::vector<connect::VariedParameter> values;  ///< of these
  std::vector<double> parameters;                ///< all; of those that differ the defaults
  double largest_weight = 0.0;                   ///< that any rule allows; 0: no bound
  bool never_positive = false;                   ///< no rule allows weights above 0
};

/// Parameters of a synapse model: defaults, overridden by the values of the user. Throws UnknownName, BadParameter.
std::vector<double> synapse_parameters(const synapses::SynapseInfo& info, const std::vector<std::pair<std::string, double>>& given);

/// Checks all values that are given for synapses one by one, and the relations between them. Of distributions both ends are checked, in all
/// combinations, and a choice of values between. Throws UnknownName, BadParameter, BadLength.
/// @param p weights and rule of the call, checked before
Varied check_varied(const ConnectCall& call, const synapses::SynapseInfo& info, const connect::Projection& p, const Settings& settings,
                    rng::SamplerCache& samplers, bool weights_known);

/// Throws BadParameter unless at least one step of each delay is dendritic.
/// @param p delays of the call; those that are formulas have been taken
void check_axonal(const synapses::SynapseInfo& info, const connect::Projection& p, const Varied& v, double resolution);
/// The same for one connection. @param delay [steps]
void check_axonal(const synapses::SynapseInfo& info, const std::vector<double>& parameters, Step delay, double resolution);

}  // namespace npl::sim
