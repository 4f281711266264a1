// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/error.hpp"
#include "devices/grid.hpp"

namespace npl::devices::weighted_spike_generator {
namespace {

void check_weighted(const Device& d, const Setting& s) {
  check_times(d, "spike_times", s.vectors[0], false);
  if (!s.vectors[1].empty()) check_same_length("spike_weights", s.vectors[1].size(), s.vectors[0].size());
  for (double w : s.vectors[1]) check_value({"spike_weights", "", 0.0, ""}, w);
}

/// Sends each spike with the weight of the connection times the factor of the spike.
class WeightedPart final : public Part {
 public:
  WeightedPart(const Device& device, Targets targets) : device_(device), targets_(std::move(targets)) {}

  void apply(Step step, const PartInput& in) override {
    const Step sent = step - targets_.delay;
    if (sent < targets_.since) return;
    const Setting& s = device_.at(sent);
    const Window window = Window::of(device_, s);
    const auto& times = s.vectors[0];
    const auto stamp = [&](double time) { return device_.steps(time) + window.origin; };
    if (sent + 1 <= window.start || sent + 1 > window.stop) return;
    const auto earlier = [&](double t, Step n) { return stamp(t) < n; };
    auto k = static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), sent + 1, earlier) - times.begin());
    for (; k < times.size() && stamp(times[k]) == sent + 1; ++k) send(s.vectors[1].empty() ? 1.0 : s.vectors[1][k], in);
  }
  const Targets& targets() const override { return targets_; }
  std::size_t bytes() const override {
    return targets_.local.size() * sizeof(Local) + targets_.gid.size() * sizeof(Gid) + targets_.weight.size() * sizeof(double);
  }

 private:
  void send(double factor, const PartInput& in) const {
    const bool one_weight = targets_.weight.size() == 1;
    if (in.sent) *in.sent += static_cast<double>(targets_.local.size());
    for (std::size_t i = 0; i < targets_.local.size(); ++i) {
      const double sent = factor * targets_.weight[one_weight ? 0 : i];
      if (!is_for_receptor(sent)) continue;
      add_wrapping(in.sums[targets_.local[i]], targets_.count ? 1 : round_to_fixed(sent * in.to_fixed));
    }
  }
  /// Weight times factor: its sign chooses between the parts of the two receptors.
  bool is_for_receptor(double sent) const { return !targets_.by_sign || (sent < 0) == (targets_.receptor == 1); }

  const Device& device_;
  Targets targets_;
};

}  // namespace
}  // namespace npl::devices::weighted_spike_generator

NPL_DEVICE(weighted_spike_generator,
           {"weighted_spike_generator",
            "Spikes at given times, each with a factor for the weights of all targets.",
            Effect::spikes,
            {NPL_WINDOW_FIELDS},
            {{"spike_times", "ms", "Times of the spikes, ascending, on the grid"},
             {"spike_weights", "", "The factor of each spike; none: 1"}},
            check_weighted,
            [](const Device& d, Targets t) -> std::unique_ptr<Part> { return std::make_unique<WeightedPart>(d, std::move(t)); },
            nullptr,
            nullptr,
            nullptr,
            true})
