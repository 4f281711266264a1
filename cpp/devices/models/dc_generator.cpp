// SPDX-License-Identifier: Apache-2.0
#include "devices/current_part.hpp"

namespace npl::devices {
static double dc_amplitude(const Device& d, Step sent) { return d.value(sent, n_window); }
}  // namespace npl::devices

NPL_DEVICE(dc_generator, {"dc_generator",
                          "Constant current.",
                          Effect::current,
                          {NPL_WINDOW_FIELDS, {"amplitude", "pA", 0.0, "Current"}},
                          {},
                          [](const Device&, const Setting&) {},
                          [](const Device& d, Targets t) -> std::unique_ptr<Part> {
                            return std::make_unique<CurrentPart<dc_amplitude>>(d, std::move(t));
                          },
                          nullptr})
