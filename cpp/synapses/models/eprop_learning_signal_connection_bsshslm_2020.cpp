// SPDX-License-Identifier: Apache-2.0
#include "synapses/continuous.hpp"

NPL_SYNAPSE(eprop_learning_signal_connection_bsshslm_2020,
            carries("eprop_learning_signal_connection_bsshslm_2020",
                    "Gives a neuron that learns by eligibility propagation, in every step, the error that a readout had a delay before.",
                    {"learning_signal", true}))
