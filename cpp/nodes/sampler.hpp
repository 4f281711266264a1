// SPDX-License-Identifier: Apache-2.0
/// Samples of the state of a group while it makes several steps in one call.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/ids.hpp"

namespace npl::nodes {

/// Copies state variables of one group at the sampling times of any number of recorders.
class Sampler {
 public:
  static constexpr Step never = std::numeric_limits<Step>::max();

  /// Variables of one recorder. Its samples are rows in time order, which also hold variables of other groups.
  struct Track {
    std::size_t recorder;
    std::vector<const double*> from;
    std::vector<std::size_t> place;  ///< of each variable in a row
    Step next = never, interval = 1;
    double* row = nullptr;  ///< of the sample at `next`
    std::size_t width = 0;  ///< values of a row
  };
  std::vector<Track>& tracks() { return tracks_; }

  /// To be called when `next` of a track was set.
  void find_next() {
    next_ = never;
    for (const Track& t : tracks_) next_ = std::min(next_, t.next);
  }
  /// The next stamp at which a variable is sampled.
  Step next() const { return next_; }
  /// Copies what is sampled at this stamp, the end of the last step. Stamps ascend, and none up to next() is left out.
  void take(Step stamp) {
    if (stamp != next_) return;
    for (Track& t : tracks_)
      if (t.next == stamp) {
        for (std::size_t k = 0; k < t.from.size(); ++k) t.row[t.place[k]] = *t.from[k];
        t.row += t.width, t.next += t.interval;
      }
    find_next();
  }

 private:
  std::vector<Track> tracks_;
  Step next_ = never;
};

}  // namespace npl::nodes
