// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace npl {

/// A spike of another rank or slice, as the receiver knows it.
struct RowSpike {
  std::uint32_t row;  ///< of a table; or the number of a source in a list of all
  std::int32_t step;  ///< in which the source spiked
};

}  // namespace npl
