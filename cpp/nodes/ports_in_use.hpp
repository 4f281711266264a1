// SPDX-License-Identifier: Apache-2.0
/// The ports of a group in which anything has flown: the others have state zero in all neurons.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/math.hpp"

namespace npl::nodes {

class PortsInUse {
 public:
  /// The state was changed by others: it is read again in the next step.
  void forget() { in_use_.clear(), count_ = 0; }
  bool known() const { return !in_use_.empty(); }
  /// Reads the state of n ports. @param columns [fields][n] of so many neurons
  void read(std::size_t n, double* const* columns, std::size_t fields, std::size_t neurons) {
    in_use_.assign(n, 0);
    for (std::size_t k = 0; k < fields * n; ++k)
      if (!has(k % n) && !std::all_of(columns[k], columns[k] + neurons, [](double x) { return math::detail::bits(x) == 0; })) add(k % n);
  }
  bool has(std::size_t port) const { return in_use_[port] != 0; }
  void add(std::size_t port) { in_use_[port] = 1, ++count_; }
  bool all() const { return count_ == in_use_.size(); }
  std::size_t bytes() const { return in_use_.capacity(); }

 private:
  std::vector<char> in_use_;
  std::size_t count_ = 0;
};

}  // namespace npl::nodes
