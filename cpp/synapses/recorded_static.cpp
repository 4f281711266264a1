// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "synapses/single.hpp"

namespace npl::synapses {
namespace {

class RecordedStatic final : public Plasticity {
 public:
  PreTrace spike(Step stamp, std::int32_t& last, double*) const override {
    const PreTrace before{last, 1.0};
    last = static_cast<std::int32_t>(stamp);
    return before;
  }
  double tau_minus() const override { return 0.0; }
  double largest_weight() const override { return 0.0; }
  /// The same arithmetic as without a recorder (deliver/agenda.cpp), which may not change the results.
  void process(const PlasticRun& run, bool double_weights) const override {
    const auto add = [&](auto&& value) {
      for (std::uint32_t k = 0; k < run.n; ++k) run.sums[run.target[k]] += value(k);
    };
    if (run.counts) return add([](std::uint32_t) { return Fixed{1}; });
    if (double_weights) return add([&, w = static_cast<const double*>(run.weight)](std::uint32_t k) { return round_to_fixed(w[k] * run.to_fixed); });
    const auto* w = static_cast<const float*>(run.weight);
    if (run.to_fixed > std::numeric_limits<float>::max())
      return add([&](std::uint32_t k) { return round_to_fixed(static_cast<double>(w[k]) * run.to_fixed); });
    add([&, scale = static_cast<float>(run.to_fixed)](std::uint32_t k) { return static_cast<Fixed>(std::llrintf(w[k] * scale)); });
  }
};

}  // namespace

std::shared_ptr<const Plasticity> recorded_static() {
  static const auto rule = std::make_shared<const RecordedStatic>();
  return rule;
}

}  // namespace npl::synapses
