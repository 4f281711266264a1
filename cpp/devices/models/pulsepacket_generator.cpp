// SPDX-License-Identifier: Apache-2.0
/// Packets of spikes with Gaussian jitter (Diesmann, Gewaltig & Aertsen 1999), the same spikes for all targets.
#include <algorithm>
#include <cmath>
#include <vector>

#include "devices/spike_part.hpp"
#include "rng/distribution.hpp"

namespace npl::devices::pulsepacket_generator {
namespace {

enum : std::size_t { p_activity = n_window, p_sdev };

class Packets {
 public:
  Packets(const Device& d, const Targets& t) : device_(d), random_(d, t) {}

  bool begin(Step sent) {
    const Setting& s = device_.at(sent);
    if (!Window::of(device_, s).current(sent)) return false;  // the same window as for currents, as in NEST
    if (s.from != drawn_for_) draw(s);
    const auto [first, last] = std::equal_range(steps_.begin(), steps_.end(), sent);
    count_ = last - first;
    return count_ > 0;
  }
  std::ptrdiff_t count(std::size_t) const { return count_; }
  std::size_t bytes() const { return steps_.capacity() * sizeof(Step); }

 private:
  /// Draws the steps in which the spikes of all packets are sent, sorted: one step after the step of the drawn time, as in NEST.
  void draw(const Setting& s) {
    drawn_for_ = s.from;
    steps_.clear();
    const auto activity = static_cast<std::uint64_t>(s.values[p_activity]);
    std::vector<std::uint32_t> words(activity);
    std::vector<double> normal(activity);
    rng::ValueSpec unit;
    unit.kind = rng::Kind::normal;
    unit.b = 1.0;
    const rng::Sampler sampler(unit);
    for (std::size_t k = 0; k < s.vectors[0].size(); ++k) {
      const std::uint64_t packet = static_cast<std::uint64_t>(s.from) * 0x10000u + k;
      for (std::uint64_t j = 0; j < activity; ++j) words[j] = random_.own((packet << 24) + j)[0];
      sampler.draw(words, normal.data());
      for (double z : normal) steps_.push_back(step_of(s.vectors[0][k] + s.values[p_sdev] * z));
    }
    std::sort(steps_.begin(), steps_.end());
  }

  /// Time [ms] in steps, rounded up; beyond +-4e18 steps, that number.
  Step step_of(double time) const {
    constexpr double far = 4e18;
    return static_cast<Step>(std::clamp(std::ceil(time / device_.resolution - 1e-9), -far, far));
  }

  const Device& device_;
  Words random_;
  Step drawn_for_ = -1;
  std::ptrdiff_t count_ = 0;
  std::vector<Step> steps_;
};

void check_packets(const Device&, const Setting& s) {
  check_count("activity", s.values[p_activity], 0, 1 << 24);
  const std::size_t packets = s.vectors[0].size();
  if (packets > 0x10000u) throw BadLength("pulse_times", packets, 0x10000u);
  if (s.values[p_activity] * static_cast<double>(packets) > 1e7)
    throw BadParameter("activity", s.values[p_activity], "at most 10^7 spikes in all packets");
  for (double t : s.vectors[0]) check_value({"pulse_times", "ms", 0.0, ""}, t);
}

}  // namespace
}  // namespace npl::devices::pulsepacket_generator

NPL_DEVICE(pulsepacket_generator, {"pulsepacket_generator",
                                   "Packets of spikes around given times, the same for all targets.",
                                   Effect::spikes,
                                   {NPL_WINDOW_FIELDS,
                                    Field{"activity", "", 0.0, "Spikes of a packet, a whole number"}.with(Mark::whole),
                                    {"sdev", "ms", 0.0, "Standard deviation of the times of a packet", Bound::non_negative}},
                                   {{"pulse_times", "ms", "Centres of the packets"}},
                                   check_packets,
                                   SpikePart<Packets>::make,
                                   nullptr})
