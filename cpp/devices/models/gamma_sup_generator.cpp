// SPDX-License-Identifier: Apache-2.0
/// Superposition of gamma processes of integer shape (Deger et al. 2012). A process passes through `gamma_shape` stages; leaving the last
/// one it spikes and starts again. Per target only the number of processes in each stage is stored; the number that leaves a stage in a
/// step is binomial.
#include <vector>

#include "devices/spike_part.hpp"

namespace npl::devices::gamma_sup_generator {
namespace {

enum : std::size_t { p_rate = n_window, p_shape, p_processes };
constexpr std::uint64_t beginnings = std::uint64_t{1} << 63;  ///< counters of the initial draws begin here

class GammaStages {
 public:
  GammaStages(const Device& d, const Targets& t) : device_(d), gids_(t.gid), random_(d, t), spikes_(t.gid.size()) {}

  bool begin(Step sent) {
    const Setting& s = device_.at(sent);
    if (!Window::of(device_, s).spikes(sent) || s.values[p_rate] <= 0.0) return false;
    const auto shape = static_cast<std::size_t>(s.values[p_shape]), processes = static_cast<std::size_t>(s.values[p_processes]);
    if (shape != shape_ || processes != processes_) distribute(shape, processes);
    const Binomial leaving(s.values[p_rate] * s.values[p_shape] * device_.resolution * 1e-3);
    for (std::size_t i = 0; i < gids_.size(); ++i) spikes_[i] = move(i, leaving, static_cast<std::uint64_t>(sent) * shape);
    return true;
  }
  std::uint64_t count(std::size_t i) const { return spikes_[i]; }
  std::size_t bytes() const { return (stage_.size() + spikes_.size()) * sizeof(std::uint64_t); }
  PartState state() const { return {{shape_, processes_}, shape_, stage_}; }
  void resume(const PartState& s) { shape_ = s.common[0], processes_ = s.common[1], stage_ = s.each; }

 private:
  /// Initial numbers. In equilibrium a process is in each stage with the same probability.
  void distribute(std::size_t shape, std::size_t processes) {
    shape_ = shape, processes_ = processes;
    stage_.assign(shape * gids_.size(), 0);
    for (std::size_t i = 0; i < gids_.size(); ++i) {
      std::uint64_t left = processes;
      for (std::size_t k = 0; k < shape; ++k) {
        const double u = uniform_of(random_.connection(gids_[i], beginnings + k));
        const std::uint64_t here = k + 1 == shape ? left : rng::binomial(left, 1.0 / static_cast<double>(shape - k), u);
        stage_[i * shape + k] = here;
        left -= here;
      }
    }
  }
  /// One step of the processes of target i; returns how many spiked.
  std::uint64_t move(std::size_t i, const Binomial& draw, std::uint64_t counter) {
    std::uint64_t* stage = stage_.data() + i * shape_;
    std::uint64_t arriving = 0;
    for (std::size_t k = 0; k < shape_; ++k) {
      const std::uint64_t leaving = stage[k] == 0 ? 0 : draw(stage[k], uniform_of(random_.connection(gids_[i], counter + k)));
      stage[k] += arriving - leaving;
      arriving = leaving;
    }
    stage[0] += arriving;
    return arriving;
  }

  const Device& device_;
  const std::vector<Gid>& gids_;
  Words random_;
  std::size_t shape_ = 0, processes_ = 0;
  std::vector<std::uint64_t> stage_, spikes_;
};

void check_gamma(const Device& d, const Setting& s) {
  check_count("gamma_shape", s.values[p_shape], 1, 1000);
  check_count("n_proc", s.values[p_processes], 1, 1000000);
  if (s.values[p_rate] * s.values[p_shape] * d.resolution * 1e-3 > 1.0)
    throw BadParameter("rate", s.values[p_rate], "such that rate * gamma_shape is at most one per step");
}

}  // namespace
}  // namespace npl::devices::gamma_sup_generator

NPL_DEVICE(gamma_sup_generator, {"gamma_sup_generator",
                                 "Superposition of gamma processes, independent for every target.",
                                 Effect::spikes,
                                 {NPL_WINDOW_FIELDS,
                                  {"rate", "spikes/s", 0.0, "Rate of one process", Bound::non_negative},
                                  Field{"gamma_shape", "", 1.0, "Shape of the intervals, a whole number"}.with(Mark::whole),
                                  Field{"n_proc", "", 1.0, "Number of processes"}.with(Mark::whole)},
                                 {},
                                 check_gamma,
                                 SpikePart<GammaStages>::make,
                                 nullptr})
