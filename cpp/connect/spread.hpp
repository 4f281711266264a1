// SPDX-License-Identifier: Apache-2.0
/// How the edges of a projection spread over its sources. From this follows, without drawing an edge, how many sources have a row in a
/// slice: what the memory model needs. All numbers are doubles, as there may be 10^15 edges between 10^22 pairs.
#pragma once
#include <cstdint>
#include <map>

namespace npl::connect {

struct Spread {
  enum class Kind {
    repeated,             ///< edges choose pairs, again and again
    repeated_per_target,  ///< every target chooses the same number of sources, again and again
    pairs,                ///< every pair is an edge with the same probability, independently as far as one source is concerned
    repeated_per_source,  ///< every source chooses the same number of targets, again and again
    per_source,           ///< every source chooses the same number of different targets
    listed                ///< given one by one; targets are taken to be dealt to slices at random
  };
  Kind kind = Kind::repeated;
  std::map<std::int64_t, double> degrees = {};  ///< listed: number of sources by out-degree

  double sources = 0, targets = 0, edges = 0;

  /// Logarithm of the probability that a source has no edge to any of `here` targets, where edges count with probability `keep` only.
  /// A fraction of a target: this share of the slices has one more than the others.
  double log_none(double here, double keep = 1.0) const;
  /// The same network `factor` times as large, with as many edges per target.
  Spread scaled(double factor) const;

 private:
  double log_none_whole(double here, double keep) const;
};

}  // namespace npl::connect
