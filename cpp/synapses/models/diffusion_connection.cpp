// SPDX-License-Identifier: Apache-2.0
#include "synapses/continuous.hpp"

NPL_SYNAPSE(diffusion_connection,
            carries("diffusion_connection", "Adds to mean and variance of the input of a siegert_neuron what its source's rate gives.",
                    {"mean_rate", false, true},
                    {{"drift_factor", "mV s", 1.0, "Mean input per rate; times the weight"},
                     {"diffusion_factor", "mV^2 s", 1.0, "Variance of the input per rate; times the weight", Bound::non_negative}}))
