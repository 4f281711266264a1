// SPDX-License-Identifier: Apache-2.0
#include "model/step.hpp"

namespace npl::model {

/// Calcium in cytosol and endoplasmic reticulum (Li & Rinzel 1994, J Theor Biol 166:461), IP3 that spikes of glutamatergic synapses make
/// (Nadkarni & Jung 2003, Phys Rev Lett 91:268101), and the slow inward current that follows from calcium: the logarithm of its excess
/// over a threshold in nM.
struct AstrocyteLr1994 {
  static constexpr const char* name = "astrocyte_lr_1994";
  static constexpr const char* doc = "Astrocyte: calcium dynamics driven by IP3; sends slow inward currents along sic_connection.";
  static constexpr Face face{.not_default = "frozen", .archives = false, .ignores = false, .silent = true};
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    double Ca_tot, IP3_0, Kd_IP3_1, Kd_IP3_2, Kd_act, Kd_inh, Km_SERCA, SIC_scale, SIC_th, delta_IP3, k_IP3R, rate_IP3R, rate_L, rate_SERCA,
        ratio_ER_cyt, tau_IP3;
  };
  static constexpr std::array parameters{
      Field{"Ca_tot", "uM", 2.0, "Free calcium in all, per volume of the cytosol", Bound::positive},
      Field{"IP3_0", "uM", 0.16, "IP3 at rest", Bound::non_negative},
      Field{"Kd_IP3_1", "uM", 0.13, "First dissociation constant of IP3 from its receptor", Bound::positive},
      Field{"Kd_IP3_2", "uM", 0.9434, "Second dissociation constant of IP3", Bound::positive},
      Field{"Kd_act", "uM", 0.08234, "Dissociation constant of calcium that activates the receptor", Bound::positive},
      Field{"Kd_inh", "uM", 1.049, "Dissociation constant of calcium that inhibits it", Bound::non_negative},
      Field{"Km_SERCA", "uM", 0.1, "Calcium at half the largest rate of the pump", Bound::positive},
      Field{"SIC_scale", "", 1.0, "Factor of the slow inward current", Bound::positive},
      Field{"SIC_th", "uM", 0.19669, "Calcium above which there is such a current", Bound::non_negative},
      Field{"delta_IP3", "uM", 0.0002, "IP3 that a spike of weight 1 makes", Bound::non_negative},
      Field{"k_IP3R", "1/(uM ms)", 0.0002, "Binding rate of calcium that inhibits the receptor", Bound::non_negative},
      Field{"rate_IP3R", "1/ms", 0.006, "Largest rate of release through the receptors", Bound::non_negative},
      Field{"rate_L", "1/ms", 0.00011, "Rate of the leak into the cytosol", Bound::non_negative},
      Field{"rate_SERCA", "uM/ms", 0.0009, "Largest rate of the pump", Bound::non_negative},
      Field{"ratio_ER_cyt", "", 0.185, "Volume of the reticulum over that of the cytosol", Bound::positive},
      Field{"tau_IP3", "ms", 7142.0, "Time constant of IP3", Bound::positive},
  };

  struct State {
    double IP3, Ca, h_IP3R, sic, h;
  };
  static constexpr std::array state{
      Field{"IP3", "uM", 0.16, "IP3 in the cytosol", Bound::non_negative},
      Field{"Ca_astro", "uM", 0.073, "Calcium in the cytosol", Bound::non_negative},
      Field{"h_IP3R", "", 0.793, "Share of receptors that calcium does not inhibit", Bound::non_negative},
      Field{"_sic", "pA", 0.0, "Slow inward current that is sent"},
      Field{"_h", "ms", 0.0, "Next substep to try"},
  };
  /// Spikes of negative weight would take IP3 away that is not there.
  static constexpr std::array sane{SaneRange{"IP3", {-1e-6, 1e6}}, SaneRange{"h_IP3R", {-1e-3, 1.0 + 1e-3}}};

  struct Derived {
    double dt, Ca_tot, IP3_0, Kd_IP3_1, Kd_IP3_2, Kd_act, Kd_inh, Km_square, SIC_scale, SIC_th, delta_IP3, k_IP3R, rate_IP3R, rate_L,
        rate_SERCA, ratio, per_tau;
  };
  static Derived derive(const Params& p, double h) {
    return {h,        p.Ca_tot,    p.IP3_0,  p.Kd_IP3_1,  p.Kd_IP3_2, p.Kd_act,     p.Kd_inh,       p.Km_SERCA * p.Km_SERCA, p.SIC_scale,
            p.SIC_th, p.delta_IP3, p.k_IP3R, p.rate_IP3R, p.rate_L,   p.rate_SERCA, p.ratio_ER_cyt, 1.0 / p.tau_IP3};
  }

  static constexpr std::size_t n_ode = 3;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-8; }

  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const double IP3 = y[0], Ca = y[1] < 0.0 ? 0.0 : (y[1] > d.Ca_tot ? d.Ca_tot : y[1]), h = y[2];
    const double m = IP3 / (IP3 + d.Kd_IP3_1), n = Ca / (Ca + d.Kd_act), gate = m * n * h;
    const double excess = d.Ca_tot - Ca - d.ratio * Ca;  // of the reticulum over the cytosol, times the ratio of volumes
    const double released = (d.rate_IP3R * (gate * gate * gate) + d.rate_L) * excess;
    const double pumped = d.rate_SERCA * (Ca * Ca) / (d.Km_square + Ca * Ca);
    const double opening = d.k_IP3R * d.Kd_inh * (IP3 + d.Kd_IP3_1) / (IP3 + d.Kd_IP3_2);
    return {(d.IP3_0 - IP3) * d.per_tau, released - pumped + current, opening * (1.0 - h) - d.k_IP3R * Ca * h};
  }

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    s.IP3 += d.delta_IP3 * in.spikes[0];
    const double excess = 1e3 * (s.Ca - d.SIC_th);  // [nM]
    s.sic = excess > 1.0 ? d.SIC_scale * math::log(excess) : 0.0;
    return 0.0;
  }
  static ContinuousInfo continuous() { return {{{"sic", 3, 3}}, {}, true}; }
};

}  // namespace npl::model

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(astrocyte_lr_1994, AstrocyteLr1994)
