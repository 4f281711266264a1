// SPDX-License-Identifier: Apache-2.0
/// Iteration over all synapse tables of this rank.
#pragma once
#include <memory>
#include <vector>

#include "sim/slice.hpp"

namespace npl::sim {

using Slices = std::vector<std::unique_ptr<Slice>>;

/// Calls f(table) for all tables, in order of slices.
template <class F>
void for_tables(const Slices& slices, F&& f) {
  for (const auto& slice : slices)
    for (const auto& p : slice->pathways()) f(p->table());
}

}  // namespace npl::sim
