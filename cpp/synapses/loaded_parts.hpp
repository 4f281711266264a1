// SPDX-License-Identifier: Apache-2.0
/// What synapse files call that is not in headers, as one file: it is compiled once and linked to each model that is compiled by itself.
#pragma once
#include "synapses/decay.cpp"
#include "synapses/exact_trace.cpp"
#include "synapses/post_arrivals.cpp"
#include "synapses/post_trace.cpp"
#include "synapses/target_history.cpp"
#include "synapses/volume.cpp"
