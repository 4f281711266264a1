// SPDX-License-Identifier: Apache-2.0
/// Symmetric inhibitory plasticity (Vogels, Sprekeler, Zenke, Clopath & Gerstner 2011): pairs in either order potentiate, each presynaptic
/// spike depresses by a constant.
#include <cmath>

#include "synapses/varied_pairs.hpp"

namespace npl::synapses {
namespace {

struct VogelsSprekeler {
  static constexpr int parameters = 6;  ///< with that of the axonal delay
  static constexpr int initial = 6;     ///< K+ at time 0
  double tau_plus, tau_minus, eta, alpha, Wmax;

  NPL_INLINE explicit VogelsSprekeler(const double* p) : tau_plus(p[0]), tau_minus(p[1]), eta(p[2]), alpha(p[3]), Wmax(p[4]) {}
  static void check(const double*) {}
  double largest_weight() const { return std::fabs(Wmax); }
  WeightBounds weight_bounds() const { return WeightBounds::up_to(Wmax); }
  NPL_INLINE double facilitate(double w, double k) const {
    const double size = std::fabs(w) + eta * k;
    return std::copysign(size < largest() ? size : largest(), Wmax);
  }
  NPL_INLINE double depress(double w, double k) const {
    const double size = std::fabs(facilitate(w, k)) - alpha * eta;
    return size > 0.0 ? std::copysign(size, Wmax) : 0.0;
  }

 private:
  NPL_INLINE double largest() const { return std::fabs(Wmax); }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(vogels_sprekeler_synapse,
            with_face<SynapseInfo>(
                pair_synapse<VogelsSprekeler>(
                    "vogels_sprekeler_synapse", "Symmetric spike-timing dependent plasticity with constant depression.",
                    {{"tau", "ms", 20.0, "Time constant of the presynaptic trace", Bound::non_negative},
                     Field{"tau_minus", "ms", 20.0, "Time constant of the postsynaptic trace", Bound::positive}.with(Mark::of_target),
                     {"eta", "", 0.001, "Learning rate"},
                     {"alpha", "", 0.12, "Depression by a presynaptic spike, in units of eta"},
                     {"Wmax", "", 1.0, "Largest weight (its sign is the sign of the weights)"},
                     axonal_field(),
                     initial_trace_field()}),
                {.defaults = "weight=0.5"}))
