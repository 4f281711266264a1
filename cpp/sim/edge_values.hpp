// SPDX-License-Identifier: Apache-2.0
/// Internal to Description: checks and converts the weights and delays of a connect call.
#pragma once
#include "sim/description.hpp"

namespace npl::sim {

/// Writes the weights and delays of a call to p. @param n required length of arrays, -1: arrays are refused
/// @param samplers to share. Throws BadParameter, BadLength, BadDelay.
void take_values(connect::EdgeValues& p, const ConnectCall& call, std::int64_t n, double resolution, rng::SamplerCache& samplers);
/// Throws BadLength, BadParameter for values that are not finite. @param wanted length, -1: arrays are refused
connect::ArrayScan check_array(const rng::ValueSpec& v, const std::string& name, std::int64_t wanted);
/// Keeps explicit weights as float32 where that is exact. To be called when nothing reads them as doubles any more.
void hold_floats(connect::EdgeValues& p);
/// Smallest and largest weight that a spec can yield. @param sampler of the spec, if it is a distribution
std::pair<double, double> weight_range(const connect::EdgeValues& values);
/// Index of the receptor named by the user: 1 or more if the model has ports, 0 or more if a model that counts spikes has others, else 0.
/// Throws BadParameter. @param device the source is a device
int checked_receptor(const nodes::ModelInfo& model, int named, bool device);
/// The same of currents into models with several places for them, from 0. Throws BadParameter.
int checked_current_port(const nodes::ModelInfo& model, int named);

}  // namespace npl::sim
