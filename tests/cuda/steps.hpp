// SPDX-License-Identifier: Apache-2.0
/// Steps of neuron models on a CUDA device: a model file that is compiled after this header becomes a kernel `step_<model>`, in which a
/// thread takes one neuron through one time step. It shows that the steps compile; nothing launches these kernels.
#pragma once
#include <cstddef>
#include <cstdint>

#define NPL_MODEL(id, Type, ...)                                                         \
  extern "C" __global__ void step_##id(npl::nodes::cuda::Neurons all) {                  \
    npl::nodes::cuda::run<npl::nodes::Type>(all, blockIdx.x * blockDim.x + threadIdx.x); \
  }

#include "nodes/eprop_step.hpp"
#include "nodes/gap_step.hpp"
#include "nodes/port_model.hpp"
#include "nodes/precise_step.hpp"
#include "nodes/rate_step.hpp"
#include "nodes/rkf45.hpp"

namespace npl::nodes::cuda {

/// Neurons of one model, as columns.
struct Neurons {
  std::size_t n;
  std::size_t ports;  ///< of models with any number of them
  double* const* state;
  const double* const* derived;
  const double* const* spikes;  ///< sums of weights, per receptor
  const double* const* taken;   ///< values of continuous connections, per slot
  const double* current;        ///< [pA]
  const double* acting;         ///< [neurons][2][stages of a step]: synaptic current a - b V
  const double* const* waited;  ///< state variables of some steps before, for the history
  double* emitted;              ///< number of spikes
  double* recorded;             ///< [rows][n] values of the neurons that their synapses will read
  Gid first;
  Step step;
  std::uint64_t seed;
};

template <class M>
using InputOf = Input<M::receptors>;

/// What the ports of neuron i contribute (ports.hpp); moves them to the end of the step.
template <class M>
NPL_STEP PortSums sum_ports(const Neurons& all, std::size_t i) {
  using One = typename M::Shape::One;
  using Factors = typename M::Shape::Factors;
  PortSums sums{0.0, 0.0};
  for (std::size_t part = 0; part < M::Shape::parts; ++part)
    for (std::size_t p = 0; p < all.ports; ++p) {
      const auto state = [&](std::size_t j) -> double& { return all.state[M::ports_at + (part * n_fields<One> + j) * all.ports + p][i]; };
      One now;
      Factors f;
      for (std::size_t j = 0; j < n_fields<One>; ++j) field(now, j) = state(j);
      for (std::size_t j = 0; j < n_fields<Factors>; ++j)
        field(f, j) = all.derived[n_fields<typename M::Derived> + (p * M::Shape::parts + part) * n_fields<Factors> + j][i];
      const One later = advance_port<M>(now, f, all.spikes[p][i], sums.onto_V, sums.total);
      for (std::size_t j = 0; j < n_fields<One>; ++j) state(j) = field(later, j);
    }
  return sums;
}

template <class M>
NPL_STEP bool may_fire(const typename M::State& s, const typename M::Derived& d, const InputOf<M>& in) {
  if constexpr (Draws<M>)
    return M::may_fire(s, d, static_cast<double>(in.step), uniform_of_step(in.seed, M::random_id, in.gid, in.step));
  else
    return true;
}

/// Models of update.hpp.
template <class M, class... Ports>
NPL_STEP double exact_step(typename M::State& s, const typename M::Derived& d, const InputOf<M>& in, const Ports&... ports) {
  if constexpr (Splits<M>) {
    const double before = field(s, 0);
    M::advance(s, d, in, ports...);
    if constexpr (Holds<M>)
      if (field(s, M::free_at) > static_cast<double>(in.step)) field(s, 0) = M::held(before);
    return M::crossed(s, d) && may_fire<M>(s, d, in) ? M::fire(s, d, in) : 0.0;
  } else {
    return M::step(s, d, in, ports...);
  }
}

/// The whole step of models with linear synapses (whole_step.hpp); returns whether it was good.
template <class M>
NPL_STEP bool whole_step(typename M::State& s, const typename M::Derived& d, const InputOf<M>& in, const double* acting) {
  auto start = M::Exactly::start(s, d);
  const auto trial = whole::try_step<M>(s, d, in.current, acting, acting + n_stages + 1, start);
  if (!(trial.error <= 1.0 && M::Exactly::near(start))) return false;
  M::Exactly::set_own(s, trial.y);
  return true;
}

/// Models of rkf45.hpp; of those with ports only what is a good step.
template <class M>
NPL_STEP double solved_step(typename M::State& s, const typename M::Derived& d, const InputOf<M>& in, const double* acting) {
  double t = 0.0, spikes = 0.0;
  if constexpr (Exact<M>)
    if (whole_step<M>(s, d, in, acting)) t = d.dt;
  if constexpr (!Ported<M>)
    for (int k = 0; k < max_attempts && t < d.dt; ++k) t = rkf45::attempt<M>(s, d, in.current, t, spikes);
  return spikes + M::finish(s, d, in);
}

/// Models of precise_step.hpp, up to the first spike.
template <class M>
NPL_STEP double precise_step(typename M::State& s, const typename M::Derived& d, const InputOf<M>& in) {
  const auto trial = try_whole<M>(s, d, in.current, in.step, in.spikes);
  if (trial.good) return s = trial.next, 0.0;
  auto before = s;
  M::propagate(s, d, in.current, d.h, s.is_refractory != 0.0);
  if constexpr (requires { M::released(s); }) M::released(s);
  M::receive(s, d, in.spikes, -1.0);
  return M::crossing(before, s, d, in.current, d.h) >= 0.0 ? 1.0 : 0.0;
}

template <class M>
NPL_STEP double step(typename M::State& s, const typename M::Derived& d, const InputOf<M>& in, const Neurons& all, std::size_t i) {
  const double* acting = all.acting + i * 2 * (n_stages + 1);
  if constexpr (requires { M::n_ode; })
    return solved_step<M>(s, d, in, acting);
  else if constexpr (requires { &M::crossing; })
    return precise_step<M>(s, d, in);
  else if constexpr (requires { M::step(s, d, 0.0, 0.0); })
    return M::step(s, d, all.taken[0][i], all.taken[1][i]), 0.0;
  else if constexpr (requires { M::step(s, d, rate::Drive{}, 0.0); })
    return M::step(s, d, rate::Drive{all.taken[0][i], all.taken[1][i]}, in.spikes[0]), 0.0;
  else if constexpr (Ported<M>)
    return exact_step<M>(s, d, in, sum_ports<M>(all, i));
  else
    return exact_step<M>(s, d, in);
}

/// What the model keeps of the step for its synapses (history.hpp).
template <class M>
NPL_STEP void record(const typename M::State& s, const typename M::Derived& d, const Neurons& all, std::size_t i) {
  if constexpr (Learning<M>) {
    const auto row = M::learned_from(s, d);
    for (std::size_t k = 0; k < row.size(); ++k) all.recorded[k * all.n + i] = row[k];
  } else if constexpr (Archiving<M>) {
    std::array<double, M::waits.size()> past;
    for (std::size_t k = 0; k != past.size(); ++k) past[k] = all.waited[k][i];
    const Recorded r = M::record(s, d, past);
    all.recorded[i] = r.contribution, all.recorded[all.n + i] = r.level;
  }
}

template <class M, std::size_t... K>
NPL_STEP typename M::State load_state(const Neurons& all, std::size_t i, std::index_sequence<K...>) {
  return {all.state[state_place<M>(K, all.ports)][i]...};
}
template <class M, std::size_t... K>
NPL_STEP void store_state(const Neurons& all, std::size_t i, const typename M::State& s, std::index_sequence<K...>) {
  ((all.state[state_place<M>(K, all.ports)][i] = field(s, K)), ...);
}

template <class M>
NPL_STEP void run(const Neurons& all, std::size_t i) {
  if (i >= all.n) return;
  auto s = load_state<M>(all, i, std::make_index_sequence<n_fields<typename M::State>>{});
  const auto d = load_fields<typename M::Derived>(all.derived, i);
  InputOf<M> in{};
  for (int r = 0; r < M::receptors && !Ported<M>; ++r) in.spikes[r] = all.spikes[r][i];
  in.current = all.current[i], in.gid = all.first + static_cast<Gid>(i), in.step = all.step, in.seed = all.seed;
  all.emitted[i] = step<M>(s, d, in, all, i);
  record<M>(s, d, all, i);
  store_state<M>(all, i, s, std::make_index_sequence<n_fields<typename M::State>>{});
}

}  // namespace npl::nodes::cuda
