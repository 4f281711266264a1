// SPDX-License-Identifier: Apache-2.0
/// Intervals of a run, computed from delays and settings only, so that they are the same on all ranks.
#pragma once
#include <algorithm>

#include "base/ids.hpp"

namespace npl::sim {

struct Rhythm {
  static constexpr Step without_connections = 16;  ///< interval without connections: nothing is sent, but thread 0 must call poll
  static constexpr Step intervals_per_agreement = 16;

  Step interval;        ///< steps between two exchanges of spikes: the minimal delay of the network
  Step control;         ///< steps between two changes of scales: the maximal delay in whole intervals
  Step agreement;       ///< steps between two agreements of all ranks on the end of the run: at least 16 intervals, in whole `control`
  bool halved = false;  ///< an interval has two parts, A and B, with an exchange after each

  /// @param min_delay, max_delay of the network [steps]; 0: no connection yet
  Rhythm(Delay min_delay, Delay max_delay, bool halves)
      : interval(min_delay ? min_delay : without_connections),
        // Depends on delays only, not on the times of exchange (law 1). No window of two levels is longer, so changes of scales need no
        // additional exchanges.
        control(std::max(interval, (max_delay + interval - 1) / interval * interval)),
        agreement((intervals_per_agreement * interval + control - 1) / control * control),
        halved(halves && interval > 1) {}

  /// The end of a run in which something diverges at this stamp. It depends on the delays only: ranks tell one another at the next
  /// agreement, and all know it at the one after that.
  Step end_after(Step stamp) const { return (stamp + agreement - 1) / agreement * agreement + agreement; }
  Step longest_part() const { return halved ? (interval + 1) / 2 : interval; }
  /// End of the part that contains step `from`.
  Step end_of_part(Step from) const {
    const Step begin = from / interval * interval;
    return from < begin + longest_part() ? begin + longest_part() : begin + interval;
  }
};

}  // namespace npl::sim
