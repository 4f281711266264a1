// SPDX-License-Identifier: Apache-2.0
/// Draw policy of SpikePart for Poisson spikes whose rate changes from step to step.
#pragma once
#include <algorithm>
#include <vector>

#include "devices/spike_part.hpp"
#include "rng/poisson.hpp"

namespace npl::devices {

inline constexpr double most_per_step = 6e4;  ///< largest mean number of spikes in a step, as PoissonTable allows

/// @tparam Rate static functions `double mean(device, setting, step)`: mean number of spikes in the step; `bool active(window, step)`;
/// `bool shared(setting)`: whether all targets get the same train.
template <class Rate>
class ModulatedPoisson {
 public:
  ModulatedPoisson(const Device& d, const Targets& t)
      : device_(d), gids_(t.gid), random_(d, t), words_(t.gid.size()), counts_(t.gid.size()) {}

  bool begin(Step sent) {
    const Setting& s = device_.at(sent);
    if (!Rate::active(Window::of(device_, s), sent)) return false;
    const double mean = std::min(Rate::mean(device_, s, sent), most_per_step);
    if (!(mean > 0.0)) return false;
    if (mean != table_.mean()) table_ = rng::PoissonTable(mean);
    shared_ = Rate::shared(s);
    draw(static_cast<std::uint64_t>(sent));
    return true;
  }
  std::uint32_t count(std::size_t i) const { return counts_[shared_ ? 0 : i]; }
  std::size_t bytes() const { return words_.size() * (sizeof(std::uint32_t) + sizeof(std::uint16_t)); }

 private:
  void draw(std::uint64_t sent) {
    constexpr std::size_t chunk = 1024;
    const std::size_t n = shared_ ? std::min<std::size_t>(1, words_.size()) : words_.size();
    for (std::size_t i = 0; i < n; ++i) words_[i] = (shared_ ? random_.own(sent) : random_.connection(gids_[i], sent))[0];
    for (std::size_t i = 0; i < n; i += chunk) table_.counts(words_.data() + i, counts_.data() + i, std::min(chunk, n - i));
  }

  const Device& device_;
  const std::vector<Gid>& gids_;
  Words random_;
  rng::PoissonTable table_;
  bool shared_ = false;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint16_t> counts_;
};

/// Throws BadParameter for a rate [spikes/s] with more than most_per_step spikes per step.
inline void check_mean(const Device& d, const char* name, double rate) {
  if (rate * d.resolution * 1e-3 > most_per_step) throw BadParameter(name, rate, "at most 60 000 spikes per step");
}

}  // namespace npl::devices
