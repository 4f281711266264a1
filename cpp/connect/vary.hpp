// SPDX-License-Identifier: Apache-2.0
/// Parameters that differ from synapse to synapse: their values, when the synapses of a table have their places. A drawn value depends on
/// its projection, the gid of the target and the number of the edge among those of the target, so not on ranks and threads (law 1).
#pragma once
#include <span>

#include "connect/draft.hpp"

namespace npl::connect {

/// Sets weights and parameters of a table. @param keyed [synapses] @param projections that filled it, by KeyedWeight::projection
void set_parameters(tables::EdgeTable& table, const Buffer<KeyedWeight>& keyed, std::span<const Projection* const> projections,
                    const Residents& nodes);

}  // namespace npl::connect
