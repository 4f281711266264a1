// SPDX-License-Identifier: Apache-2.0
#include "devices/grid.hpp"

namespace npl::devices::step_rate_generator {
namespace {

void check_rates(const Device& d, const Setting& s) {
  check_times(d, "amplitude_times", s.vectors[0], true);
  check_same_length("amplitude_values", s.vectors[1].size(), s.vectors[0].size());
  for (double v : s.vectors[1]) check_value({"amplitude_values", "", 0.0, ""}, v);
}

double rate_sent(const Device& d, Step sent) { return Window::of(d, d.at(sent)).current(sent) ? value_at(d, sent) : 0.0; }

}  // namespace
}  // namespace npl::devices::step_rate_generator

NPL_DEVICE(step_rate_generator,
           with_face<DeviceInfo>({.name = "step_rate_generator",
                                  .doc = "Rate that changes at given times, for continuous connections.",
                                  .effect = Effect::values,
                                  .parameters = {NPL_WINDOW_FIELDS},
                                  .vectors = {{"amplitude_times", "ms", "Times at which the rate changes, strictly ascending, on the grid"},
                                              {"amplitude_values", "", "The rate from then on"}},
                                  .check = check_rates,
                                  .make_part = nullptr,
                                  .emit = nullptr,
                                  .rate = rate_sent,
                                  .value = rate_sent},
                                 {.keys = "allow_offgrid_times=false"}))
