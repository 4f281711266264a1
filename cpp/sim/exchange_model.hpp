// SPDX-License-Identifier: Apache-2.0
/// What the exchange of spikes holds on one rank, by expectation: routes, tables from addresses to rows, buffers of every strategy
/// (docs/concepts/exchange.md has the formulas).
#pragma once
#include "sim/table_model.hpp"

namespace npl::sim {

struct ExchangeSize {
  double routes = 0, partners = 0;  ///< partners: ranks that this one sends to, and as many that send to it
  double words = 0;                 ///< sent per interval
  double tables = 0, buffers = 0;   ///< [bytes]
  double construction = 0;          ///< [bytes] besides, while routes are made
  bool dense = false;
};

/// @param slice what the tables hold in one slice
ExchangeSize exchange_size(const Outline& outline, const Machine& machine, double slices, const std::vector<TableSize>& slice);

}  // namespace npl::sim
