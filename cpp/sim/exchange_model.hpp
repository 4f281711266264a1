// SPDX-License-Identifier: Apache-2.0
/// Memory model of the spike exchange of one rank: routes, tables from addresses to rows, buffers of the strategies (formulas:
/// docs/concepts/exchange.md).
#pragma once
#include "sim/table_model.hpp"

namespace npl::sim {

struct ExchangeSize {
  double routes = 0, partners = 0;  ///< partners: number of ranks to which this rank sends; as many send to it
  double words = 0;                 ///< words sent per interval
  double tables = 0, buffers = 0;   ///< [bytes]
  double construction = 0;          ///< additional bytes while routes are made
  bool dense = false;
};

/// @param slices number of slices of all ranks; @param slice [tables] expected sizes of the tables of one slice
ExchangeSize exchange_size(const Outline& outline, const Machine& machine, double slices, const std::vector<TableSize>& slice);

}  // namespace npl::sim
