// SPDX-License-Identifier: Apache-2.0
/// When the parts of a run end: a function of delays and of settings that are the same on all ranks.
#pragma once
#include <algorithm>

#include "base/ids.hpp"

namespace npl::sim {

struct Rhythm {
  static constexpr Step without_connections = 16;  ///< then nothing is sent, but thread 0 looks up now and then

  Step interval;        ///< steps between two exchanges of spikes: the minimal delay of the network
  Step control;         ///< steps between two changes of scales: the maximal delay in whole intervals
  bool halved = false;  ///< an interval has two parts, A and B, with an exchange after each

  /// @param min_delay, max_delay of the network [steps]; 0: no connection yet
  Rhythm(Delay min_delay, Delay max_delay, bool halves)
      : interval(min_delay ? min_delay : without_connections),
        // Depends on delays only, not on which rank exchanges when (law 1). No window of levels is longer, so plastic ranks meet no more
        // often for it.
        control(std::max(interval, (max_delay + interval - 1) / interval * interval)),
        halved(halves && interval > 1) {}

  Step longest_part() const { return halved ? (interval + 1) / 2 : interval; }
  /// End of the part that the step `from` belongs to.
  Step end_of_part(Step from) const {
    const Step begin = from / interval * interval;
    return from < begin + longest_part() ? begin + longest_part() : begin + interval;
  }
};

}  // namespace npl::sim
