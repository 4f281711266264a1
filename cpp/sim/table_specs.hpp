// SPDX-License-Identifier: Apache-2.0
/// Table specs of a network. The list is the same on all ranks.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "sim/slice.hpp"

namespace npl::sim {

struct TableSpecs {
  std::vector<std::unique_ptr<tables::TableSpec>> all;
  std::vector<int> labels;  ///< [specs] label of the connections of each table
  std::map<const tables::TableSpec*, const tables::TableSpec*> widened;  ///< specs with a weight per synapse, made when weights were set
  Largest largest{};                                                     ///< largest |weight| per receptor that was ever connected or set

  void note_largest(int receptor, double weight) {
    double& most = largest[static_cast<std::size_t>(receptor)];
    most = std::max(most, weight);
  }
  /// Index of the table spec for synapses of this kind and label; adds one if needed. All ranks must call in the same order.
  /// @param wanted its plasticity, sub_step_delay and order are set here
  int table_for(tables::TableSpec wanted, int label);
  int label_of(const tables::TableSpec& spec) const { return labels[static_cast<std::size_t>(spec.order)]; }
};

}  // namespace npl::sim
