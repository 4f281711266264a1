// SPDX-License-Identifier: Apache-2.0
/// Nearest-neighbour STDP restricted to immediate pairings (Morrison, Diesmann & Gerstner 2008, figure 7 C).
#include "synapses/guetig_rule.hpp"

NPL_SYNAPSE(stdp_nn_restr_synapse,
            with_face<SynapseInfo>(guetig_synapse<Pairing::immediate>(
                                       "stdp_nn_restr_synapse",
                                       "Spike-timing dependent plasticity of immediate pairs: no other spike of either side between them."),
                                   {.defaults = "Kplus=1.0", .one_sided = true}))
