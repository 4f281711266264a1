// SPDX-License-Identifier: Apache-2.0
/// Dry run: one rank of many, without the others. What this rank sends to rank o is also what it receives from o, as if all ranks were
/// statistically alike. All operations use their true buffers and counts. Messages whose content depends on the ranks (two phases, leaders
/// of nodes) cannot be emulated in this way.
#pragma once
#include <memory>

#include "comm/communicator.hpp"

namespace npl::comm {

/// Rank `rank` of `ranks`. A sum over ranks is the own value times their number; min, max and bit_or give the own value. In alltoall and
/// neighbourhoods the part from rank o is the own part for o. Messages to o come back as messages from o with the same tag. The rank is
/// alone on its node. Throws BadParameter unless 0 <= rank < ranks. An operation that could never complete ends the job.
std::shared_ptr<Communicator> dry_run(int ranks, int rank);

}  // namespace npl::comm
