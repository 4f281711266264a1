// SPDX-License-Identifier: Apache-2.0
/// Synaptic currents with exact propagators, one per port, for models with any number of ports. Such a model says
///   `Shape`: `Params`, `One` and `Factors` (structs of doubles: parameters, state and derived values of one port; the current is a sum of
///   `parts`, each with a One and Factors of its own), the fields `parameters` and `state` (their names get the number of the port),
///   `onto_V(One, Factors)` and `decayed(One, Factors, spikes)`;
///   `derive_port(Params, Shape::Params, dt) -> std::array<Factors, parts>`;
///   `port_parameters_at`, `ports_at`: number of fields of the model that come before those of the ports;
///   `total_at`; and `step` or `advance` with PortSums as fourth argument.
/// Its own Params, State and Derived hold nothing of the ports.
#pragma once
#include <array>
#include <cstddef>

#include "model/fields.hpp"
#include "model/receptors.hpp"

namespace npl::model {

/// What the ports of a neuron contribute in this step.
struct PortSums {
  double onto_V;  ///< change of V_m [mV]
  double total;   ///< current [pA] at the time that the model says
};
enum class TotalAt { never, begin, end };  ///< of the step

template <class M>
concept Ported = requires { M::ports_at; };

/// Number of state variables of a port, and of its derived values.
template <Ported M>
inline constexpr std::size_t n_port_states = M::Shape::parts * n_fields<typename M::Shape::One>;
template <Ported M>
inline constexpr std::size_t n_port_factors = M::Shape::parts * n_fields<typename M::Shape::Factors>;

/// Column of field k of State among those of a group with so many ports.
template <class M>
NPL_INLINE constexpr std::size_t state_place(std::size_t k, std::size_t ports) {
  if constexpr (Ported<M>)
    return k < M::ports_at ? k : k + n_port_states<M> * ports;
  else
    return k;
}

/// A part of a port at the end of the step; adds what it contributes.
template <Ported M>
NPL_INLINE typename M::Shape::One advance_port(const typename M::Shape::One& now, const typename M::Shape::Factors& f, double spikes,
                                               double& onto_V, double& total) {
  const auto later = M::Shape::decayed(now, f, spikes);
  onto_V += M::Shape::onto_V(now, f);
  if constexpr (M::total_at == TotalAt::begin) total += now.I;
  if constexpr (M::total_at == TotalAt::end) total += later.I;
  return later;
}

}  // namespace npl::model
