// SPDX-License-Identifier: Apache-2.0
/// The description of models with ports (ports.hpp): with max_receptors of them, or with as many as their shape says, "name[100]".
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/rkf45.hpp"
#include "nodes/update.hpp"

namespace npl::nodes {

/// The number of ports that a shape says. Throws BadParameter.
std::size_t ports_of(const std::string& text);
/// The fields of a model, with those of its ports from place `at` on.
std::vector<Field> fields_with_ports(std::span<const Field> own, std::size_t at, std::span<const Field> of_port, Ports& shape);
/// Throws BadParameter unless n is a whole number of ports.
void check_ports_in_use(const char* name, double n, std::size_t ports);

/// Index of the parameter that says how many ports are in use.
template <class M>
constexpr std::size_t count_at() {
  std::size_t k = 0;
  while (M::parameters[k].name != std::string_view("n_synapses") && M::parameters[k].name != std::string_view("n_receptors")) ++k;
  return k;
}

/// Values of parameters, from an array that has those of the ports as well.
template <class M>
typename M::Params own_parameters(const double* parameters, std::size_t ports) {
  constexpr std::size_t at = M::port_parameters_at, n_port = n_fields<typename M::Shape::Params>;
  typename M::Params own;
  for (std::size_t k = 0; k < n_fields<typename M::Params>; ++k) field(own, k) = parameters[k < at ? k : k + n_port * ports];
  return own;
}

template <class M>
[[gnu::cold]] void derive_ports(std::size_t ports, const double* parameters, double dt, double* derived) {
  using Port = typename M::Shape::Params;
  const auto own = own_parameters<M>(parameters, ports);
  const typename M::Derived d = M::derive(own, dt);
  for (std::size_t k = 0; k < n_fields<typename M::Derived>; ++k) *derived++ = field(d, k);
  for (std::size_t p = 0; p < ports; ++p) {
    Port port;
    for (std::size_t j = 0; j < n_fields<Port>; ++j) field(port, j) = parameters[M::port_parameters_at + j * ports + p];
    const std::array<typename M::Shape::Factors, M::Shape::parts> factors = M::derive_port(own, port, dt);
    for (std::size_t k = 0; k < n_port_factors<M>; ++k) *derived++ = field(factors, k);
  }
}

using Update = void (*)(const GroupView&);

/// The description of model M with n ports, for the registry.
template <class M, Update update, bool in_pieces>
[[gnu::cold]] ModelInfo describe_ports(std::size_t n) {
  const auto shape = std::make_shared<Ports>(n);
  ModelInfo info = describe<M>(update, in_pieces);
  info.parameters = fields_with_ports(M::parameters, M::port_parameters_at, M::Shape::parameters, *shape);
  if constexpr (requires { M::first_ports; })
    for (std::size_t j = 0; j < M::Shape::parameters.size(); ++j)
      for (std::size_t p = 0; p < std::min(n, std::size(M::first_ports[j])); ++p)
        info.parameters[M::port_parameters_at + j * n + p].init = M::first_ports[j][p];
  info.state = fields_with_ports(M::state, M::ports_at, M::Shape::state, *shape);
  info.sane.insert(info.sane.begin() + M::ports_at, n_port_states<M> * n, Range{});
  info.receptors = static_cast<int>(n);
  info.n_derived += n_port_factors<M> * n;
  info.derive = [n](const double* parameters, double dt, double* derived) { derive_ports<M>(n, parameters, dt, derived); };
  info.check = [n](const double* parameters) {
    const auto own = own_parameters<M>(parameters, n);
    refuse(M::check(own));
    check_ports_in_use(M::parameters[count_at<M>()].name, field(own, count_at<M>()), n);
  };
  info.shape = shape;
  info.shaped = [](const std::string& text) { return describe_ports<M, update, in_pieces>(ports_of(text)); };
  return info;
}

}  // namespace npl::nodes

/// Registers a model with ports; see NPL_NEURON.
#define NPL_NEURON_PORTS(id, Type) NPL_MODEL(id, Type, (describe_ports<Type, update_steps<Type>, true>(max_receptors)))
/// The same for a model with conductances; see NPL_NEURON_RKF45.
#define NPL_NEURON_RKF45_PORTS(id, Type) NPL_MODEL(id, Type, (describe_ports<Type, update_rkf45<StepsOf<Type>>, false>(max_receptors)))
