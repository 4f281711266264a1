// SPDX-License-Identifier: Apache-2.0
/// Populations of generalised integrate-and-fire neurons as one node each (Schwalger, Deger & Gerstner 2017,
/// doi:10.1371/journal.pcbi.1005507, "Algorithm 1"). A shape is the number of steps K that the history has: neurons whose last spike is
/// longer ago are free, all alike.
///
/// Neurons are told apart by the time since their last spike. Of those a steps old (those that fired then: n_a) are known: the expected
/// number m_a of survivors and its variance v_a, their potential u_a, and their hazard l_a; of the free ones x, z, V_m and l. Within a step
///   u, V_m:  tau_m du/dt = E_L - u + tau_m / C_m (I_e + I_syn), spikes that arrive in it spread over it
///   theta_a = E_sfa + sum_k q_k exp(-a h / tau_k) + 1 / N sum_{b > a} D_b n_b,
///   D_b = Delta_V (1 - exp(-sum_k q_k exp(-b h / tau_k) / Delta_V))
///   l = lambda_0 exp((u - theta) / Delta_V), P = 1 - exp(-h (l before + l) / 2)
///   mean = sum_a P_a m_a + P x + L (N - sum_a m_a - x),  L = (sum_a P_a v_a + P z) / (sum_a v_a + z)
///   n: binomial of N trials with this mean; or Poisson, at most N
///   v <- (1 - P)^2 v + P m, m <- (1 - P) m
/// and E_sfa = V_T_star + sum_k q_k tau_k exp(-K h / tau_k) g_k, tau_k dg_k/dt = n_K / (N h) - g_k. At first all neurons have just fired.
#pragma once
#include <string>
#include <vector>

#include "model/spike_history.hpp"
#include "nodes/model.hpp"

namespace npl::nodes::population {

struct History : Shape {
  std::size_t steps;
};

struct Params {
  double N, E_L, C_m, tau_m, t_ref, V_reset, I_e, tau_syn_ex, tau_syn_in, V_T_star, Delta_V, lambda_0, BinoRand;
  nodes::History::Params sfa;
};
/// The first ones; then n, m, v, u, l of each step of the history, in a ring: that of step s is at s mod K.
struct State {
  double V_m, I_syn_ex, I_syn_in, E_sfa, mean, n_events, x, z, l, begun;
  PerKernel g;
};
/// The first ones; then for ages from 1 step: sum_k q_k exp(-a h / tau_k), and D_a / N.
struct Derived {
  double N, V_inf, Q, P, R, P_ex, P_in, P_mex, P_min, in_ex, in_in, onto_ex, onto_in;  ///< in_, onto_: of a spike within the step
  double V_reset, refractory, V_T_star, per_Delta_V, expected, binomial;
  PerKernel fall, rise, far;
};
enum Column { n, m, v, u, l, columns };

/// The model of this shape. Throws BadParameter.
ModelInfo model(const std::string& shape);

/// One step.
void update(const GroupView& g);

}  // namespace npl::nodes::population
