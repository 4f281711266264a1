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
  std::vector<std::size_t> in_place;                        ///< connections that only change values that each has for itself
  Largest largest{};                                        ///< [receptors] largest new |weight|
  std::int64_t shortest = npl::longest_delay, longest = 0;  ///< range of new delays [steps]
};

}  // namespace npl::sim
