// SPDX-License-Identifier: Apache-2.0
/// The spike exchange of this rank: between all ranks, and inside a group of ranks.
#pragma once
#include "sim/levels.hpp"

namespace npl::sim {

struct Routes {
  Routes(const std::shared_ptr<comm::Communicator>& comm, const ExchangeSettings& settings)
      : exchanger(*comm, settings), levels(comm, settings) {}

  Router exchanger;  ///< of all ranks
  Levels levels;

  std::size_t bytes() const { return exchanger.bytes() + levels.bytes(); }
  /// Sums of both levels since routes were made.
  exchange::Counts counts() const;
};

}  // namespace npl::sim
