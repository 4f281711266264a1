// SPDX-License-Identifier: Apache-2.0
/// What devices have in the slices of a rank, in checkpoints: the parts of their connections, and the trains that they emit.
#pragma once
#include <span>

#include "sim/populations.hpp"

namespace npl::sim {

void save_devices(Slices& slices, checkpoint::Columns& to);
/// Loads the parts with targets on this rank, and the trains of the devices of this rank, which attach_emitters() has attached. Throws
/// BadCheckpoint.
void load_devices(Slices& slices, const Populations& populations, std::span<const checkpoint::Shard> from);

}  // namespace npl::sim
