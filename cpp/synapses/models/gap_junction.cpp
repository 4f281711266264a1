// SPDX-License-Identifier: Apache-2.0
#include "synapses/continuous.hpp"

NPL_SYNAPSE(
    gap_junction,
    carries("gap_junction",
            "Electrical synapse: a current in proportion to the difference of the potentials of source and target. One for each direction.",
            {"potential", false}))
