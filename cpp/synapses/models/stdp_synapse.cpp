// SPDX-License-Identifier: Apache-2.0
/// All-to-all pair STDP with the weight dependence of Guetig et al. (2003).
#include "synapses/guetig_rule.hpp"

NPL_SYNAPSE(stdp_synapse,
            with_face<SynapseInfo>(guetig_synapse<Pairing::all>(
                                       "stdp_synapse", "Spike-timing dependent plasticity, all pairs, weight dependence by exponents."),
                                   {.one_sided = true}))
