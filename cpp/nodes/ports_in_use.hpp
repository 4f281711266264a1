// SPDX-License-Identifier: Apache-2.0
/// The ports of a group in which anything has flown: the others have state zero in all neurons.
#pragma once
#include <cstdint>

namespace npl::nodes {

class PortsInUse {
 public:
  /// The state was changed by others: it is read again in the next step.
  void forget() { known_ = false; }
  bool known() const { return known_; }
  void set(std::uint32_t mask) { mask_ = mask, known_ = true; }
  /// Bit p: port p, from 0.
  std::uint32_t mask() const { return mask_; }
  void add(std::uint32_t mask) { mask_ |= mask; }

 private:
  std::uint32_t mask_ = 0;
  bool known_ = false;
};

}  // namespace npl::nodes
