// SPDX-License-Identifier: Apache-2.0
/// Descriptions of connections that carry values in place of spikes.
#pragma once
#include "synapses/model.hpp"

namespace npl::synapses {

inline SynapseInfo carries(const char* name, const char* doc, Continuous what, std::vector<Field> factors = {}) {
  SynapseInfo info{name, doc, std::move(factors), false, [](const double*, double) -> std::unique_ptr<Plasticity> { return nullptr; }};
  info.continuous = what;
  return info;
}

}  // namespace npl::synapses
