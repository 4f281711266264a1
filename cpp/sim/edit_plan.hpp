// SPDX-License-Identifier: Apache-2.0
/// Internal to Connections: what an edit will do to the connections of this rank.
#pragma once
#include <vector>

#include "sim/connections.hpp"

namespace npl::sim {

template <class T>
T value_at(const std::vector<T>& values, std::size_t k) {
  return values[values.size() == 1 ? 0 : k];
}

/// Whether synapses learn from a spike after it has arrived.
inline bool learns_later(const tables::TableSpec& spec) { return spec.plasticity && spec.plasticity->catches_up(); }

/// A connection that leaves its table or changes its position in it.
struct Connections::Move {
  std::size_t k;        ///< index in the call
  std::size_t pathway;  ///< index in its slice
  Slice* slice;
  Kind kind;
  int spec = -1;  ///< index of the new spec
};

/// What the connections of a table have in common: names are not looked up for each of them.
struct Connections::EditedTable {
  const tables::EdgeTable* table = nullptr;
  Kind kind;                ///< before the edit
  std::vector<int> fields;  ///< of the parameters of the edit; -1: the model has none of this name
};

/// Planned changes of the connections of this rank.
struct Connections::EditPlan {
  std::vector<Move> moves;                                  ///< by slice
  std::vector<char> moving;                                 ///< [n] 1: it is among them; empty: none is
  std::vector<std::int64_t> widened;                        ///< [specs by order] 1: some table gets a weight per synapse; empty: none does
  std::int64_t shortest = npl::longest_delay, longest = 0;  ///< range of new delays [steps]
  std::vector<double> since_spikes;                         ///< see changes_since_spikes()

  bool stays(std::size_t k) const { return moving.empty() || !moving[k]; }
  /// What a table is to have as the new weight of connection k.
  double weight(const ConnectionEdits& e, std::size_t k) const {
    return since_spikes.empty() ? value_at(e.weight, k) : value_at(e.weight, k) - since_spikes[k];
  }
};

}  // namespace npl::sim
