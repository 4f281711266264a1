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

/// Planned changes of the connections of this rank.
struct Connections::EditPlan {
  /// Kind of a connection, comparable between ranks: index of its current spec; receptor; 1: its weight needs another kind of storage;
  /// label; parameters.
  using Kind = std::vector<double>;
  struct Move {
    std::size_t k;        ///< index in the call
    std::size_t pathway;  ///< index in its slice
    Slice* slice;
    Kind kind;
    int spec = -1;  ///< index of the new spec
  };
  std::vector<Move> moves;                                  ///< connections that change their position in a table, by slice
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
