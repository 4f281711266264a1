// SPDX-License-Identifier: Apache-2.0
/// Nearest-neighbour STDP, symmetric pairing (Morrison, Diesmann & Gerstner 2008, figure 7 A).
#include "synapses/guetig_rule.hpp"

NPL_SYNAPSE(
    stdp_nn_symm_synapse,
    with_face<SynapseInfo>(guetig_synapse<Pairing::nearest>(
                               "stdp_nn_symm_synapse",
                               "Spike-timing dependent plasticity of nearest pairs: each spike with the last one of the other side."),
                           {.defaults = "Kplus=1.0", .one_sided = true}))
