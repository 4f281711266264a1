// SPDX-License-Identifier: Apache-2.0
/// iaf_psc_exp that keeps the short-term plasticity of its own output (Tsodyks, Uziel & Markram 2000, eqs. 3 and 4): x recovered, y active
/// resources and u release probability just after its last spike. tsodyks_synapse with the same parameters computes the released amount
/// itself from the same spikes.
#include "model/iaf_psc_exp.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafTum2000 {
  static constexpr const char* name = "iaf_tum_2000";
  static constexpr const char* doc =
      "Leaky integrate-and-fire neuron with exponential currents that keeps the short-term plasticity of its output.";
  static constexpr Face face{.own_synapse = "1=tsodyks_synapse", .second_receptor = true};
  static constexpr int receptors = 2;
  static constexpr bool uniform_loop = true;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    IafPscExp::Params membrane;
    double tau_fac, tau_psc, tau_rec, U;
  };
  static constexpr auto parameters =
      joined(IafPscExp::parameters, std::array{
                                        Field{"tau_fac", "ms", 1000.0, "Time constant of facilitation; 0: none", Bound::non_negative},
                                        Field{"tau_psc", "ms", 2.0, "Time constant of the active resources", Bound::positive},
                                        Field{"tau_rec", "ms", 400.0, "Time constant of recovery", Bound::positive},
                                        Field{"U", "", 0.5, "Share of the recovered resources that a spike releases", Bound::non_negative},
                                    });

  struct State {
    IafPscExp::State membrane;
    double x, y, u, last;
  };
  static constexpr std::size_t advanced = IafPscExp::advanced, free_at = IafPscExp::free_at;
  static constexpr auto state = joined(
      IafPscExp::state, std::array{
                            Field{"x", "", 0.0, "Recovered share after the last spike", Bound::non_negative}.with(Mark::status_only),
                            Field{"y", "", 0.0, "Active share after the last spike", Bound::non_negative}.with(Mark::status_only),
                            Field{"u", "", 0.0, "Release probability after the last spike", Bound::non_negative}.with(Mark::status_only),
                            Field{"_last", "steps", 0.0, "Stamp of the last spike"},
                        });

  struct Derived {
    IafPscExp::Derived membrane;
    double h, tau_fac, tau_psc, tau_rec, U;
  };

  static Forbidden check(const Params& p) {
    if (const Forbidden wrong = IafPscExp::check(p.membrane)) return wrong;
    if (p.U > 1.0) return {"U", p.U, "from 0 to 1"};
    return {};
  }
  static Derived derive(const Params& p, double h) { return {IafPscExp::derive(p.membrane, h), h, p.tau_fac, p.tau_psc, p.tau_rec, p.U}; }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) { IafPscExp::advance(s.membrane, d.membrane, in); }
  NPL_STEP static double held(double V) { return IafPscExp::held(V); }
  NPL_INLINE static bool crossed(const State& s, const Derived& d) { return IafPscExp::crossed(s.membrane, d.membrane); }
  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    const double fired = IafPscExp::fire(s.membrane, d.membrane, in);
    if (fired > 0.0) release(s, d, static_cast<double>(in.step + 1));
    return fired;
  }

 private:
  /// Share of the resources active at the last spike that has recovered after `ms`.
  NPL_STEP static double returned(const Derived& d, double ms, double recovered) {
    if (d.tau_psc == d.tau_rec) return recovered - ms / d.tau_rec * math::exp(-ms / d.tau_rec);
    return (recovered * d.tau_rec + math::expm1(-ms / d.tau_psc) * d.tau_psc) / (d.tau_rec - d.tau_psc);
  }
  NPL_STEP static void release(State& s, const Derived& d, double stamp) {
    const double ms = (stamp - s.last) * d.h, recovered = -math::expm1(-ms / d.tau_rec);
    const double x = s.x + s.y * returned(d, ms, recovered) + (1.0 - s.x - s.y) * recovered, y = s.y * math::exp(-ms / d.tau_psc);
    const double u = d.tau_fac > 0.0 ? s.u * math::exp(-ms / d.tau_fac) : 0.0;
    s.u = u + d.U * (1.0 - u);
    s.x = x - s.u * x;
    s.y = y + s.u * x;
    s.last = stamp;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(iaf_tum_2000, IafTum2000)
