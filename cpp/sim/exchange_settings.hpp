// SPDX-License-Identifier: Apache-2.0
/// Options of the spike exchange between ranks.
#pragma once
#include <optional>
#include <string>

#include "exchange/strategy.hpp"
#include "sim/emulated.hpp"

namespace npl::sim {

struct ExchangeSettings {
  std::string strategy = "alltoallv";  ///< exchange::strategies()
  std::string regime = "auto";         ///< exchange::regime_names()
  bool halves = false;                 ///< two sub-intervals A and B: spikes of one are exchanged while the other is computed (Hines 2011)
  int phases = 1;
  exchange::Conservation conservation = exchange::Conservation::allreduce;
  std::size_t buffer_bytes = 0;
  std::size_t round_bytes = std::size_t{16} << 20;  ///< bytes per round of the exchange of routes
  std::optional<PoissonSpikes> emulated = {};       ///< dry run: sent instead of the spikes of this rank's neurons
  std::string local;                                ///< strategy inside groups of ranks, with default options; empty: `strategy`
};

}  // namespace npl::sim
