// SPDX-License-Identifier: Apache-2.0
#include "devices/current_part.hpp"
#include "devices/spike_part.hpp"

namespace npl::devices::ac_generator {
namespace {

enum : std::size_t { p_amplitude = n_window, p_frequency, p_phase, p_offset };

double sine_current(const Device& d, Step sent) {
  const auto& v = d.at(sent).values;
  return v[p_offset] + v[p_amplitude] * wave(v[p_frequency], stamp_time(d, sent), v[p_phase]);
}

}  // namespace
}  // namespace npl::devices::ac_generator

NPL_DEVICE(ac_generator, {"ac_generator",
                          "Sinusoidal current.",
                          Effect::current,
                          {NPL_WINDOW_FIELDS,
                           {"amplitude", "pA", 0.0, "Amplitude of the sine"},
                           {"frequency", "Hz", 0.0, "Frequency"},
                           {"phase", "deg", 0.0, "Phase at time 0"},
                           {"offset", "pA", 0.0, "Constant part of the current"}},
                          {},
                          [](const Device&, const Setting&) {},
                          [](const Device& d, Targets t) -> std::unique_ptr<Part> {
                            return std::make_unique<CurrentPart<sine_current>>(d, std::move(t));
                          },
                          nullptr})
