// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "devices/grid.hpp"
#include "devices/spike_part.hpp"

namespace npl::devices::spike_generator {
namespace {

constexpr std::size_t n_precise = n_window;

bool is_precise(const Setting& s) { return s.values[n_precise] != 0.0; }

void check_spikes(const Device& d, const Setting& s) {
  check_flag("precise_times", s.values[n_precise]);
  is_precise(s) ? check_any_times("spike_times", s.vectors[0]) : check_times(d, "spike_times", s.vectors[0], false);
  if (s.vectors[1].empty()) return;
  check_same_length("spike_multiplicities", s.vectors[1].size(), s.vectors[0].size());
  for (double m : s.vectors[1])
    if (!(m >= 0) || m != std::floor(m) || m > 1e6) throw BadParameter("spike_multiplicities", m, "a whole number from 0 to 10^6");
}

/// Time at the end of a step [ms]. Correctly rounded if a millisecond is a whole number of steps.
double end_of(const Device& d, Step stamp) {
  const double per_ms = std::round(1.0 / d.resolution);
  return std::abs(per_ms * d.resolution - 1.0) < 1e-15 ? static_cast<double>(stamp) / per_ms : static_cast<double>(stamp) * d.resolution;
}

/// Stamp of a spike at this time [ms]: the end of the step in which it lies.
Step stamp_of(const Device& d, const Setting& s, double time) {
  const Step nearest = d.steps(time);
  return !is_precise(s) || time <= end_of(d, nearest) ? nearest : nearest + 1;
}

double offset_of(const Device& d, const Setting& s, double time) {
  const double offset = end_of(d, stamp_of(d, s, time)) - time;
  return offset < time * 0x1p-50 ? 0.0 : std::min(offset, d.resolution * (1.0 - 0x1p-53));
}

/// The first time with a stamp after `step`. @param near where the search begins: mostly it is there
std::size_t first_after(const Device& d, const Setting& s, Step origin, Step step, std::size_t near) {
  const auto& times = s.vectors[0];
  const auto earlier = [&](double t) { return stamp_of(d, s, t) + origin <= step; };
  near = std::min(near, times.size());
  if ((near == 0 || earlier(times[near - 1])) && (near == times.size() || !earlier(times[near]))) return near;
  return static_cast<std::size_t>(std::partition_point(times.begin(), times.end(), earlier) - times.begin());
}

/// Calls f(k, n) for each entry k of spike_times in steps [from, until): n spikes, each with the same stamp, shifted by origin and within
/// the window. Returns the stamp of the first time after them; there is none: a step that no run reaches.
template <class F>
Step for_spikes(const Device& d, const Setting& s, Step from, Step until, EmitterMemory& memory, F&& f) {
  const auto& times = s.vectors[0];
  const auto& multiplicity = s.vectors[1];
  const Window& w = memory.window.of(d, s);
  std::size_t& k = memory.next;
  for (k = first_after(d, s, w.origin, std::max(from, w.start), memory.next); k < times.size(); ++k) {
    const Step stamp = stamp_of(d, s, times[k]) + w.origin;
    if (stamp > w.stop) break;
    if (stamp > until) return stamp;
    f(k, multiplicity.empty() ? 1 : static_cast<std::size_t>(multiplicity[k]), stamp);
  }
  return INT64_MAX / 2;
}

Step emit_spikes(const Device& d, Step from, Step until, EmitterMemory& memory, std::vector<Spike>& out) {
  const Step next = for_spikes(d, d.at(until - 1), from, until, memory,
                               [&](std::size_t, std::size_t n, Step stamp) { out.insert(out.end(), n, Spike{d.gid, stamp - 1}); });
  return std::min(next - 1, d.holds_until(until - 1));
}

bool emit_offsets(const Device& d, Step from, Step until, std::vector<double>& out) {
  const Setting& s = d.at(until - 1);
  if (!is_precise(s)) return false;
  EmitterMemory memory;
  for_spikes(d, s, from, until, memory,
             [&](std::size_t k, std::size_t n, Step) { out.insert(out.end(), n, offset_of(d, s, s.vectors[0][k])); });
  return true;
}

}  // namespace
}  // namespace npl::devices::spike_generator

NPL_DEVICE(spike_generator,
           with_face<DeviceInfo>({"spike_generator",
                                  "Emits spikes at given times; connect it like a neuron.",
                                  Effect::emits,
                                  {NPL_WINDOW_FIELDS, {"precise_times", "0 or 1", 0.0, "Times lie between grid points"}},
                                  {{"spike_times", "ms",
                                    "Times of the spikes, ascending, on the grid unless precise_times; equal times give several spikes"},
                                   {"spike_multiplicities", "", "Spikes per time; empty: one each"}},
                                  check_spikes,
                                  nullptr,
                                  emit_spikes,
                                  nullptr,
                                  emit_offsets},
                                 {.keys = "allow_offgrid_times=false shift_now_spikes=false spike_weights=[]"}))
