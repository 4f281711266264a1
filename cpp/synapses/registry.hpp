// SPDX-License-Identifier: Apache-2.0
/// The list of synapse models: built-in ones and loaded ones.
#pragma once
#include <string_view>

#include "synapses/model.hpp"

namespace npl::synapses {

/// From the files in synapses/models, sorted by name.
const std::vector<const SynapseInfo*>& built_in_synapses();
/// Makes a model known. Its name stands for the newest of its name; equal ones (by digest) are kept once. Throws BadParameter for the name
/// of one that is built in.
const SynapseInfo& add_synapse(SynapseInfo synapse);
/// Of the source of the loaded model of this name; "": there is none. Allocates nothing.
std::string_view digest_of(std::string_view name);

}  // namespace npl::synapses
