// SPDX-License-Identifier: Apache-2.0
/// One rank of many, played alone: what this rank sends to rank o is what it receives from o, as if all ranks were statistically alike. All
/// verbs have their true buffers and counts; nobody else exists. What ranks say about ranks (two phases, leaders of nodes) has no mirror.
#pragma once
#include <memory>

#include "comm/communicator.hpp"

namespace npl::comm {

/// Rank `rank` of `ranks`. Sums over ranks are its own value times their number; smallest, largest and or its own value; parts of rank o in
/// alltoall and neighbourhoods are its own parts for o; messages to o come back as messages from o with the same tag. It is alone on its
/// node. Raises BadParameter for numbers that are none of ranks. What would never complete ends the job.
std::shared_ptr<Communicator> dry_run(int ranks, int rank);

}  // namespace npl::comm
