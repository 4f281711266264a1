// SPDX-License-Identifier: Apache-2.0
/// A step of neurons with compartments: the same operations for all neurons of a block, side by side.
#include <algorithm>
#include <vector>

#include "base/math.hpp"
#include "nodes/compartments.hpp"
#include "nodes/input_rows.hpp"
#include "nodes/small_states.hpp"

namespace npl::nodes::compartments {
namespace {

constexpr std::size_t lanes = 64;  ///< neurons of a block

/// The neurons of a block, and room for their equations.
struct Block {
  const Tree* tree;
  const GroupView* group;
  std::size_t begin, n;
  double* diagonal;  ///< [compartments][lanes] C_m / h - J / 2
  double* current;   ///< [compartments][lanes] I(v), then dv
  double* crossed;   ///< [lanes] 1: the root has crossed V_th

  double* state(std::size_t k) const { return group->state[k] + begin; }
  double* v(std::size_t c) const { return state(OfState::at + c * OfState::each); }
};

/// A derived value, equal for all neurons or not.
template <bool Uniform>
struct Value {
  double value = 0.0;
  const double* column = nullptr;
  Value(const Block& b, std::size_t k) {
    if constexpr (Uniform)
      value = b.group->derived[k];
    else
      column = b.group->derived_columns[k] + b.begin;
  }
  NPL_INLINE double operator[](std::size_t i) const { return Uniform ? value : column[i]; }
};

/// u / (1 - exp(-u)), 1 at 0, as a fraction: divisions take longest here.
struct Ramp {
  double top, gap;
};
NPL_INLINE Ramp ramp(double u) {
  const double size = math::detail::abs(u), fall = math::expm1(-size);
  const double top = math::choose(u > 0.0, size, size * (1.0 + fall));
  return {math::choose(size == 0.0, 1.0, top), math::choose(size == 0.0, 1.0, -fall)};
}

/// Where a gate goes, and how fast [1/ms], that opens with the rate a ramp(u) and closes with b ramp(-u).
struct Gate {
  double target, rate;
};
NPL_INLINE Gate gate(double u, double a, double b) {
  const double size = math::detail::abs(u), fall = math::expm1(-size), other = 1.0 + fall;
  const double larger = math::choose(size == 0.0, 1.0, size / math::choose(size == 0.0, 1.0, -fall));  // of ramp(u) and ramp(-u)
  const double opens = a * math::choose(u > 0.0, 1.0, other), closes = b * math::choose(u > 0.0, other, 1.0);
  return {opens / (opens + closes), larger * (opens + closes)};
}

/// A gate after dt with opening rate a and closing rate b [1/ms], relative to where it goes.
constexpr double warm = 3.21;  ///< rates at 36 degrees relative to those measured
NPL_INLINE double moved(double x, double target, double rate, double dt) { return x - (target - x) * math::expm1(-dt * warm * rate); }

template <bool Uniform>
struct Step {
  using D = OfDerived;
  static constexpr std::size_t place(std::size_t c, std::size_t k) { return D::at + c * D::each + k; }

  NPL_INLINE static void passive(const Block& b, std::size_t c) {
    const Value<Uniform> diagonal(b, place(c, D::diagonal)), g_L(b, place(c, D::g_L)), e_L(b, place(c, D::e_L));
    const double* v = b.v(c);
    double *A = b.diagonal + c * lanes, *I = b.current + c * lanes;
    NPL_IVDEP
    for (std::size_t i = 0; i < b.n; ++i) {
      A[i] = diagonal[i];
      I[i] = g_L[i] * (e_L[i] - v[i]) + 0.0;  // never -0: what is skipped below would change it
    }
  }

  NPL_INLINE static void couple(const Block& b, std::size_t c) {
    const Value<Uniform> g_C(b, place(c, D::g_C));
    const std::size_t p = b.tree->parent[c];
    const double *v = b.v(c), *parent = b.v(p);
    double *I = b.current + c * lanes, *up = b.current + p * lanes;
    NPL_IVDEP
    for (std::size_t i = 0; i < b.n; ++i) {
      const double flow = g_C[i] * (v[i] - parent[i]);
      I[i] -= flow, up[i] += flow;
    }
  }

  NPL_INLINE static bool any_channel(const Value<Uniform>& gbar, std::size_t n) {
    if constexpr (Uniform) return gbar.value > least_channel;
    return std::any_of(gbar.column, gbar.column + n, [](double g) { return g > least_channel; });
  }

  NPL_INLINE static void sodium(const Block& b, std::size_t c) {
    const Value<Uniform> gbar(b, place(c, D::gbar_Na)), e(b, place(c, D::e_Na)), dt(b, D::dt);
    if (!any_channel(gbar, b.n)) return;
    const double* v = b.v(c);
    double *m = b.state(c * OfState::each + OfState::m), *h = b.state(c * OfState::each + OfState::h);
    double *A = b.diagonal + c * lanes, *I = b.current + c * lanes;
    NPL_IVDEP
    for (std::size_t i = 0; i < b.n; ++i) {
      const bool open = gbar[i] > least_channel;
      const Gate to = gate((v[i] + 35.013) * (1.0 / 9.0), 0.182 * 9.0, 0.124 * 9.0);
      const Ramp opens = ramp((v[i] + 50.013) * 0.2), closes = ramp((-v[i] - 75.013) * 0.2);
      const double h_rate = (0.024 * 5.0 * opens.top * closes.gap + 0.0091 * 5.0 * closes.top * opens.gap) / (opens.gap * closes.gap);
      const double h_inf = 1.0 / (1.0 + math::exp((v[i] + 65.0) * (1.0 / 6.2)));
      const double m1 = moved(m[i], to.target, to.rate, dt[i]), h1 = moved(h[i], h_inf, h_rate, dt[i]);
      m[i] = math::choose(open, flushed(m1), m[i]), h[i] = math::choose(open, flushed(h1), h[i]);
      const double g = math::choose(open, gbar[i] * m1 * m1 * m1 * h1, 0.0);
      I[i] += g * (e[i] - v[i]), A[i] += 0.5 * g;
    }
  }

  NPL_INLINE static void potassium(const Block& b, std::size_t c) {
    const Value<Uniform> gbar(b, place(c, D::gbar_K)), e(b, place(c, D::e_K)), dt(b, D::dt);
    if (!any_channel(gbar, b.n)) return;
    const double* v = b.v(c);
    double* n = b.state(c * OfState::each + OfState::n);
    double *A = b.diagonal + c * lanes, *I = b.current + c * lanes;
    NPL_IVDEP
    for (std::size_t i = 0; i < b.n; ++i) {
      const bool open = gbar[i] > least_channel;
      const Gate to = gate((v[i] - 25.0) * (1.0 / 9.0), 0.02 * 9.0, 0.002 * 9.0);
      const double n1 = moved(n[i], to.target, to.rate, dt[i]);
      n[i] = math::choose(open, flushed(n1), n[i]);
      const double g = math::choose(open, gbar[i] * n1, 0.0);
      I[i] += g * (e[i] - v[i]), A[i] += 0.5 * g;
    }
  }

  /// Moves a conductance to the end of the step, adds spikes, and writes it to g. Returns false, and writes nothing, when there is none.
  NPL_INLINE static bool conductance(const Block& b, std::size_t state, std::size_t derived, const double* spikes, double* g) {
    double *rising = b.state(state), *decaying = b.state(state + 1);
    if (!spikes && std::all_of(rising, rising + b.n, [](double x) { return x == 0.0; }) &&
        std::all_of(decaying, decaying + b.n, [](double x) { return x == 0.0; }))
      return false;
    const Value<Uniform> fall_r(b, derived), fall_d(b, derived + 1), jump(b, derived + 2);
    NPL_IVDEP
    for (std::size_t i = 0; i < b.n; ++i) {
      const double s = spikes ? spikes[i] * jump[i] : 0.0;
      rising[i] = flushed(rising[i] * fall_r[i] - s), decaying[i] = flushed(decaying[i] * fall_d[i] + s);
      g[i] = rising[i] + decaying[i];
    }
    return true;
  }

  NPL_INLINE static void ohmic(const Block& b, std::size_t c, const Value<Uniform>& e, const double* g) {
    const double* v = b.v(c);
    double *A = b.diagonal + c * lanes, *I = b.current + c * lanes;
    NPL_IVDEP
    for (std::size_t i = 0; i < b.n; ++i) I[i] += g[i] * (e[i] - v[i]), A[i] += 0.5 * g[i];
  }

  /// @param ratio factor of the conductance; null: 1
  NPL_INLINE static void blocked(const Block& b, std::size_t c, const Value<Uniform>& e, const Value<Uniform>* ratio, const double* g) {
    const double* v = b.v(c);
    double *A = b.diagonal + c * lanes, *I = b.current + c * lanes;
    NPL_IVDEP
    for (std::size_t i = 0; i < b.n; ++i) {
      const double G = ratio ? g[i] * (*ratio)[i] : g[i];
      const double free = 1.0 / (1.0 + 0.3 * math::exp(-0.1 * v[i])), drive = e[i] - v[i];
      I[i] += G * free * drive;
      A[i] -= 0.5 * G * (0.1 * free * (1.0 - free) * drive - free);
    }
  }

  /// Spikes of a receptor, or null; their sums become zero.
  NPL_INLINE static const double* spikes_of(const Block& b, std::size_t r, double* out) {
    Fixed* sums = b.group->input[r] + b.begin;
    if (InputRows<1>::all_zero(sums, b.n)) return nullptr;
    const double scale = b.group->input_scale[r];
    for (std::size_t i = 0; i < b.n; ++i) out[i] = fixed_to_double(sums[i]) * scale, sums[i] = 0;
    return out;
  }

  NPL_INLINE static void receptor(const Block& b, std::size_t k) {
    const Receptor& r = b.tree->receptors[k];
    alignas(64) double room[lanes], g[lanes];
    const double* spikes = spikes_of(b, k, room);
    const Value<Uniform> e(b, r.derived);
    const bool flows = conductance(b, r.state, r.derived + 1, spikes, g);
    if (flows && r.kind == Kind::NMDA) blocked(b, r.compartment, e, nullptr, g);
    if (flows && r.kind != Kind::NMDA) ohmic(b, r.compartment, e, g);
    if (r.kind != Kind::AMPA_NMDA) return;
    const Value<Uniform> ratio(b, r.derived + 7);
    if (conductance(b, r.state + 2, r.derived + 4, spikes, g)) blocked(b, r.compartment, e, &ratio, g);
  }

  NPL_INLINE static void devices(const Block& b, std::size_t c) {
    const double* in = c == 0 ? b.group->current : b.group->port_currents ? b.group->port_currents[c - 1] : nullptr;
    double* I = b.current + c * lanes;
    for (std::size_t i = 0; in && i < b.n; ++i) I[i] += in[b.begin + i];
  }

  /// Current becomes dv. In between, diagonal is what a compartment has of its parent's dv, current what it has without it.
  NPL_INLINE static void solve(const Block& b) {
    for (std::size_t c = b.tree->parent.size() - 1; c > 0; --c) {
      const Value<Uniform> g_C(b, place(c, D::g_C));
      const std::size_t p = b.tree->parent[c];
      double *A = b.diagonal + c * lanes, *I = b.current + c * lanes;
      double *up_A = b.diagonal + p * lanes, *up_I = b.current + p * lanes;
      NPL_IVDEP
      for (std::size_t i = 0; i < b.n; ++i) {
        const double half = 0.5 * g_C[i], inverse = 1.0 / A[i], share = half * inverse;
        up_A[i] -= half * share, up_I[i] += share * I[i];
        A[i] = share, I[i] *= inverse;
      }
    }
    for (std::size_t i = 0; i < b.n; ++i) b.current[i] /= b.diagonal[i];
    for (std::size_t c = 1; c < b.tree->parent.size(); ++c) {
      const double *share = b.diagonal + c * lanes, *up = b.current + b.tree->parent[c] * lanes;
      double* I = b.current + c * lanes;
      NPL_IVDEP
      for (std::size_t i = 0; i < b.n; ++i) I[i] += share[i] * up[i];
    }
  }

  NPL_INLINE static void move(const Block& b) {
    const Value<Uniform> V_th(b, D::V_th);
    const double* root = b.v(0);
    for (std::size_t i = 0; i < b.n; ++i) b.crossed[i] = (root[i] < V_th[i]) & (root[i] + b.current[i] >= V_th[i]) ? 1.0 : 0.0;
    for (std::size_t c = 0; c < b.tree->parent.size(); ++c) {
      double* v = b.v(c);
      for (std::size_t i = 0; i < b.n; ++i) v[i] = flushed(v[i] + b.current[c * lanes + i]);
    }
  }

  NPL_INLINE static void run(const Block* block) {
    const Block& b = *block;
    const std::size_t n = b.tree->parent.size();
    for (std::size_t c = 0; c < n; ++c) passive(b, c), sodium(b, c), potassium(b, c), devices(b, c);
    for (std::size_t c = 1; c < n; ++c) couple(b, c);
    for (std::size_t r = 0; r < b.tree->receptors.size(); ++r) receptor(b, r);
    solve(b);
    move(b);
  }
};

}  // namespace

void update(const GroupView& g) {
  const Tree& tree = static_cast<const Tree&>(*g.shape);
  thread_local std::vector<double> room;  // kept: of few neurons, most of a step would be to make it
  if (const std::size_t needed = 2 * tree.parent.size() * lanes; room.size() < needed) room.resize(needed);
  alignas(64) double crossed[lanes];
  for (std::size_t begin = 0; begin < g.n; begin += lanes) {
    const Block block{&tree, &g, begin, std::min(lanes, g.n - begin), room.data(), room.data() + tree.parent.size() * lanes, crossed};
    g.derived ? Dispatch<Step<true>>::run(&block) : Dispatch<Step<false>>::run(&block);
    for (std::size_t i = 0; i < block.n; ++i)
      if (crossed[i] != 0.0) g.emit(begin + i);
  }
}

}  // namespace npl::nodes::compartments
