// SPDX-License-Identifier: Apache-2.0
#include "synapses/continuous.hpp"

NPL_SYNAPSE(rate_connection_instantaneous,
            carries("rate_connection_instantaneous", "Gives its target, in every step, the rate that its source has.", {"rate", false}))
