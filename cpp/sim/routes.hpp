// SPDX-License-Identifier: Apache-2.0
/// The exchange of spikes of this rank, between all ranks and inside a group of ranks, and that of values of continuous connections.
#pragma once
#include "continuous/channels.hpp"
#include "sim/levels.hpp"

namespace npl::sim {

struct Routes {
  Routes(const std::shared_ptr<comm::Communicator>& comm, const ExchangeSettings& settings)
      : exchanger(*comm, settings), levels(comm, settings), channels(*comm) {}

  Router exchanger;  ///< of all ranks
  Levels levels;
  continuous::Channels channels;

  std::size_t bytes() const { return exchanger.bytes() + levels.bytes() + channels.bytes(); }
  /// Sums of both levels since routes were made.
  exchange::Counts counts() const;
};

}  // namespace npl::sim
