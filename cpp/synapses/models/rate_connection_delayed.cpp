// SPDX-License-Identifier: Apache-2.0
#include "synapses/continuous.hpp"

NPL_SYNAPSE(rate_connection_delayed,
            carries("rate_connection_delayed", "Gives its target, in every step, the rate that its source had a delay before.",
                    {"rate", true}))
