// SPDX-License-Identifier: Apache-2.0
/// Substeps of neurons with a conductance per port (port_conductances.hpp), as rkf45.hpp says. The variables are V_m, the conductances,
/// their rises, then the other variables of the neuron. Conductances do not depend on V_m: a loop over the gathered neurons
/// (substeps.hpp) takes each port through all stages, then each stage of the neuron sums what the ports give. Ports without conductance
/// would add zeros: they are left out.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "nodes/rkf45_substep.hpp"
#include "nodes/substeps.hpp"
#include "nodes/whole_step.hpp"

namespace npl::nodes::rkf45 {

/// A port of gathered neurons.
template <class M>
struct GatheredPort {
  static constexpr std::size_t size = Gathered::size, n = n_fields<typename M::Shape::One>;
  double y[n][size], E_rev[size], rate[size], rise[size];
  double at[n_stages + 1][size];           ///< the conductance at each stage
  double next[n][size], squares[n][size];  ///< the end of the substep; squared errors

  NPL_INLINE void attempt(const double* h, const double* scale, std::size_t neurons) {
    NPL_IVDEP
    for (std::size_t k = 0; k < neurons; ++k) {
      const auto slope = [&](const Vars<n>& x, std::size_t stage) NPL_INLINE_LAMBDA {
        at[stage][k] = x[0];
        return M::Shape::slopes(x, rate[k], rise[k]);
      };
      const auto measure = [&](const Vars<n>& error) NPL_INLINE_LAMBDA { return squared(scale[k], error); };
      const auto trial = substep<TermsFirst>(load_fields<Vars<n>>(y, k), h[k], slope, measure);
      store_fields(next, k, trial.y);
      store_fields(squares, k, trial.error);
    }
  }
  NPL_INLINE void accept(const double* good, std::size_t neurons) {
    for (std::size_t j = 0; j < n; ++j) {
      NPL_IVDEP
      for (std::size_t k = 0; k < neurons; ++k) y[j][k] = math::choose(good[k] != 0.0, next[j][k], y[j][k]);
    }
  }
};

/// Gathered neurons with their ports.
template <class M>
struct GatheredNeurons {
  static constexpr std::size_t size = Gathered::size, n_own = M::Exactly::n_own;
  alignas(64) double state[n_fields<typename M::State>][size], derived[n_fields<typename M::Derived>][size];
  double current[size], t[size], spikes[size], h[size], scale[size], error[size], sum[size], good[size], V[size], synaptic[size];
  double slopes[n_stages + 1][n_own][size], y[n_own][size], squares[n_own][size];  ///< y: where slopes are taken; at last the end
  std::span<GatheredPort<M>> ports;
};

/// One substep of gathered neurons.
template <class M>
struct PortAttempt {
  using State = typename M::State;
  using Derived = typename M::Derived;
  using E = typename M::Exactly;
  using Port = GatheredPort<M>;
  using Own = Vars<E::n_own>;

  NPL_INLINE static void run(GatheredNeurons<M>* gathered, std::size_t neurons) {
    GatheredNeurons<M>& r = *gathered;
    const std::size_t n = padded(neurons);
    begin(r, n);
    for (Port& p : r.ports) p.attempt(r.h, r.scale, n);
    [&]<std::size_t... Stage>(std::index_sequence<Stage...>)
        NPL_INLINE_LAMBDA { (stage<Stage>(r, n), ...); }(std::make_index_sequence<n_stages + 1>{});
    end(r, n);
    decide(r, n);
    for (Port& p : r.ports) p.accept(r.good, n);
  }

 private:
  NPL_INLINE static void begin(GatheredNeurons<M>& r, std::size_t n) {
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const auto d = load_fields<Derived>(r.derived, k);
      const auto s = begun<M>(load_fields<State>(r.state, k), d, r.t[k]);
      store_fields(r.state, k, s);
      r.h[k] = substep_size(s.h, d.dt, r.t[k]).h;
      r.scale[k] = r.h[k] / M::tolerance(d);
      const Own y = E::own(s);
      r.sum[k] = y[0] + y[E::n_own - 1];  // finite if all are
    }
    for (const Port& p : r.ports)
      for (const auto& y : p.y) add(r.sum, y, n);
  }

  template <std::size_t Stage>
  NPL_INLINE static void stage(GatheredNeurons<M>& r, std::size_t n) {
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const auto s = load_fields<State>(r.state, k);
      const Own y = [&]<std::size_t... J>(std::index_sequence<J...>) NPL_INLINE_LAMBDA {
        return argument<TermsFirst>(E::own(s), r.h[k], load_fields<Own>(r.slopes[J], k)...);
      }(std::make_index_sequence<Stage>{});
      store_fields(r.y, k, y);
      r.V[k] = M::potential(y, s, load_fields<Derived>(r.derived, k)), r.synaptic[k] = 0.0;
    }
    for (const Port& p : r.ports) {
      NPL_IVDEP
      for (std::size_t k = 0; k < n; ++k) r.synaptic[k] += p.at[Stage][k] * (p.E_rev[k] - r.V[k]);
    }
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k)
      store_fields(r.slopes[Stage], k,
                   M::slopes(load_fields<Own>(r.y, k), r.V[k], r.synaptic[k], load_fields<State>(r.state, k),
                             load_fields<Derived>(r.derived, k), r.current[k]));
  }

  NPL_INLINE static void end(GatheredNeurons<M>& r, std::size_t n) {
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const auto slope = [&](std::size_t stage) NPL_INLINE_LAMBDA { return load_fields<Own>(r.slopes[stage], k); };
      const Own before = E::own(load_fields<State>(r.state, k));
      const auto measure = [&](const Own& error) NPL_INLINE_LAMBDA { return squared(r.scale[k], error); };
      const auto trial = end_of_substep<TermsFirst>(before, r.h[k], slope(0), slope(2), slope(3), slope(4), slope(5), measure);
      store_fields(r.y, k, trial.y);
      store_fields(r.squares, k, trial.error);
      r.error[k] = r.squares[0][k];
    }
    for (std::size_t j = 0; j < Port::n; ++j)
      for (const Port& p : r.ports) add(r.error, p.squares[j], n);
    for (std::size_t i = 1; i < E::n_own; ++i) add(r.error, r.squares[i], n);
  }

  NPL_INLINE static void decide(GatheredNeurons<M>& r, std::size_t n) {
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) {
      const auto d = load_fields<Derived>(r.derived, k);
      auto s = load_fields<State>(r.state, k), next = load_fields<State>(r.state, k);
      E::set_own(next, load_fields<Own>(r.y, k));
      const bool alive = math::detail::abs(r.sum[k]) < math::detail::inf;
      bool good, done;
      r.spikes[k] += judge<M>(s, next, d, substep_size(s.h, d.dt, r.t[k]), r.error[k], alive, good, done);
      store_fields(r.state, k, s);
      r.t[k] = math::choose(done, d.dt, r.t[k] + math::choose(good, r.h[k], 0.0));
      r.good[k] = math::choose(good, 1.0, 0.0);
    }
  }

  NPL_INLINE static void add(double* to, const double* values, std::size_t n) {
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) to[k] += values[k];
  }
};

/// The columns of neurons and ports that are gathered.
template <class M>
class PortColumns {
 public:
  explicit PortColumns(const Lanes<M>& lanes) : lanes_(lanes) {
    for (std::size_t p = 0; p < lanes.ports.n; ++p)
      if (!whole::Channels<M, false>::is_silent(lanes, p, 0, lanes.n)) used_.push_back(p);
    ports_ = std::make_unique_for_overwrite<GatheredPort<M>[]>(used_.size());
    to_.ports = {ports_.get(), used_.size()};
    for (std::size_t k = 0; k < lanes.state.size(); ++k) states_.from.push_back(lanes.state[k]), states_.to.push_back(to_.state[k]);
    for (std::size_t k = 0; k < lanes.derived.size(); ++k) add_derived(k, lanes.shared ? nullptr : lanes.derived[k], to_.derived[k]);
    for (std::size_t u = 0; u < used_.size(); ++u) add_port(used_[u], ports_[u]);
  }
  /// Substeps until all neurons have reached the end of the time step.
  void complete(double* t, double* spikes) {
    const double* shared = reinterpret_cast<const double*>(lanes_.shared);
    Gathered gathered{states_.to, derived_.to, to_.current, to_.t, to_.spikes, shared != nullptr, attempt, &to_};
    rkf45::complete({states_.from, derived_.from, shared, lanes_.current, t, spikes, lanes_.n}, gathered);
  }

 private:
  static void attempt(void* gathered, std::size_t n) { Dispatch<PortAttempt<M>>::run(static_cast<GatheredNeurons<M>*>(gathered), n); }

  /// Derived value k of the model and its ports; an equal one is copied to all gathered neurons here.
  void add_derived(std::size_t k, const double* from, double* to) {
    if (lanes_.shared) std::fill_n(to, Gathered::size, reinterpret_cast<const double*>(lanes_.shared)[k]);
    derived_.from.push_back(from), derived_.to.push_back(to);
  }
  void add_port(std::size_t p, GatheredPort<M>& port) {
    for (std::size_t j = 0; j < port.n; ++j)
      states_.from.push_back(whole::Places<M, false>::column(lanes_, p, j != 0, 0)), states_.to.push_back(port.y[j]);
    double* const to[] = {port.E_rev, port.rate, port.rise};  // the first values of PortConductance
    for (std::size_t k = 0; k < std::size(to); ++k) {
      const std::size_t at = p * n_port_factors<M> + k;
      add_derived(n_fields<typename M::Derived> + at, lanes_.shared ? nullptr : lanes_.ports.factors[at] + lanes_.begin, to[k]);
    }
  }

  const Lanes<M>& lanes_;
  GatheredNeurons<M> to_;
  std::vector<std::size_t> used_;
  std::unique_ptr<GatheredPort<M>[]> ports_;
  struct {
    std::vector<double*> from, to;
  } states_;
  struct {
    std::vector<const double*> from;
    std::vector<double*> to;
  } derived_;
};

/// Adds the spikes that arrive at the end of the step, and flushes.
template <class M, bool Uniform>
struct ArriveLoop {
  NPL_INLINE static void run(const Lanes<M>* view) {
    const Lanes<M>& lanes = *view;
    using At = whole::Places<M, Uniform>;
    constexpr bool rises = M::Exactly::rises;
    for (std::size_t p = 0; p < lanes.ports.n; ++p) {
      Fixed* sums = lanes.ports.sums[p] + lanes.ports.input_at;
      const bool arrives = !InputRows<1>::all_zero(sums, lanes.n);
      if (!arrives && whole::Channels<M, Uniform>::is_silent(lanes, p, 0, lanes.n)) continue;
      if (arrives) add(lanes, p, sums, At::column(lanes, p, rises, 0));
      flush_column(At::column(lanes, p, false, 0), lanes.n);
      if (rises) flush_column(At::column(lanes, p, true, 0), lanes.n);
    }
  }

 private:
  NPL_INLINE static void add(const Lanes<M>& lanes, std::size_t p, Fixed* sums, double* y) {
    const auto jump = whole::Places<M, Uniform>::template of_port<1>(lanes, p, 3, 0);  // of PortConductance
    const double scale = lanes.ports.scale[p];
    const std::size_t n = lanes.n;
    NPL_IVDEP
    for (std::size_t k = 0; k < n; ++k) y[k] += fixed_to_double(sums[k]) * scale * jump.get(0, k), sums[k] = 0;
  }
};

}  // namespace npl::nodes::rkf45
