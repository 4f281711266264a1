// SPDX-License-Identifier: Apache-2.0
/// A step of populations: ages are handled in pieces, from the oldest on, since thresholds need the spikes that were before.
#include <algorithm>
#include <limits>

#include "base/math.hpp"
#include "model/random_step.hpp"
#include "nodes/input_rows.hpp"
#include "nodes/lanes.hpp"
#include "nodes/population.hpp"
#include "nodes/small_states.hpp"
#include "rng/distribution.hpp"

namespace npl::nodes::population {
namespace {

constexpr std::size_t piece = 64;  ///< ages

/// What the neurons add to the expected number of spikes.
struct Sums {
  double X = 0.0, Z = 0.0, W = 0.0, Y = 0.0;  ///< of m, v, P m, P v
  NPL_INLINE void add(double P, double m, double v) { X += m, Z += v, W += P * m, Y += P * v; }
};

/// The populations of a group and their shared shape.
struct Populations {
  const GroupView* group;
  std::size_t steps;

  double& own(std::size_t k, std::size_t i) const { return group->state[k][i]; }
  double& at(Column c, std::size_t slot, std::size_t i) const { return group->state[n_fields<State> + c * steps + slot][i]; }
  double derived(std::size_t k, std::size_t i) const { return group->derived ? group->derived[k] : group->derived_columns[k][i]; }
  template <class T>
  T read(double (Populations::*get)(std::size_t, std::size_t) const, std::size_t i) const {
    T values;
    for (std::size_t k = 0; k < n_fields<T>; ++k) field(values, k) = (this->*get)(k, i);
    return values;
  }
  double own_value(std::size_t k, std::size_t i) const { return own(k, i); }
};

/// Neurons of some ages.
struct Ages {
  alignas(64) double n[piece], m[piece], v[piece], u[piece], l[piece], threshold[piece], P[piece];
};

struct Drive {
  double fall, rise, expected, per_Delta_V;  ///< potentials: u <- u fall + rise
};

/// Potential, hazard and probability of a spike of neurons that are not refractory.
struct Advance {
  NPL_INLINE static void run(Ages* ages, const Drive* drive, std::size_t n) {
    Ages& a = *ages;
    const Drive d = *drive;
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      a.u[k] = a.u[k] * d.fall + d.rise;
      const double hazard = d.expected * math::exp((a.u[k] - a.threshold[k]) * d.per_Delta_V);
      a.P[k] = -math::expm1(-0.5 * (hazard + a.l[k]));
      a.l[k] = hazard;
    }
  }
};

NPL_INLINE double survive(double& m, double& v, double P) {
  const double fired = P * m, stay = 1.0 - P;
  v = flushed(stay * stay * v + fired), m = flushed(m - fired);
  return fired;
}

class Update {
 public:
  Update(const Populations& all, std::size_t i)
      : all_(all),
        i_(i),
        K_(all.steps),
        s_(all.read<State>(&Populations::own_value, i)),
        d_(all.read<Derived>(&Populations::derived, i)),
        oldest_(static_cast<std::size_t>(all.group->step) % K_) {}

  void run() {
    if (s_.begun == 0.0) begin();
    const double old = all_.at(n, oldest_, i_);  // of the oldest ages: K steps ago
    const Drive drive{d_.P, integrate(), d_.expected, d_.per_Delta_V};
    s_.E_sfa = d_.V_T_star;
    for (std::size_t k = 0; k < kernels; ++k) {
      s_.g[k] = flushed(s_.g[k] * d_.fall[k] + d_.rise[k] * old);
      s_.E_sfa += d_.far[k] * s_.g[k];
    }
    free();
    history(drive);
    finish();
    for (std::size_t k = 0; k < n_fields<State>; ++k) all_.own(k, i_) = field(s_, k);
  }

 private:
  std::size_t slot(std::size_t age_from_oldest) const {
    const std::size_t at = oldest_ + age_from_oldest;
    return at < K_ ? at : at - K_;
  }
  void begin() {
    const std::size_t last = slot(K_ - 1);
    all_.at(n, last, i_) = all_.at(m, last, i_) = d_.N, all_.at(u, last, i_) = d_.V_reset;
    s_.begun = 1.0;
  }
  double spikes(std::size_t r) const {
    const double sum = fixed_to_double(all_.group->input[r][i_]) * all_.group->input_scale[r];
    all_.group->input[r][i_] = 0;
    return sum;
  }
  /// Currents and the potential of free neurons; returns what is added to all potentials.
  double integrate() {
    const double ex = spikes(0), in = spikes(1), current = all_.group->current ? all_.group->current[i_] : 0.0;
    const double rise =
        (d_.V_inf + current * d_.R) * d_.Q + (s_.I_syn_ex * d_.P_mex + s_.I_syn_in * d_.P_min) + (ex * d_.onto_ex + in * d_.onto_in);
    s_.I_syn_ex = flushed(s_.I_syn_ex * d_.P_ex + ex * d_.in_ex), s_.I_syn_in = flushed(s_.I_syn_in * d_.P_in + in * d_.in_in);
    s_.V_m = s_.V_m * d_.P + rise;
    if (!(d_.refractory < static_cast<double>(K_))) s_.V_m = std::numeric_limits<double>::quiet_NaN();  // too short a history: an error
    return rise;
  }
  void free() {
    const double hazard = d_.expected * math::exp((s_.V_m - s_.E_sfa) * d_.per_Delta_V), P = -math::expm1(-0.5 * (hazard + s_.l));
    s_.l = hazard;
    sums_.add(P, s_.x, s_.z);
    survive(s_.x, s_.z, P);
  }
  /// From the oldest to the youngest; the oldest join the free ones.
  void history(const Drive& drive) {
    const auto resting = static_cast<std::size_t>(d_.refractory);
    const std::size_t active = K_ > resting ? K_ - resting : 0;
    double before = 0.0;  // threshold by the spikes before those of this age
    for (std::size_t begin = 0; begin < active; begin += piece) {
      const std::size_t count = std::min(piece, active - begin);
      load(begin, count, before);
      Dispatch<Advance>::run(&ages_, &drive, count);
      for (std::size_t k = 0; k < count; ++k) sums_.add(ages_.P[k], ages_.m[k], ages_.v[k]), survive(ages_.m[k], ages_.v[k], ages_.P[k]);
      store(begin, count);
    }
    for (std::size_t k = active; k < K_; ++k) sums_.X += all_.at(m, slot(k), i_);
    s_.x += all_.at(m, oldest_, i_), s_.z += all_.at(v, oldest_, i_);
  }
  void load(std::size_t begin, std::size_t count, double& before) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = slot(begin + k), age = K_ - 1 - begin - k;
      const double fired = all_.at(n, at, i_);
      ages_.m[k] = all_.at(m, at, i_), ages_.v[k] = all_.at(v, at, i_), ages_.u[k] = all_.at(u, at, i_), ages_.l[k] = all_.at(l, at, i_);
      ages_.threshold[k] = s_.E_sfa + all_.derived(n_fields<Derived> + age, i_) + before;
      before += all_.derived(n_fields<Derived> + K_ + age, i_) * fired;
    }
  }
  void store(std::size_t begin, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = slot(begin + k);
      all_.at(m, at, i_) = ages_.m[k], all_.at(v, at, i_) = ages_.v[k], all_.at(u, at, i_) = ages_.u[k], all_.at(l, at, i_) = ages_.l[k];
    }
  }
  void finish() {
    const double L = sums_.Z > 0.0 ? sums_.Y / sums_.Z : 0.0;
    s_.mean = sums_.W + L * (d_.N - sums_.X);
    s_.n_events = drawn(std::clamp(s_.mean, 0.0, d_.N));
    all_.at(n, oldest_, i_) = all_.at(m, oldest_, i_) = s_.n_events;
    all_.at(v, oldest_, i_) = all_.at(l, oldest_, i_) = 0.0, all_.at(u, oldest_, i_) = d_.V_reset;
    for (double k = 0.0; k < s_.n_events; ++k) all_.group->emit(i_);
  }
  double drawn(double mean) const {
    constexpr std::uint64_t id = 0x67706f70u;   // "gpop": no other use of Purpose::model has it
    constexpr std::uint64_t many = 1ull << 44;  // trials: binomial numbers of so many are Poisson numbers
    if (!(mean > 0.0)) return 0.0;
    const GroupView& g = *all_.group;
    const double uniform = uniform_of_step(g.seed, id, (*g.nodes)[static_cast<std::int64_t>(i_)], g.step);
    if (d_.binomial != 0.0) return static_cast<double>(rng::binomial(static_cast<std::uint64_t>(d_.N), mean / d_.N, uniform));
    return std::min(d_.N, static_cast<double>(rng::binomial(many, mean / static_cast<double>(many), uniform)));
  }

  const Populations& all_;
  const std::size_t i_, K_;
  State s_;
  const Derived d_;
  const std::size_t oldest_;  ///< slot of those that fired K steps ago, which becomes that of this step
  Sums sums_;
  Ages ages_;
};

}  // namespace

void update(const GroupView& g) {
  const Populations all{&g, static_cast<const History&>(*g.shape).steps};
  for (std::size_t i = 0; i < g.n; ++i) Update(all, i).run();
}

}  // namespace npl::nodes::population
