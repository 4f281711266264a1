// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "model/receptors.hpp"
#include "model/siegert.hpp"
#include "model/step.hpp"

namespace npl::model {

/// tau dr/dt = -r + mean + phi(mu, sigma^2), by the exponential Euler method; mu and sigma^2 are sums of factors times rates.
struct SiegertNeuron {
  static constexpr const char* name = "siegert_neuron";
  static constexpr const char* doc =
      "Mean rate of leaky integrate-and-fire neurons: relaxes to the rate that its input's mean and variance give (Hahne et al. 2017).";
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::count;

  struct Params {
    double tau, mean, tau_m, tau_syn, t_ref, theta, V_reset;
  };
  static constexpr std::array parameters{
      Field{"tau", "ms", 1.0, "Time constant of the rate", Bound::positive},
      Field{"mean", "1/s", 0.0, "Constant that is added to the rate of the input"},
      Field{"tau_m", "ms", 5.0, "Membrane time constant", Bound::positive},
      Field{"tau_syn", "ms", 0.0, "Time constant of synaptic currents; 0: white noise", Bound::non_negative},
      Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
      Field{"theta", "mV", 15.0, "Threshold, above the resting potential"},
      Field{"V_reset", "mV", 0.0, "Potential after a spike, above the resting potential"},
  };
  static Forbidden check(const Params& p) {
    if (p.V_reset >= p.theta) return {"V_reset", p.V_reset, "below theta"};
    return {};
  }

  struct State {
    double rate, sent;
  };
  static constexpr std::array state{Field{"rate", "1/s", 0.0, "Rate"}, Field{"_sent", "1/s", 0.0, "Rate before the last step"}};

  struct Derived {
    double decay, drive, mean, tau_m, tau_syn, t_ref, theta, V_reset;
  };
  static Derived derive(const Params& p, double h) {
    const double x = h / p.tau;
    return {math::exp(-x), -math::expm1(-x), p.mean, p.tau_m, p.tau_syn, p.t_ref, p.theta, p.V_reset};
  }
  NPL_STEP static void step(State& s, const Derived& d, double mu, double variance) {
    s.sent = s.rate;
    s.rate = d.decay * s.rate + d.drive * (d.mean + siegert_rate(mu, variance, {d.tau_m, d.tau_syn, d.t_ref, d.theta, d.V_reset}));
  }
  static ContinuousInfo continuous() { return {{{"mean_rate", 1, 0}}, {{"mean_rate", 2}}}; }
};

}  // namespace npl::model

#include "nodes/update.hpp"

namespace npl::nodes {

template <class M>
void update_means(const GroupView& g) {
  for (std::size_t i = g.begin; i < g.begin + g.n; ++i) {
    using Derived = typename M::Derived;
    const auto d = g.derived ? *reinterpret_cast<const Derived*>(g.derived) : load_fields<Derived>(g.derived_columns, i);
    auto s = load_fields<typename M::State>(g.state, i);
    M::step(s, d, g.taken ? g.taken[0][i] : 0.0, g.taken ? g.taken[1][i] : 0.0);
    store_fields(g.state, i, s);
    g.input[0][i] = 0;
  }
}

}  // namespace npl::nodes

NPL_NEURON_WITH(siegert_neuron, SiegertNeuron, update_means<SiegertNeuron>)
