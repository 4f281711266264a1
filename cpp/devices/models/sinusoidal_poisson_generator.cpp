// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/modulated_poisson.hpp"

namespace npl::devices::sinusoidal_poisson_generator {
namespace {

enum : std::size_t { p_rate = n_window, p_amplitude, p_frequency, p_phase, p_individual };

struct SineRate {
  static bool active(const Window& w, Step n) { return w.current(n); }  // one step earlier than poisson_generator, as in NEST
  static double rate(const Device& d, Step n) {
    const auto& v = d.at(n).values;
    return std::max(0.0, v[p_rate] + v[p_amplitude] * wave(v[p_frequency], stamp_time(d, n), v[p_phase]));
  }
  static double mean(const Device& d, const Setting&, Step n) { return rate(d, n) * d.resolution * 1e-3; }
  static bool shared(const Setting& s) { return s.values[p_individual] == 0.0; }
};

void check_sine(const Device& d, const Setting& s) {
  check_flag("individual_spike_trains", s.values[p_individual]);
  check_mean(d, "rate", s.values[p_rate] + std::abs(s.values[p_amplitude]));
}

}  // namespace
}  // namespace npl::devices::sinusoidal_poisson_generator

NPL_DEVICE(sinusoidal_poisson_generator,
           {"sinusoidal_poisson_generator",
            "Poisson spikes with a sinusoidal rate.",
            Effect::spikes,
            {NPL_WINDOW_FIELDS,
             {"rate", "spikes/s", 0.0, "Mean rate of each train; where the rate would be negative it is 0"},
             {"amplitude", "spikes/s", 0.0, "Amplitude of the rate"},
             {"frequency", "Hz", 0.0, "Frequency of the rate"},
             {"phase", "deg", 0.0, "Phase of the rate at time 0"},
             {"individual_spike_trains", "0 or 1", 1.0, "An independent train for every target, or one for all"}},
            {},
            check_sine,
            SpikePart<ModulatedPoisson<SineRate>>::make,
            nullptr,
            SineRate::rate})
