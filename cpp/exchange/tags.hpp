// SPDX-License-Identifier: Apache-2.0
/// Tags of point-to-point messages that no other strategy on the communicator uses.
#pragma once
#include "comm/communicator.hpp"

namespace npl::exchange {

inline constexpr int tags_per_strategy = 2;

/// Collective. The first of two tags. Strategies made one after the other get different ones; after 16 000 of them tags come again. Tags
/// below 256 are never used, they are free for others.
int agree_on_tags(comm::Communicator& comm);

}  // namespace npl::exchange
