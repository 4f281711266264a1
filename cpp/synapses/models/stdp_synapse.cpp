// SPDX-License-Identifier: Apache-2.0
/// Every presynaptic spike pairs with every postsynaptic one.
#include "synapses/guetig_rule.hpp"

NPL_SYNAPSE(stdp_synapse,
            guetig_synapse<Pairing::all>("stdp_synapse", "Spike-timing dependent plasticity, all pairs, weight dependence by exponents."))
