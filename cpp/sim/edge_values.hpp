// SPDX-License-Identifier: Apache-2.0
/// Internal to Description: what a connect call says of weights and delays, checked and in steps.
#pragma once
#include "sim/description.hpp"

namespace npl::sim {

/// Weights and delays of a call into p. @param n length that arrays must have, -1: none are taken
/// Throws BadParameter, BadLength, BadDelay.
void take_values(connect::EdgeValues& p, const ConnectCall& call, std::int64_t n, double resolution);
/// Least and largest weight that a spec can give. @param sampler of the spec, if it is a distribution
std::pair<double, double> weight_range(const rng::ValueSpec& w, const std::optional<rng::Sampler>& sampler);
/// Index of the receptor that a user names: from 1 where one must be chosen, 0 or more where models that count spikes have others; else 0.
/// Throws BadParameter. @param device the source is a device
int checked_receptor(const nodes::ModelInfo& model, int named, bool device);

}  // namespace npl::sim
