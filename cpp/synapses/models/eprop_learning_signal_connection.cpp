// SPDX-License-Identifier: Apache-2.0
#include "synapses/continuous.hpp"

NPL_SYNAPSE(
    eprop_learning_signal_connection,
    carries(
        "eprop_learning_signal_connection",
        "Gives a neuron that learns by event-driven eligibility propagation, in every step, the error that a readout had a delay before.",
        {"learning_signal of events", true}))
