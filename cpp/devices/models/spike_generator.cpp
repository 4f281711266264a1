// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "devices/grid.hpp"

namespace npl::devices {
namespace {

void check_spikes(const Device& d, const Setting& s) {
  check_times(d, "spike_times", s.vectors[0], false);
  if (s.vectors[1].empty()) return;
  check_same_length("spike_multiplicities", s.vectors[1].size(), s.vectors[0].size());
  for (double m : s.vectors[1])
    if (!(m >= 0) || m != std::floor(m) || m > 1e6) throw BadParameter("spike_multiplicities", m, "a whole number from 0 to 10^6");
}

/// Spikes with stamps in (start, stop]; the times are shifted by origin.
void emit_spikes(const Device& d, Step from, Step until, std::vector<Spike>& out) {
  const Setting& s = d.at(until - 1);
  const auto& times = s.vectors[0];
  const auto& multiplicity = s.vectors[1];
  const Window w = Window::of(d, s);
  const auto earlier = [&](double t, Step stamp) { return d.steps(t) + w.origin < stamp; };
  auto k = static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), from + 1, earlier) - times.begin());
  for (; k < times.size(); ++k) {
    const Step stamp = d.steps(times[k]) + w.origin;
    if (stamp > until) return;
    if (stamp <= w.start || stamp > w.stop) continue;
    const std::size_t n = multiplicity.empty() ? 1 : static_cast<std::size_t>(multiplicity[k]);
    out.insert(out.end(), n, Spike{d.gid, stamp - 1});
  }
}

}  // namespace
}  // namespace npl::devices

NPL_DEVICE(spike_generator, {"spike_generator", "Emits spikes at given times; connect it like a neuron.", Effect::emits,
                             {NPL_WINDOW_FIELDS},
                             {{"spike_times", "ms", "Times of the spikes, ascending, on the grid; equal times give several spikes"},
                              {"spike_multiplicities", "", "Spikes per time; empty: one each"}},
                             check_spikes, nullptr, emit_spikes})
