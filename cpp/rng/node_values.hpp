// SPDX-License-Identifier: Apache-2.0
/// Values of nodes, which are stored in double precision; those of synapses are float32.
#pragma once
#include <string>

#include "rng/distribution.hpp"

namespace npl::rng {

/// As check(), but for values of nodes: drawn ones need only stay below 1e300.
void check_node_values(const ValueSpec&, const std::string& parameter);

}  // namespace npl::rng
