// SPDX-License-Identifier: Apache-2.0
/// Models with any number of receptors, "name[100]", from those with max_receptors ports in fixed places: the same equations, but the
/// values of the ports follow those of the model itself, as columns of a number that is known when the model is made. A step is not
/// vectorised
/// over neurons as a whole.
#pragma once
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/describe.hpp"
#include "nodes/multisynapse.hpp"

namespace npl::nodes::many {

/// Where a field of the model with max_receptors ports is among those of the model with more.
struct Slot {
  std::size_t at;    ///< of a port: place of the first port
  std::size_t port;  ///< or `none`
  static constexpr std::size_t none = ~std::size_t{0};
  bool is_port() const { return port != none; }
};

struct Ports : Shape {
  std::size_t n;
  std::vector<Slot> parameters, state;
};

/// Do the fields from k on have the names x_1 ... x_8?
inline bool is_group(std::span<const Field> fields, std::size_t k) {
  const std::string_view name = fields[k].name;
  if (!name.ends_with("_1") || k + ports > fields.size()) return false;
  const std::string prefix(name.substr(0, name.size() - 1));
  for (std::size_t j = 0; j < ports; ++j)
    if (prefix + std::to_string(j + 1) != fields[k + j].name) return false;
  return true;
}

/// The fields for shape.n ports; returns where those of the model went.
inline std::vector<Slot> lay_out(std::span<const Field> fields, Ports& shape, std::vector<Field>& out) {
  std::vector<Slot> slots;
  for (std::size_t k = 0; k < fields.size();) {
    const std::size_t at = out.size();
    if (!is_group(fields, k)) {
      slots.push_back({at, Slot::none}), out.push_back(fields[k++]);
      continue;
    }
    const std::string prefix(fields[k].name, std::string_view(fields[k].name).size() - 1);
    for (std::size_t p = 0; p < shape.n; ++p) {
      out.push_back(fields[k + std::min(p, ports - 1)]);
      out.back().name = shape.keep(prefix + std::to_string(p + 1));
    }
    for (std::size_t j = 0; j < ports; ++j) slots.push_back({at, j});
    k += ports;
  }
  return slots;
}

inline std::size_t count_of(const std::string& text) {
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > static_cast<std::size_t>(most_receptors))
    throw BadParameter("shape", text, "a number of receptors from 1 to " + std::to_string(most_receptors));
  return n;
}

/// Index of the parameter that says how many receptors are in use.
template <class M>
constexpr std::size_t count_at() {
  for (std::size_t k = 0; k < M::parameters.size(); ++k)
    if (M::parameters[k].name == std::string_view("n_synapses") || M::parameters[k].name == std::string_view("n_receptors")) return k;
  return M::parameters.size();
}

/// Parameters of the model with max_receptors ports, which are ports first .. first + 7 of this one.
template <class M>
typename M::Params some_ports(const Ports& shape, const double* parameters, std::size_t first) {
  typename M::Params some;
  double* values = reinterpret_cast<double*>(&some);
  for (std::size_t k = 0; k < shape.parameters.size(); ++k) {
    const Slot& slot = shape.parameters[k];
    const std::size_t port = slot.is_port() ? first + slot.port : 0;
    values[k] = port < shape.n ? parameters[slot.at + port] : M::parameters[k].init;
  }
  values[count_at<M>()] = 1.0;
  return some;
}

/// Throws BadParameter unless n is a whole number of the receptors of the shape.
inline void check_count(const char* name, double n, const Ports& shape) {
  if (!(n >= 0.0 && n <= static_cast<double>(shape.n)) || n != std::floor(n))
    throw BadParameter(name, n,
                       "a whole number from 0 to " + std::to_string(shape.n) + "; a shape gives more receptors: \"model[100]\" has 100");
}

template <class M>
void check(const Ports& shape, const double* parameters) {
  const Field& count = M::parameters[count_at<M>()];
  check_count(count.name, parameters[shape.parameters[count_at<M>()].at], shape);
  refuse(M::check(some_ports<M>(shape, parameters, 0)));
}

/// The description of M with as many ports as the text says.
/// @param derive(shape, parameters, dt, derived) @param n_derived(ports)
template <class M, class Derive>
ModelInfo with_shape(const std::string& text, void (*update)(const GroupView&), std::size_t (*n_derived)(std::size_t), Derive derive) {
  const auto shape = std::make_shared<Ports>();
  shape->n = count_of(text);
  ModelInfo info = describe<M>(update);
  info.parameters.clear(), info.state.clear();
  shape->parameters = lay_out(M::parameters, *shape, info.parameters);
  shape->state = lay_out(M::state, *shape, info.state);
  const std::vector<Range> sane = std::move(info.sane);
  info.sane.assign(info.state.size(), Range{});
  for (std::size_t k = 0; k < sane.size(); ++k)
    if (!shape->state[k].is_port()) info.sane[shape->state[k].at] = sane[k];
  info.receptors = static_cast<int>(shape->n);
  info.n_derived = n_derived(shape->n);
  info.derive = [shape, derive](const double* p, double dt, double* d) { derive(*shape, p, dt, d); };
  info.check = [shape](const double* p) { check<M>(*shape, p); };
  info.flush_interval = 1;
  info.shape = shape;
  return info;
}

/// The values of a neuron that belong to no port. Those of ports are 0.
template <class M>
typename M::State own_state(const GroupView& g, const Ports& shape, std::size_t i) {
  typename M::State s{};
  for (std::size_t k = 0; k < shape.state.size(); ++k)
    if (!shape.state[k].is_port()) field(s, k) = g.state[shape.state[k].at][i];
  return s;
}
template <class M>
void store(const GroupView& g, const Ports& shape, std::size_t i, const typename M::State& s) {
  for (std::size_t k = 0; k < shape.state.size(); ++k)
    if (!shape.state[k].is_port()) g.state[shape.state[k].at][i] = decays(M::state[k]) ? flushed(field(s, k)) : field(s, k);
}

inline double derived_value(const GroupView& g, std::size_t k, std::size_t i) { return g.derived ? g.derived[k] : g.derived_columns[k][i]; }
template <class M>
typename M::Derived derived_of(const GroupView& g, std::size_t i) {
  typename M::Derived d;
  for (std::size_t k = 0; k < n_fields<typename M::Derived>; ++k) field(d, k) = derived_value(g, k, i);
  return d;
}

template <class M>
Input<M::receptors> input_of(const GroupView& g, std::size_t i) {
  Input<M::receptors> in{};
  in.current = g.current ? g.current[i] : 0.0;
  in.gid = (*g.nodes)[static_cast<std::int64_t>(i)], in.step = g.step, in.seed = g.seed;
  return in;
}

inline void emit(const GroupView& g, std::size_t i, double count) {
  for (double k = 0.0; k < count; ++k) g.spikes->push_back({(*g.nodes)[static_cast<std::int64_t>(i)], g.step});
}

inline bool all_zero_bits(const double* x, std::size_t n) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < n; ++i) any |= math::detail::bits(x[i]);
  return any == 0;
}

}  // namespace npl::nodes::many
