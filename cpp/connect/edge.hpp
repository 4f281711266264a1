// SPDX-License-Identifier: Apache-2.0
/// An edge that is not yet in its row.
#pragma once
#include <cstdint>

#include "base/ids.hpp"

namespace npl::connect {

/// Weight type of tables without a weight per synapse.
struct NoWeight {};

template <class W>
struct Edge {
  std::uint32_t slot;  ///< index of the source among those that are sorted together
  std::uint16_t target;
  Delay delay;
  [[no_unique_address]] W weight;
};

}  // namespace npl::connect
