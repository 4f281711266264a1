// SPDX-License-Identifier: Apache-2.0
/// Synapse models that users bring: compiled from one file each, loaded while the program runs.
#pragma once
#include <string>

#include "synapses/model.hpp"

namespace npl::synapses {

/// Loads the synapse model of a shared object (loaded.hpp); null where it has none. From then on its name stands for it; networks that have
/// an earlier model of this name keep that one. Not collective. Throws BadParameter where the model is for another version of the kernel,
/// or has the name of one that is built in.
/// @param digest of the model's source: equal on all ranks, and known to checkpoints
const SynapseInfo* load_synapse(const std::string& path, const std::string& digest);

}  // namespace npl::synapses
