// SPDX-License-Identifier: Apache-2.0
#include "devices/current_part.hpp"
#include "devices/grid.hpp"

namespace npl::devices {
namespace {

/// The last amplitude whose time is at most the stamp sent + 1; entries that a setting names too late never act, the old value goes on.
double step_amplitude(const Device& d, Step sent) {
  for (std::size_t h = d.history.size(); h-- > 0;) {
    const Setting& s = d.history[h];
    if (s.from > sent) continue;
    const auto& times = s.vectors[0];
    for (std::size_t k = times.size(); k-- > 0;) {
      const Step a = d.steps(times[k]);
      if (a <= sent + 1 && (a > s.from || h == 0)) return s.vectors[1][k];
    }
    sent = s.from - 1;
  }
  return 0.0;
}

void check_steps(const Device& d, const Setting& s) {
  check_times(d, "amplitude_times", s.vectors[0], true);
  check_same_length("amplitude_values", s.vectors[1].size(), s.vectors[0].size());
  for (double v : s.vectors[1]) check_value({"amplitude_values", "pA", 0.0, ""}, v);
}

}  // namespace
}  // namespace npl::devices

NPL_DEVICE(step_current_generator, {"step_current_generator", "Current that changes at given times.", Effect::current,
                                    {NPL_WINDOW_FIELDS},
                                    {{"amplitude_times", "ms", "Times at which the current changes, strictly ascending, on the grid"},
                                     {"amplitude_values", "pA", "The current from then on"}},
                                    check_steps,
                                    [](const Device& d, Targets t) -> std::unique_ptr<Part> {
                                      return std::make_unique<CurrentPart<step_amplitude>>(d, std::move(t));
                                    },
                                    nullptr})
