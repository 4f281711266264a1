// SPDX-License-Identifier: Apache-2.0
/// Values that differ from node to node are checked by the ranks that own the nodes. Of several that are wrong, the error is that of the
/// node with the lowest gid: the same on any ranks, threads and slices.
#pragma once
#include <exception>
#include <limits>
#include <utility>

#include "base/ids.hpp"

namespace npl::sim {

/// What is wrong with the values of a node; Agreement throws the error inside.
struct NodeRefused {
  Gid gid;
  std::exception_ptr error;
};

class FirstRefusal {
 public:
  /// Checks a node, unless one with a lower gid has been refused.
  template <class F>
  void check(Gid gid, F&& check) {
    if (gid > found_.gid) return;
    try {
      check();
    } catch (...) {
      found_ = {gid, std::current_exception()};
    }
  }
  void rethrow() const {
    if (found_.error) throw NodeRefused(found_);
  }

 private:
  NodeRefused found_{std::numeric_limits<Gid>::max(), nullptr};
};

}  // namespace npl::sim
