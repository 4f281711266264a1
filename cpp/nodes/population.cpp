// SPDX-License-Identifier: Apache-2.0
#include "nodes/population.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/math.hpp"
#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "nodes/small_states.hpp"

namespace npl::nodes::population {
namespace {

constexpr std::size_t most_steps = 1000000;

constexpr auto parameters = joined(
    std::array{
        Field{"N", "", 100.0, "Neurons of the population", Bound::positive}.with(Mark::whole),
        Field{"E_L", "mV", 0.0, "Resting potential"},
        Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
        Field{"tau_m", "ms", 20.0, "Membrane time constant", Bound::positive},
        Field{"t_ref", "ms", 4.0, "Refractory period", Bound::non_negative},
        Field{"V_reset", "mV", 0.0, "Potential after a spike"},
        Field{"I_e", "pA", 0.0, "Constant current"},
        Field{"tau_syn_ex", "ms", 3.0, "Time constant of excitatory currents", Bound::positive},
        Field{"tau_syn_in", "ms", 6.0, "Time constant of inhibitory currents", Bound::positive},
        Field{"V_T_star", "mV", 15.0, "Threshold without spikes"},
        Field{"Delta_V", "mV", 2.0, "Width of the zone around the threshold where spikes are random", Bound::positive},
        Field{"lambda_0", "1/s", 10.0, "Rate of spikes at the threshold", Bound::non_negative},
        Field{"BinoRand", "0 or 1", 1.0, "1: the number of spikes of a step is binomial; 0: Poisson, at most N"},
    },
    std::array{Field{"n_sfa", "", 1.0, "Kernels of the threshold in use"}},
    std::array{
        Field{"q_sfa_1", "mV", 0.5, "Jump of the threshold at a spike"}, Field{"q_sfa_2", "mV", 0.0, "Jump of the threshold at a spike"},
        Field{"q_sfa_3", "mV", 0.0, "Jump of the threshold at a spike"}, Field{"q_sfa_4", "mV", 0.0, "Jump of the threshold at a spike"}},
    per_kernel(NPL_KERNEL_NAMES("tau_sfa"), "ms", 300.0, "Time constant with which it decays", Bound::positive));

constexpr auto states = joined(
    std::array{
        Field{"V_m", "mV", 0.0, "Potential of neurons that have not fired for long"},
        Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"},
        Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"},
        Field{"E_sfa", "mV", 0.0, "Threshold of neurons that have not fired for long, in this step; 0 before the first"}.with(
            Mark::read_only),
        Field{"mean", "", 0.0, "Expected number of spikes in this step"}.with(Mark::read_only),
        Field{"n_events", "", 0.0, "Number of spikes in this step"}.with(Mark::read_only, Mark::whole),
        Field{"_x", "", 0.0, "Neurons that have not fired for long"},
        Field{"_z", "", 0.0, "Variance of their number"},
        Field{"_l", "", 0.0, "Their hazard, per step"},
        Field{"_begun", "", 0.0, "1 after the first step"},
    },
    per_kernel(NPL_KERNEL_NAMES("_g"), "1/ms", 0.0, "Activity longer ago than the history, low-pass filtered"));

std::size_t steps_of(const std::string& text) {
  std::size_t steps = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
  if (error != std::errc() || end != text.data() + text.size() || steps < 1 || steps > most_steps)
    throw BadParameter("shape", text, "a number of steps from 1 to " + std::to_string(most_steps));
  return steps;
}

void check(const double* values) {
  const Params& p = *reinterpret_cast<const Params*>(values);
  if (p.N != std::floor(p.N) || p.N > 1e9) throw BadParameter("N", p.N, "a whole number from 1 to 1e9");
  refuse(check_kernels("n_sfa", p.sfa.n));
}

/// Jump of the threshold that is left after ms.
double left(const nodes::History::Params& sfa, double ms) {
  double sum = 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(sfa.n); ++k) sum += sfa.q[k] * math::exp(-ms / sfa.tau[k]);
  return sum;
}

void derive(std::size_t steps, const double* values, double h, double* out) {
  const Params& p = *reinterpret_cast<const Params*>(values);
  const double Q = approach(h, p.tau_m), R = p.tau_m / p.C_m, refractory = whole_steps(p.t_ref, h);
  const double P_mex = exp_propagator(p.tau_syn_ex, p.tau_m, p.C_m, h), P_min = exp_propagator(p.tau_syn_in, p.tau_m, p.C_m, h);
  const double far = static_cast<double>(steps) * h;
  Derived d{p.N,
            p.E_L + p.I_e * R,
            Q,
            decay(h, p.tau_m),
            R,
            decay(h, p.tau_syn_ex),
            decay(h, p.tau_syn_in),
            P_mex,
            P_min,
            approach(h, p.tau_syn_ex) * p.tau_syn_ex / h,
            approach(h, p.tau_syn_in) * p.tau_syn_in / h,
            (R * Q - P_mex) * p.tau_syn_ex / h,
            (R * Q - P_min) * p.tau_syn_in / h,
            p.V_reset,
            refractory,
            p.V_T_star,
            1.0 / p.Delta_V,
            p.lambda_0 * 1e-3 * h,
            p.BinoRand,
            {},
            {},
            {}};
  for (std::size_t k = 0; k < static_cast<std::size_t>(p.sfa.n); ++k) {
    d.fall[k] = decay(h, p.sfa.tau[k]);
    d.rise[k] = approach(h, p.sfa.tau[k]) / (p.N * h);
    d.far[k] = p.sfa.q[k] * p.sfa.tau[k] * math::exp(-far / p.sfa.tau[k]);
  }
  *reinterpret_cast<Derived*>(out) = d;
  double* of_age = out + n_fields<Derived>;
  for (std::size_t a = 0; a < steps; ++a) {
    of_age[a] = left(p.sfa, static_cast<double>(a + 1) * h);
    of_age[steps + a] = -p.Delta_V * math::expm1(-of_age[a] / p.Delta_V) / p.N;
  }
}

}  // namespace

ModelInfo model(const std::string& shape) {
  const auto history = std::make_shared<History>();
  const std::size_t steps = history->steps = steps_of(shape);
  ModelInfo info{};
  info.name = "gif_pop_psc_exp";
  info.doc = "Population of generalised integrate-and-fire neurons as one node, which sends as many spikes as its neurons fire.";
  info.receptors = 2;
  info.input = SpikeInput::by_sign;
  info.receptor_names = {"excitatory", "inhibitory"};
  info.parameters.assign(parameters.begin(), parameters.end());
  info.state.assign(states.begin(), states.end());
  constexpr std::array<const char*, columns> names{"_n_", "_m_", "_v_", "_u_", "_l_"};
  for (const char* name : names)
    for (std::size_t k = 0; k < steps; ++k)
      info.state.push_back({history->keep(name + std::to_string(k + 1)), name[1] == 'u' ? "mV" : "", 0.0, "Neurons by their last spike"});
  info.n_derived = n_fields<Derived> + 2 * steps;
  info.derive = [steps](const double* p, double dt, double* d) { derive(steps, p, dt, d); };
  info.check = check;
  info.update = update;
  info.sane.assign(info.state.size(), Range{});
  info.shape = history;
  info.face = {.keys = "len_kernel=-1", .archives = false, .ignores = false};
  info.shaped = model;
  return info;
}

}  // namespace npl::nodes::population
