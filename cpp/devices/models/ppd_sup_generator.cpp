// SPDX-License-Identifier: Apache-2.0
/// Superposition of Poisson processes with dead time (Deger et al. 2012). Per target the number of ready processes is stored, and the
/// number of dead ones by the steps they are still dead. The number of ready processes that spike in a step is binomial.
#include <vector>

#include "devices/spike_part.hpp"

namespace npl::devices::ppd_sup_generator {
namespace {

enum : std::size_t { p_rate = n_window, p_dead_time, p_processes, p_frequency, p_amplitude };
constexpr std::uint64_t beginnings = std::uint64_t{1} << 63;  ///< counters of the initial draws begin here

/// Probability that a ready process spikes in a step, without modulation.
double hazard(const Device& d, const Setting& s) {
  const double interval = 1000.0 / s.values[p_rate], dead = static_cast<double>(d.steps(s.values[p_dead_time])) * d.resolution;
  return d.resolution / (interval - dead);
}

class DeadTimes {
 public:
  DeadTimes(const Device& d, const Targets& t) : device_(d), gids_(t.gid), random_(d, t), ready_(t.gid.size()), spikes_(t.gid.size()) {}

  bool begin(Step sent) {
    const Setting& s = device_.at(sent);
    if (!Window::of(device_, s).spikes(sent) || s.values[p_rate] <= 0.0) return false;
    const auto dead = static_cast<std::size_t>(device_.steps(s.values[p_dead_time])),
               processes = static_cast<std::size_t>(s.values[p_processes]);
    const double p = hazard(device_, s);
    if (dead != dead_steps_ || processes != processes_) distribute(dead, processes, p);
    const double now = static_cast<double>(sent) * device_.resolution;
    const Binomial firing(p * (1.0 + s.values[p_amplitude] * wave(s.values[p_frequency], now, 0.0)));
    for (std::size_t i = 0; i < gids_.size(); ++i) fire(i, firing, static_cast<std::uint64_t>(sent));
    return true;
  }
  std::uint64_t count(std::size_t i) const { return spikes_[i]; }
  std::size_t bytes() const { return (ready_.size() + spikes_.size() + dead_.size()) * sizeof(std::uint64_t); }
  PartState state() const {
    PartState s{{dead_steps_, processes_}, dead_steps_ + 1, {}};
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      s.each.push_back(ready_[i]);
      for (std::size_t k = 0; k < dead_steps_; ++k) s.each.push_back(dead_[i * dead_steps_ + k]);
    }
    return s;
  }
  void resume(const PartState& s) {
    dead_steps_ = s.common[0], processes_ = s.common[1];
    dead_.clear();
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      const auto* own = &s.each[i * s.width];
      ready_[i] = own[0];
      dead_.insert(dead_.end(), own + 1, own + s.width);
    }
  }

 private:
  /// Initial numbers, in equilibrium: a process is in each dead step as often as it spikes.
  void distribute(std::size_t dead, std::size_t processes, double p) {
    dead_steps_ = dead, processes_ = processes;
    dead_.assign(dead * gids_.size(), 0);
    const double cycle = static_cast<double>(dead) + 1.0 / p;  // steps from spike to spike
    for (std::size_t i = 0; i < gids_.size(); ++i) {
      std::uint64_t left = processes;
      for (std::size_t k = 0; k < dead; ++k) {
        const double u = uniform_of(random_.connection(gids_[i], beginnings + k));
        const std::uint64_t here = rng::binomial(left, 1.0 / (cycle - static_cast<double>(k)), u);
        dead_[i * dead + k] = here;
        left -= here;
      }
      ready_[i] = left;
    }
  }
  /// One step of the processes of target i. Those that spiked a dead time ago are ready again after this step.
  void fire(std::size_t i, const Binomial& draw, std::uint64_t sent) {
    const std::uint64_t fired = draw(ready_[i], uniform_of(random_.connection(gids_[i], sent)));
    std::uint64_t* slot = dead_steps_ ? &dead_[i * dead_steps_ + sent % dead_steps_] : nullptr;
    ready_[i] += (slot ? *slot : fired) - fired;
    if (slot) *slot = fired;
    spikes_[i] = fired;
  }

  const Device& device_;
  const std::vector<Gid>& gids_;
  Words random_;
  std::size_t dead_steps_ = 0, processes_ = 0;
  std::vector<std::uint64_t> ready_, spikes_, dead_;
};

void check_dead_time(const Device& d, const Setting& s) {
  check_count("n_proc", s.values[p_processes], 1, 1000000);
  if (s.values[p_amplitude] > 1.0) throw BadParameter("relative_amplitude", s.values[p_amplitude], "at most 1");
  if (s.values[p_rate] <= 0.0) return;
  const double p = hazard(d, s) * (1.0 + s.values[p_amplitude]);
  if (!(p > 0.0) || p > 1.0)
    throw BadParameter("rate", s.values[p_rate],
                       "such that the mean interval exceeds dead_time by at least a step (two with full modulation)");
  if (s.values[p_dead_time] > 1e4 * d.resolution) throw BadParameter("dead_time", s.values[p_dead_time], "at most 10 000 steps");
}

}  // namespace
}  // namespace npl::devices::ppd_sup_generator

NPL_DEVICE(ppd_sup_generator,
           {"ppd_sup_generator",
            "Superposition of Poisson processes with dead time, independent for every target.",
            Effect::spikes,
            {NPL_WINDOW_FIELDS,
             {"rate", "spikes/s", 0.0, "Rate of one process", Bound::non_negative},
             {"dead_time", "ms", 0.0, "Time after a spike in which the process has no other, in whole steps", Bound::non_negative},
             Field{"n_proc", "", 1.0, "Number of processes"}.with(Mark::whole),
             {"frequency", "Hz", 0.0, "Frequency of the modulation of the rate", Bound::non_negative},
             {"relative_amplitude", "", 0.0, "Amplitude of that modulation", Bound::non_negative}},
            {},
            check_dead_time,
            SpikePart<DeadTimes>::make,
            nullptr})
