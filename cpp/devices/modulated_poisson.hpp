// SPDX-License-Identifier: Apache-2.0
/// Draw policy of SpikePart for Poisson spikes whose rate changes from step to step.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "devices/pieces.hpp"
#include "devices/spike_part.hpp"
#include "rng/philox_line.hpp"
#include "rng/poisson.hpp"

namespace npl::devices {

inline constexpr double most_per_step = 6e4;  ///< largest mean number of spikes in a step, as PoissonTable allows

/// @tparam Rate static functions `double mean(device, setting, step)`: mean number of spikes in the step; `bool active(window, step)`;
/// `bool shared(setting)`: whether all targets get the same train.
template <class Rate>
class ModulatedPoisson {
 public:
  ModulatedPoisson(const Device& d, const Targets& t)
      : device_(d), random_(d, t), pieces_(pieces_of(t.gid)), words_(t.gid.size()), counts_(t.gid.size()) {}

  bool begin(Step sent) {
    const Setting& s = device_.at(sent);
    if (!Rate::active(window_.of(device_, s), sent)) return false;
    const double mean = std::min(Rate::mean(device_, s, sent), most_per_step);
    if (!(mean > 0.0)) return false;
    shared_ = Rate::shared(s);
    if (mean != table_.mean()) table_.set_mean(mean, shared_ ? 1 : counts_.size());
    draw(static_cast<std::uint64_t>(sent));
    return true;
  }
  std::uint32_t count(std::size_t i) const { return counts_[shared_ ? 0 : i]; }
  std::size_t bytes() const { return words_.size() * (sizeof(std::uint32_t) + sizeof(std::uint16_t)) + pieces_.size() * sizeof(Piece); }

 private:
  void draw(std::uint64_t sent) {
    if (words_.empty()) return;
    if (shared_) {
      words_[0] = random_.own(sent)[0];
      return table_.counts(words_.data(), counts_.data(), std::min<std::size_t>(1, counts_.size()));
    }
    std::array<std::array<std::uint32_t, piece_size>, 3> others;
    for (const Piece& p : pieces_) {
      rng::draw_line(random_.connections(), {p.first, sent, p.stride, 0}, p.n,
                     {words_.data() + p.begin, others[0].data(), others[1].data(), others[2].data()});
      table_.counts(words_.data() + p.begin, counts_.data() + p.begin, p.n);
    }
  }

  const Device& device_;
  Words random_;
  KnownWindow window_;
  std::vector<Piece> pieces_;
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
