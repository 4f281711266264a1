// SPDX-License-Identifier: Apache-2.0
/// The description of models with ports (ports.hpp): with max_receptors of them, or with as many as their shape says, "name[100]".
#pragma once
#include <span>
#include <string_view>

#include "nodes/rkf45.hpp"
#include "nodes/update.hpp"

namespace npl::nodes {

/// Index of the parameter that says how many ports are in use.
template <class M>
constexpr std::size_t count_at() {
  std::size_t k = 0;
  while (M::parameters[k].name != std::string_view("n_synapses") && M::parameters[k].name != std::string_view("n_receptors")) ++k;
  return k;
}

template <class M>
[[gnu::cold]] void derive_ports(const double* own, const double* ports, std::size_t n, double dt, double* derived) {
  using Port = typename M::Shape::Params;
  for (std::size_t p = 0; p < n; ++p) {
    Port port;
    for (std::size_t j = 0; j < n_fields<Port>; ++j) field(port, j) = ports[j * n + p];
    const std::array<typename M::Shape::Factors, M::Shape::parts> factors = M::derive_port(as_params<typename M::Params>(own), port, dt);
    for (std::size_t k = 0; k < n_port_factors<M>; ++k) *derived++ = field(factors, k);
  }
}

/// Values of the first ports that a model names.
template <class M>
std::span<const std::span<const double>> first_ports_of() {
  if constexpr (requires { M::first_ports; }) {
    static constexpr auto rows = [] {
      std::array<std::span<const double>, M::Shape::parameters.size()> rows;
      for (std::size_t j = 0; j < rows.size(); ++j) rows[j] = M::first_ports[j];
      return rows;
    }();
    return rows;
  } else {
    return {};
  }
}

/// State of a port; a model may mark it in its own way.
template <class M>
std::span<const Field> port_state_of() {
  if constexpr (requires { M::port_state; })
    return M::port_state;
  else
    return M::Shape::state;
}

/// The description of model M, for the registry.
template <class M>
[[gnu::cold]] ModelFacts describe_ports(void (*update)(const GroupView&), bool in_pieces) {
  static const PortFacts ports{M::port_parameters_at, M::ports_at,       count_at<M>(),       M::Shape::parameters,
                               port_state_of<M>(),    n_port_factors<M>, first_ports_of<M>(), derive_ports<M>};
  ModelFacts facts = describe<M>(update, in_pieces);
  facts.ports = &ports;
  return facts;
}

}  // namespace npl::nodes

/// Registers a model with ports; see NPL_NEURON.
#define NPL_NEURON_PORTS(id, Type) NPL_MODEL(id, Type, describe_ports<Type>(update_steps<Type>, true))
/// The same for a model with conductances; see NPL_NEURON_RKF45.
#define NPL_NEURON_RKF45_PORTS(id, Type) NPL_MODEL(id, Type, describe_ports<Type>(update_rkf45<StepsOf<Type>>, false))
