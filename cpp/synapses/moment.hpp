// SPDX-License-Identifier: Apache-2.0
/// The two kinds of times of spikes: steps, and moments between grid points.
#pragma once
#include <compare>

#include "base/ids.hpp"

namespace npl::synapses {

/// What lies between two moments: steps, less some ms.
struct Span {
  Step steps;
  double less;
};

/// A time as spikes have it: so many ms, in [0, h), before the end of a step. Two moments are compared without rounding.
struct Moment {
  Step stamp = 0;
  double before = 0.0;

  friend bool operator==(const Moment&, const Moment&) = default;
  friend std::partial_ordering operator<=>(const Moment& a, const Moment& b) {
    if (a.stamp != b.stamp) return a.stamp <=> b.stamp;
    return b.before <=> a.before;
  }
  friend Moment operator-(const Moment& a, Step steps) { return {a.stamp - steps, a.before}; }
  friend Span operator-(const Moment& a, const Moment& b) { return {a.stamp - b.stamp, a.before - b.before}; }
};

/// True for the stamp or the moment of a spike that there was: time 0 stands for none.
inline bool happened(Step stamp) { return stamp > 0; }
inline bool happened(const Moment& m) { return m.stamp > 0; }

/// Steps of a time, and ms before the end of the last of them.
inline Step stamp_of(Step stamp) { return stamp; }
inline Step stamp_of(const Moment& m) { return m.stamp; }
inline double offset_of(Step) { return 0.0; }
inline double offset_of(const Moment& m) { return m.before; }

/// A time of either kind; steps have no offsets.
template <class Time>
Time time_of(Step stamp, double offset) {
  if constexpr (requires { Time{stamp, offset}; })
    return {stamp, offset};
  else
    return stamp;
}

}  // namespace npl::synapses
