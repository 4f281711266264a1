// SPDX-License-Identifier: Apache-2.0
/// Neurons with gap junctions (Hahne et al. 2015, Front Neuroinform 9:22): to the current of a membrane comes sum of g_j (V_j(t) - V); the
/// potentials V_j follow polynomials within the step. Time within the step is a further variable of the integration, which is exact for
/// it.
#pragma once
#include <array>

#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

/// @tparam B a neuron that is integrated by rkf45.hpp: the first n_ode fields of its State are integrated, V_m first; V_before, refractory
/// and h follow; its rhs does not look at the State
template <class B>
struct Gap {
  static constexpr int receptors = B::receptors;
  static constexpr SpikeInput input = B::input;
  using Params = typename B::Params;
  static constexpr auto parameters = B::parameters;
  using Derived = typename B::Derived;
  static Derived derive(const Params& p, double h) { return B::derive(p, h); }

  static constexpr std::size_t n_membrane = B::n_ode, n_ode = n_membrane + 1;
  using Vars = std::array<double, n_ode>;
  struct State {
    std::array<double, n_membrane> membrane;
    double x;                       ///< time within the step, from 0 to 1
    double g, c0, c1, c2, c3;       ///< of the gap junctions: see Taken::interpolated
    double slope_begin, slope_end;  ///< of V_m in the step done [mV per step]
    double V_before, refractory, h;
  };
  static constexpr std::size_t at_x = n_membrane, at_g = n_membrane + 1, at_slopes = n_membrane + 6;
  static constexpr auto state = joined(joined(part_of<0, n_membrane>(B::state),
                                              std::array{
                                                  Field{"_x", "", 0.0, "Time within the step"},
                                                  Field{"_junctions", "nS", 0.0, "Sum of the conductances of gap junctions"},
                                                  Field{"_c0", "pA", 0.0, "Polynomial of the potentials beyond them"},
                                                  Field{"_c1", "pA", 0.0, "Its linear part"},
                                                  Field{"_c2", "pA", 0.0, "Its quadratic part"},
                                                  Field{"_c3", "pA", 0.0, "Its cubic part"},
                                                  Field{"_slope_begin", "mV", 0.0, "Slope of V_m at the beginning of the step"},
                                                  Field{"_slope_end", "mV", 0.0, "Slope of V_m at its end"},
                                              }),
                                       part_of<n_membrane, 3>(B::state));

  NPL_INLINE static double tolerance(const Derived& d) { return B::tolerance(d); }
  NPL_INLINE static Vars rhs(const Vars& y, const State& s, const Derived& d, double current) {
    const double x = y[n_membrane], V = y[0];
    const double I = (s.c0 + x * (s.c1 + x * (s.c2 + x * s.c3))) - s.g * V;
    const auto slopes = B::rhs(part_of<0, n_membrane>(y), {}, d, current + I);
    return [&]<std::size_t... I>(std::index_sequence<I...>)
               NPL_INLINE_LAMBDA { return Vars{slopes[I]..., 1.0 / d.dt}; }(std::make_index_sequence<n_membrane>{});
  }
  NPL_INLINE static void begin(State& s) { s.V_before = s.membrane[0]; }
  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    typename B::State b{};
    for (std::size_t k = 0; k < n_membrane; ++k) field(b, k) = s.membrane[k];
    b.V_before = s.V_before, b.refractory = s.refractory;
    const double fired = B::finish(b, d, in);
    for (std::size_t k = 0; k < n_membrane; ++k) s.membrane[k] = field(b, k);
    s.refractory = b.refractory;
    return fired;
  }
  static ContinuousInfo continuous() {
    return {{{"potential", 0, 0, {at_slopes, at_slopes + 1}}}, {{.what = "potential", .interpolated = true}}, true};
  }
};

}  // namespace npl::model
