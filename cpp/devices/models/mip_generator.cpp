// SPDX-License-Identifier: Apache-2.0
/// Correlated Poisson trains (Kuhn, Aertsen & Rotter 2003): every spike of one mother train is copied to each target with a probability.
#include "devices/modulated_poisson.hpp"

namespace npl::devices::mip_generator {
namespace {

enum : std::size_t { p_rate = n_window, p_copy };

class Copies {
 public:
  Copies(const Device& d, const Targets& t) : device_(d), gids_(t.gid), random_(d, t) {}

  bool begin(Step sent) {
    const Setting& s = device_.at(sent);
    const double mean = s.values[p_rate] * device_.resolution * 1e-3;
    if (!Window::of(device_, s).spikes(sent) || mean <= 0.0 || s.values[p_copy] <= 0.0) return false;
    if (mean != table_.mean()) table_ = rng::PoissonTable(mean);
    sent_ = static_cast<std::uint64_t>(sent), copied_ = Binomial(s.values[p_copy]);
    const std::uint32_t word = random_.own(sent_)[0];
    table_.counts(&word, &mother_, 1);
    return mother_ > 0;
  }
  std::uint32_t count(std::size_t i) const {
    return static_cast<std::uint32_t>(copied_(mother_, uniform_of(random_.connection(gids_[i], sent_))));
  }
  std::size_t bytes() const { return 0; }

 private:
  const Device& device_;
  const std::vector<Gid>& gids_;
  Words random_;
  rng::PoissonTable table_;
  std::uint64_t sent_ = 0;
  Binomial copied_{0.0};
  std::uint16_t mother_ = 0;
};

void check_mother(const Device& d, const Setting& s) {
  if (s.values[p_copy] > 1.0) throw BadParameter("p_copy", s.values[p_copy], "at most 1");
  check_mean(d, "rate", s.values[p_rate]);
}

}  // namespace
}  // namespace npl::devices::mip_generator

NPL_DEVICE(mip_generator, {"mip_generator",
                           "Copies of one Poisson train: each target gets every spike of it with a probability.",
                           Effect::spikes,
                           {NPL_WINDOW_FIELDS,
                            {"rate", "spikes/s", 0.0, "Rate of the mother train", Bound::non_negative},
                            {"p_copy", "", 1.0, "Probability that a spike is copied to a target", Bound::non_negative}},
                           {},
                           check_mother,
                           SpikePart<Copies>::make,
                           nullptr})
