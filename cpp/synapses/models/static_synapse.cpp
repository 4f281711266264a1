// SPDX-License-Identifier: Apache-2.0
#include "synapses/model.hpp"

NPL_SYNAPSE(static_synapse, {"static_synapse",
                             "Synapse whose weight does not change.",
                             {},
                             false,
                             [](const double*, double) -> std::unique_ptr<Plasticity> { return nullptr; }})
