// SPDX-License-Identifier: Apache-2.0
/// The kinds of tables that a network has. The list is the same on all ranks.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "sim/slice.hpp"

namespace npl::sim {

struct TableSpecs {
  std::vector<std::unique_ptr<tables::TableSpec>> all;
  std::vector<int> labels;  ///< of the calls whose edges go to a table, by the order of its spec
  std::map<const tables::TableSpec*, const tables::TableSpec*> widened;  ///< specs with a weight per synapse, made when weights were set
  Largest largest{};                                                     ///< largest |weight| per receptor that was ever connected or set

  void note_largest(int receptor, double weight) {
    double& most = largest[static_cast<std::size_t>(receptor)];
    most = std::max(most, weight);
  }
  /// Index of the table for synapses of this spec and label: one that is known, or a new one. All ranks must ask in the same order.
  /// @param wanted but for plasticity, sub_step_delay, order
  int table_for(tables::TableSpec wanted, int label);
  int label_of(const tables::TableSpec& spec) const { return labels[static_cast<std::size_t>(spec.order)]; }
};

}  // namespace npl::sim
