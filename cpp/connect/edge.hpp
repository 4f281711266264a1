// SPDX-License-Identifier: Apache-2.0
/// An edge on its way to its row.
#pragma once
#include <cstdint>

#include "base/ids.hpp"

namespace npl::connect {

/// Stands for "no weight per synapse".
struct NoWeight {};

template <class W>
struct Edge {
  std::uint32_t slot;  ///< which source, among those that are sorted together
  std::uint16_t target;
  Delay delay;
  [[no_unique_address]] W weight;
};

}  // namespace npl::connect
