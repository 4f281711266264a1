// SPDX-License-Identifier: Apache-2.0
/// Runs one neuron of a model file without the kernel: the file's last include finds the headers in `stubs`, and its last line makes
/// functions that Python calls.
#pragma once
#include <cstddef>
#include <cstdint>

#include "model/step.hpp"
#include "nodes/rkf45_substep.hpp"

namespace npl::harness {

using namespace npl::model;

template <class M>
using InputOf = Input<M::receptors>;

/// One step, as tests/cuda/steps.hpp has it.
template <class M>
double step(typename M::State& s, const typename M::Derived& d, const InputOf<M>& in) {
  if constexpr (requires { M::n_ode; }) {
    double t = 0.0, spikes = 0.0;
    for (int k = 0; k < 10'000 && t < d.dt; ++k) t = nodes::rkf45::attempt<M>(s, d, in.current, t, spikes);
    return spikes + M::finish(s, d, in);
  } else if constexpr (requires { M::crossed(s, d); }) {
    const double before = field(s, 0);
    M::advance(s, d, in);
    if constexpr (requires { M::free_at; })
      if (field(s, M::free_at) > static_cast<double>(in.step)) field(s, 0) = M::held(before);
    return M::crossed(s, d) ? M::fire(s, d, in) : 0.0;
  } else {
    return M::step(s, d, in);
  }
}

struct Run {
  std::size_t steps;
  double h;
  const double* parameters;
  double* state;           ///< at the beginning and at the end
  const double* spikes;    ///< [steps][receptors]
  const double* currents;  ///< [steps]
  double* trace;           ///< [steps][n_state] out
  double* counts;          ///< [steps] spikes, out
  std::uint64_t gid, seed;
};

template <class M>
void run_steps(const Run& r) {
  const auto& p = *reinterpret_cast<const typename M::Params*>(r.parameters);
  auto& s = *reinterpret_cast<typename M::State*>(r.state);
  const typename M::Derived d = M::derive(p, r.h);
  constexpr std::size_t n = n_fields<typename M::State>;
  for (std::size_t k = 0; k < r.steps; ++k) {
    InputOf<M> in{};
    for (int i = 0; i < M::receptors; ++i) in.spikes[i] = r.spikes[k * M::receptors + i];
    in.current = r.currents[k], in.gid = static_cast<Gid>(r.gid), in.step = static_cast<Step>(k), in.seed = r.seed;
    r.counts[k] = step<M>(s, d, in);
    for (std::size_t i = 0; i < n; ++i) r.trace[k * n + i] = r.state[i];
  }
}

/// HARNESS_SLOPES_ONLY: models for the solver are not run, which takes the compiler much time.
template <class M>
void run([[maybe_unused]] const Run& r) {
#ifdef HARNESS_SLOPES_ONLY
  if constexpr (!requires { M::n_ode; })
#endif
    run_steps<M>(r);
}

template <class M>
std::size_t list(const auto& fields, const char** names, double* values) {
  for (std::size_t i = 0; i < fields.size(); ++i) names[i] = fields[i].name, values[i] = fields[i].init;
  return fields.size();
}

}  // namespace npl::harness

#define NPL_NEURON(id, Type)                                                                                                 \
  extern "C" void run_##id(const npl::harness::Run& r) { npl::harness::run<npl::model::Type>(r); }                           \
  extern "C" std::size_t parameters_##id(const char** names, double* values) {                                               \
    return npl::harness::list<npl::model::Type>(npl::model::Type::parameters, names, values);                                \
  }                                                                                                                          \
  extern "C" std::size_t state_##id(const char** names, double* values) {                                                    \
    return npl::harness::list<npl::model::Type>(npl::model::Type::state, names, values);                                     \
  }                                                                                                                          \
  extern "C" void slopes_##id(const double* y, const double* state, const double* parameters, double current, double* out) { \
    using M = npl::model::Type;                                                                                              \
    const auto d = M::derive(*reinterpret_cast<const M::Params*>(parameters), 0.1);                                          \
    npl::harness::slopes<M>(y, *reinterpret_cast<const M::State*>(state), d, current, out);                                  \
  }                                                                                                                          \
  extern "C" bool whole_##id(const double* state, const double* parameters, double current, double* out) {                   \
    using M = npl::model::Type;                                                                                              \
    const auto d = M::derive(*reinterpret_cast<const M::Params*>(parameters), 0.1);                                          \
    return npl::harness::whole<M>(*reinterpret_cast<const M::State*>(state), d, current, out);                               \
  }
#define NPL_NEURON_RKF45(id, Type) NPL_NEURON(id, Type)

namespace npl::harness {
template <class M>
void slopes(const double* y, const auto& state, const auto& d, double current, double* out) {
  if constexpr (requires { M::n_ode; }) {
    const auto k = M::rhs(*reinterpret_cast<const typename M::Vars*>(y), state, d, current);
    for (std::size_t i = 0; i < k.size(); ++i) out[i] = k[i];
  }
}

double& begin_field(auto& state) { return *reinterpret_cast<double*>(&state); }

/// Slopes of the variables that are no synapses, where the kernel follows these (nodes/whole_step.hpp): in their places of State.
template <class M>
bool whole(const auto& state, const auto& d, double current, double* out) {
  if constexpr (requires { typename M::Exactly; }) {
    using E = typename M::Exactly;
    double drive = 0.0, conductance = 0.0;
    for (std::size_t c = 0; c < E::channels.size(); ++c) {
      const double g = field(state, E::first + E::channels[c].g);
      drive += g * (E::conductances ? field(d, E::reversal + c) : E::channels[c].sign);
      conductance += E::conductances ? g : 0.0;
    }
    auto begin = state;
    begin_field(begin) -= 0.25;  // the step began elsewhere
    auto start = E::start(begin, d);
    if (!E::near(start)) return false;
    E::set_own(*reinterpret_cast<typename M::State*>(out), E::slopes(E::own(state), drive, conductance, state, d, current, start));
    return true;
  }
  return false;
}
}  // namespace npl::harness
