// SPDX-License-Identifier: Apache-2.0
/// Distribution of the edges of a projection over its sources. The memory model derives from it, without drawing edges, the expected number
/// of sources with a row in a slice. All numbers are doubles, as there may be 10^15 edges between 10^22 pairs.
#pragma once
#include <cstdint>
#include <map>

namespace npl::connect {

struct Spread {
  enum class Kind {
    repeated,             ///< each edge draws a pair, with replacement
    repeated_per_target,  ///< every target draws the same number of sources, with replacement
    pairs,                ///< every pair is an edge with the same probability; independent for the edges of one source
    repeated_per_source,  ///< every source draws the same number of targets, with replacement
    per_source,           ///< every source draws the same number of distinct targets
    listed                ///< explicit edges; the model assumes that targets are assigned to slices at random
  };
  Kind kind = Kind::repeated;
  std::map<std::int64_t, double> degrees = {};  ///< listed: number of sources by out-degree

  double sources = 0, targets = 0, edges = 0;  ///< of all ranks

  /// Log of the probability that a source has no edge to any of `here` targets, when each edge is kept with probability `keep`.
  /// A fractional `here` is an average over slices with the next lower and the next higher number of targets.
  double log_none(double here, double keep = 1.0) const;
  /// The same network `factor` times as large, with the same mean in-degree.
  Spread scaled(double factor) const;

 private:
  double log_none_whole(double here, double keep) const;
};

}  // namespace npl::connect
