// SPDX-License-Identifier: Apache-2.0
#include "devices/grid.hpp"
#include "devices/modulated_poisson.hpp"

namespace npl::devices::inhomogeneous_poisson_generator {
namespace {

struct SteppedRate {
  static bool active(const Window& w, Step n) { return w.spikes(n); }
  static double mean(const Device& d, const Setting&, Step n) { return value_at(d, n) * d.resolution * 1e-3; }
  static bool shared(const Setting&) { return false; }
};

void check_rates(const Device& d, const Setting& s) {
  check_times(d, "rate_times", s.vectors[0], true);
  check_same_length("rate_values", s.vectors[1].size(), s.vectors[0].size());
  for (double v : s.vectors[1]) {
    check_value({"rate_values", "spikes/s", 0.0, "", Bound::non_negative}, v);
    check_mean(d, "rate_values", v);
  }
}

}  // namespace
}  // namespace npl::devices::inhomogeneous_poisson_generator

NPL_DEVICE(inhomogeneous_poisson_generator,
           with_face<DeviceInfo>({"inhomogeneous_poisson_generator",
                                  "Poisson spikes with a rate that changes at given times.",
                                  Effect::spikes,
                                  {NPL_WINDOW_FIELDS},
                                  {{"rate_times", "ms", "Times at which the rate changes, strictly ascending, on the grid"},
                                   {"rate_values", "spikes/s", "The rate from then on"}},
                                  check_rates,
                                  SpikePart<ModulatedPoisson<SteppedRate>>::make,
                                  nullptr},
                                 {.keys = "allow_offgrid_times=false"}))
