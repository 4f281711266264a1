// SPDX-License-Identifier: Apache-2.0
/// Neurons that are trees of compartments (Wybo et al. 2021, doi:10.7554/eLife.60936). A shape is "parents;receptors", such as
/// "-1,0,0;0:AMPA,2:GABA": the parent of each compartment, -1 of the root, which comes first; compartment and kind of each receptor.
///
/// Compartment i with parent p and children c:
///   C_m dv_i/dt = g_L (e_L - v_i) + g_C,i (v_p - v_i) + sum_c g_C,c (v_c - v_i) + gbar_Na m^3 h (e_Na - v_i) + gbar_K n (e_K - v_i)
///                 + receptors + current
/// The gates are those of Mainen & Sejnowski (1996): x' = (x_inf(v) - x) / tau_x(v), in compartments_step.cpp. A receptor has
/// g = g_r + g_d; at a spike both jump by the weight, with opposite signs, times a factor such that g rises to the weight, and decay with
/// tau_r and tau_d;
/// NMDA has the current g B(v) (e - v) with B = 1 / (1 + 0.3 exp(-0.1 v)).
///
/// A step: gates move to its end with the rates at its beginning (exact for a constant v); conductances move to its end, where spikes are
/// added; then v by the trapezoidal rule with these, linearised around v at the beginning: (C_m / h - J / 2) dv = I(v), J = dI / dv. The
/// tree is solved by elimination from the leaves (Hines 1984), in order of the numbers of the compartments. A spike is sent when v of the
/// root passes V_th from below; there is no reset.
#pragma once
#include <string>
#include <vector>

#include "nodes/model.hpp"

namespace npl::nodes::compartments {

enum class Kind { AMPA, GABA, NMDA, AMPA_NMDA };

struct Receptor {
  std::size_t compartment;
  Kind kind;
  std::size_t parameter, state, derived;  ///< index of its first one
};

struct Tree : Shape {
  std::vector<std::size_t> parent;  ///< [compartments]; of the root: 0
  std::vector<Receptor> receptors;
};

// Places of compartment c in parameters, state and derived values: at + c * each.
struct OfParameters {
  static constexpr std::size_t V_th = 0, at = 1, each = 8;
  enum { C_m, g_C, g_L, e_L, gbar_Na, e_Na, gbar_K, e_K };
};
struct OfState {
  static constexpr std::size_t at = 0, each = 4;
  enum { v, m, h, n };
};
/// Of receptors: e, then per conductance decay of g_r, decay of g_d, jump; last NMDA_ratio.
struct OfDerived {
  static constexpr std::size_t V_th = 0, dt = 1, at = 2, each = 8;
  enum { diagonal, g_C, g_L, e_L, gbar_Na, e_Na, gbar_K, e_K };
};
inline constexpr double least_channel = 1e-9;  ///< of gbar: below, gates stand still and no current flows

/// The model of this shape. Throws BadParameter.
ModelInfo model(const std::string& shape);

/// One step.
void update(const GroupView& g);

}  // namespace npl::nodes::compartments
