// SPDX-License-Identifier: Apache-2.0
#include "synapses/continuous.hpp"

NPL_SYNAPSE(sic_connection,
            carries("sic_connection", "Slow inward current of an astrocyte into a neuron, times the weight.", {"sic", true}))
