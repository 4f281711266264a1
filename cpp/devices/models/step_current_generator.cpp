// SPDX-License-Identifier: Apache-2.0
#include "devices/current_part.hpp"
#include "devices/grid.hpp"

namespace npl::devices::step_current_generator {
namespace {

void check_steps(const Device& d, const Setting& s) {
  check_times(d, "amplitude_times", s.vectors[0], true);
  check_same_length("amplitude_values", s.vectors[1].size(), s.vectors[0].size());
  for (double v : s.vectors[1]) check_value({"amplitude_values", "pA", 0.0, ""}, v);
}

}  // namespace
}  // namespace npl::devices::step_current_generator

NPL_DEVICE(step_current_generator,
           with_face<DeviceInfo>({"step_current_generator",
                                  "Current that changes at given times.",
                                  Effect::current,
                                  {NPL_WINDOW_FIELDS},
                                  {{"amplitude_times", "ms", "Times at which the current changes, strictly ascending, on the grid"},
                                   {"amplitude_values", "pA", "The current from then on"}},
                                  check_steps,
                                  [](const Device& d, Targets t) -> std::unique_ptr<Part> {
                                    return std::make_unique<CurrentPart<value_at>>(d, std::move(t));
                                  },
                                  nullptr},
                                 {.keys = "allow_offgrid_times=false"}))
