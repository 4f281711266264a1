// SPDX-License-Identifier: Apache-2.0
/// Neuron of Brunel & Wang (2001) that solves the equations of NMDA gating of each of its NMDA synapses, as Wang (1999, 2002) wrote them:
///   ds/dt = alpha x (1 - s) - s / tau_decay, dx/dt = -x / tau_rise, x jumps by 1 at each spike; the conductance is sum w s.
/// The shape is the number of NMDA synapses: each has a receptor of its own, from the third on, whose spikes all have the same weight.
/// Solved by the classical Runge-Kutta method in substeps of at most 0.025 ms; x and the other gates are exact.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "nodes/describe.hpp"
#include "nodes/input_rows.hpp"
#include "nodes/lanes.hpp"
#include "nodes/small_states.hpp"

namespace npl::nodes {
namespace bw_exact {
namespace {

struct Synapses : Shape {
  std::size_t n;
};

constexpr std::array parameters{
    Field{"E_L", "mV", -70.0, "Leak reversal potential"},
    Field{"E_ex", "mV", 0.0, "Excitatory reversal potential"},
    Field{"E_in", "mV", -70.0, "Inhibitory reversal potential"},
    Field{"V_th", "mV", -55.0, "Spike threshold", Bound::not_nan},
    Field{"V_reset", "mV", -60.0, "Potential after a spike"},
    Field{"C_m", "pF", 500.0, "Membrane capacitance", Bound::positive},
    Field{"g_L", "nS", 25.0, "Leak conductance"},
    Field{"t_ref", "ms", 2.0, "Refractory period", Bound::non_negative},
    Field{"tau_AMPA", "ms", 2.0, "Time constant of AMPA", Bound::positive},
    Field{"tau_GABA", "ms", 5.0, "Time constant of GABA", Bound::positive},
    Field{"tau_rise_NMDA", "ms", 2.0, "Rise time constant of NMDA", Bound::positive},
    Field{"tau_decay_NMDA", "ms", 100.0, "Decay time constant of NMDA", Bound::positive},
    Field{"alpha", "1/ms", 0.5, "Rate of opening of NMDA", Bound::positive},
    Field{"conc_Mg2", "mM", 1.0, "Concentration of magnesium", Bound::positive},
    Field{"gsl_error_tol", "", 1e-3, "Of no effect: the substeps are always fine (the name is NEST's)", Bound::positive},
};
struct Params {
  double E_L, E_ex, E_in, V_th, V_reset, C_m, g_L, t_ref, tau_AMPA, tau_GABA, tau_rise, tau_decay, alpha, conc_Mg2, tolerance;
};

constexpr std::array states{
    Field{"V_m", "mV", -70.0, "Membrane potential"},
    Field{"s_AMPA", "nS", 0.0, "Gating of AMPA times weights", Bound::non_negative},
    Field{"s_GABA", "nS", 0.0, "Gating of GABA times weights", Bound::non_negative},
    Field{"s_NMDA", "nS", 0.0, "Gating of NMDA times weights, over all synapses"}.with(Mark::recorded_only),
    Field{"I_AMPA", "pA", 0.0, "AMPA current"}.with(Mark::recorded_only),
    Field{"I_GABA", "pA", 0.0, "GABA current"}.with(Mark::recorded_only),
    Field{"I_NMDA", "pA", 0.0, "NMDA current"}.with(Mark::recorded_only),
    Field{"_free_at", "steps", 0.0, "First step in which V_m is integrated again"},
};
enum { V, AMPA, GABA, NMDA, I_AMPA, I_GABA, I_NMDA, free_at, own };  // then per synapse: x, s, weight
enum { of_x, of_s, of_w, per_synapse };

/// Of a substep h: half and whole decays.
struct Derived {
  double E_L, E_ex, E_in, V_th, V_reset, per_C, g_L, refractory, block, alpha, fall, h, substeps;
  double AMPA_half, AMPA_whole, GABA_half, GABA_whole, x_half, x_whole;
};

Derived derived_of(const Params& p, double dt) {
  const double n = std::ceil(dt / 0.025 - 1e-9), h = dt / n;
  return {p.E_L,
          p.E_ex,
          p.E_in,
          p.V_th,
          p.V_reset,
          1.0 / p.C_m,
          p.g_L,
          whole_steps(p.t_ref, dt),
          p.conc_Mg2 / 3.57,
          p.alpha,
          1.0 / p.tau_decay,
          h,
          n,
          math::exp(-0.5 * h / p.tau_AMPA),
          decay(h, p.tau_AMPA),
          math::exp(-0.5 * h / p.tau_GABA),
          decay(h, p.tau_GABA),
          math::exp(-0.5 * h / p.tau_rise),
          decay(h, p.tau_rise)};
}

constexpr std::size_t lanes = 32;  ///< neurons of a block

struct Block {
  const GroupView* group;
  std::size_t synapses, begin, n;

  double* state(std::size_t k) const { return group->state[k] + begin; }
  double* synapse(std::size_t s, std::size_t k) const { return state(own + s * per_synapse + k); }
  Derived derived(std::size_t i) const {
    Derived d;
    for (std::size_t k = 0; k < n_fields<Derived>; ++k)
      field(d, k) = group->derived ? group->derived[k] : group->derived_columns[k][begin + i];
    return d;
  }
};

/// The sums of weights times gates at the stages of a substep.
using Stages = std::array<std::array<double, lanes>, 4>;

struct Substep {
  NPL_INLINE static void run(const Block* block, const Derived* derived, Stages* sums) {
    const Block& b = *block;
    Stages& S = *sums;
    for (auto& stage : S) std::fill_n(stage.begin(), b.n, 0.0);
    for (std::size_t k = 0; k < b.synapses; ++k) {
      double *x = b.synapse(k, of_x), *s = b.synapse(k, of_s);
      const double* w = b.synapse(k, of_w);
      NPL_IVDEP
      for (std::size_t i = 0; i < b.n; ++i) {
        const Derived& d = derived[i];
        const double open0 = d.alpha * x[i], open1 = open0 * d.x_half, open2 = open0 * d.x_whole;
        const double k1 = open0 - (open0 + d.fall) * s[i], s2 = s[i] + 0.5 * d.h * k1;
        const double k2 = open1 - (open1 + d.fall) * s2, s3 = s[i] + 0.5 * d.h * k2;
        const double k3 = open1 - (open1 + d.fall) * s3, s4 = s[i] + d.h * k3;
        const double k4 = open2 - (open2 + d.fall) * s4;
        S[0][i] += w[i] * s[i], S[1][i] += w[i] * s2, S[2][i] += w[i] * s3, S[3][i] += w[i] * s4;
        s[i] = flushed(s[i] + d.h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)), x[i] = flushed(x[i] * d.x_whole);
      }
    }
    potentials(b, derived, S);
  }

 private:
  NPL_INLINE static double slope(double v, double ampa, double gaba, double nmda, const Derived& d, double current) {
    return (current - d.g_L * (v - d.E_L) - ampa * (v - d.E_ex) - gaba * (v - d.E_in) -
            nmda * (v - d.E_ex) / (1.0 + d.block * math::exp(-0.062 * v))) *
           d.per_C;
  }
  NPL_INLINE static void potentials(const Block& b, const Derived* derived, const Stages& S) {
    double *v = b.state(V), *ampa = b.state(AMPA), *gaba = b.state(GABA);
    for (std::size_t i = 0; i < b.n; ++i) {
      const Derived& d = derived[i];
      const double current = b.group->current ? b.group->current[b.begin + i] : 0.0;
      const double a1 = ampa[i] * d.AMPA_half, a2 = ampa[i] * d.AMPA_whole, g1 = gaba[i] * d.GABA_half, g2 = gaba[i] * d.GABA_whole;
      const double k1 = slope(v[i], ampa[i], gaba[i], S[0][i], d, current);
      const double k2 = slope(v[i] + 0.5 * d.h * k1, a1, g1, S[1][i], d, current);
      const double k3 = slope(v[i] + 0.5 * d.h * k2, a1, g1, S[2][i], d, current);
      const double k4 = slope(v[i] + d.h * k3, a2, g2, S[3][i], d, current);
      v[i] += d.h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
      ampa[i] = flushed(a2), gaba[i] = flushed(g2);
    }
  }
};

double taken(const Block& b, std::size_t receptor, std::size_t i) {
  Fixed& sum = b.group->input[receptor][b.begin + i];
  const double value = fixed_to_double(sum) * b.group->input_scale[receptor];
  sum = 0;
  return value;
}

/// Spikes that arrive at the end of the step. Other weights than that of before make x not a number: the run ends with an error.
void arrive(const Block& b, std::size_t i) {
  b.state(AMPA)[i] += taken(b, 0, i), b.state(GABA)[i] += taken(b, 1, i);
  for (std::size_t k = 0; k < b.synapses; ++k) {
    const double sum = taken(b, 2 + k, i);
    if (sum == 0.0) continue;
    double& w = b.synapse(k, of_w)[i];
    if (w == 0.0) w = sum;
    const double spikes = std::round(sum / w);
    const bool same = spikes >= 1.0 && std::abs(sum - spikes * w) <= 1e-6 * std::abs(w);
    b.synapse(k, of_x)[i] += same ? spikes : std::numeric_limits<double>::quiet_NaN();
  }
}

void finish(const Block& b, const Derived* derived) {
  const auto now = static_cast<double>(b.group->step);
  for (std::size_t i = 0; i < b.n; ++i) {
    const Derived& d = derived[i];
    double &v = b.state(V)[i], &nmda = b.state(NMDA)[i];
    nmda = 0.0;
    for (std::size_t k = 0; k < b.synapses; ++k) nmda += b.synapse(k, of_w)[i] * b.synapse(k, of_s)[i];
    b.state(I_AMPA)[i] = b.state(AMPA)[i] * (v - d.E_ex), b.state(I_GABA)[i] = b.state(GABA)[i] * (v - d.E_in);
    b.state(I_NMDA)[i] = nmda * (v - d.E_ex) / (1.0 + d.block * math::exp(-0.062 * v));
    if (now < b.state(free_at)[i]) v = d.V_reset;
    if (v >= d.V_th) {
      v = d.V_reset, b.state(free_at)[i] = now + 1.0 + d.refractory;
      b.group->emit(b.begin + i);
    }
    arrive(b, i);
  }
}

void update(const GroupView& g) {
  Stages sums;
  std::array<Derived, lanes> derived;
  for (std::size_t begin = 0; begin < g.n; begin += lanes) {
    const Block block{&g, static_cast<const Synapses&>(*g.shape).n, begin, std::min(lanes, g.n - begin)};
    for (std::size_t i = 0; i < block.n; ++i) derived[i] = block.derived(i);
    for (double k = 0.0; k < derived[0].substeps; ++k) Dispatch<Substep>::run(&block, std::as_const(derived).data(), &sums);
    finish(block, derived.data());
  }
}

std::size_t synapses_of(const std::string& text) {
  constexpr std::size_t most = most_receptors - 2;
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n > most)
    throw BadParameter("shape", text, "a number of NMDA synapses from 0 to " + std::to_string(most));
  return n;
}

void check(const double* values) {
  const Params& p = *reinterpret_cast<const Params*>(values);
  if (p.V_reset >= p.V_th) throw BadParameter("V_reset", p.V_reset, "below V_th");
}

ModelInfo model(const std::string& shape) {
  const auto synapses = std::make_shared<Synapses>();
  synapses->n = synapses_of(shape);
  ModelInfo info{};
  info.name = "iaf_bw_2001_exact";
  info.doc =
      "Leaky integrate-and-fire neuron of Brunel & Wang; receptors 1 AMPA, 2 GABA, 3 and following: one NMDA synapse each, with gating of "
      "its own; a weight is a conductance.";
  info.receptors = static_cast<int>(2 + synapses->n);
  info.input = SpikeInput::ports;
  info.parameters.assign(parameters.begin(), parameters.end());
  info.state.assign(states.begin(), states.end());
  for (std::size_t k = 1; k <= synapses->n; ++k) {
    const std::string number = std::to_string(k);
    info.state.push_back({synapses->keep("_x_" + number), "", 0.0, "Rise of the gate"});
    info.state.push_back({synapses->keep("_s_" + number), "", 0.0, "Gate of the synapse"});
    info.state.push_back(
        Field{synapses->keep("w_NMDA_" + number), "nS", 0.0, "Weight of its spikes; 0: that of the first one"}.with(Mark::hidden));
  }
  info.n_derived = n_fields<Derived>;
  info.derive = [](const double* p, double dt, double* out) {
    *reinterpret_cast<Derived*>(out) = derived_of(*reinterpret_cast<const Params*>(p), dt);
  };
  info.check = check;
  info.update = update;
  info.sane.assign(info.state.size(), Range{});
  info.sane[V] = sane_potential;
  info.face = {.receptors = "AMPA GABA NMDA", .receptors_from_1 = true, .off_grid = true};
  info.shape = synapses;
  info.shaped = model;
  return info;
}

}  // namespace
}  // namespace bw_exact

}  // namespace npl::nodes

NPL_MODEL(iaf_bw_2001_exact, bw_exact::Derived, bw_exact::model("1"))
