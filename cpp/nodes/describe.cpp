// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "nodes/facts.hpp"

namespace npl::nodes {
namespace {

std::vector<Range> sane_ranges(const ModelFacts& facts) {
  std::vector<Range> ranges(facts.state.size());
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    if (facts.integrated && facts.state[k].unit == std::string_view("mV")) ranges[k] = sane_potential;
    for (const SaneRange& own : facts.sane)
      if (facts.state[k].name == std::string_view(own.name)) ranges[k] = own.range;
  }
  return ranges;
}

/// The shape of this name. Throws BadParameter where there is none.
ModelInfo named_shape(std::span<const NamedShape> shapes, const std::string& text) {
  std::string known;
  for (const NamedShape& shape : shapes) {
    if (text == shape.text) return info_of(shape.facts());
    if (!known.empty()) known.append(", ");
    known.append(shape.text);
  }
  throw BadParameter("shape", text, known);
}

/// Fields of the model, with those of n ports from place `at` on.
std::vector<Field> fields_with_ports(std::span<const Field> own, std::size_t at, std::span<const Field> of_port, Ports& shape) {
  std::vector<Field> fields(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(at));
  for (const Field& f : of_port)
    for (std::size_t p = 1; p <= shape.n; ++p) {
      std::string name = f.name;
      fields.push_back(f);
      fields.back().name = shape.keep(name.append("_").append(std::to_string(p)));
    }
  fields.insert(fields.end(), own.begin() + static_cast<std::ptrdiff_t>(at), own.end());
  return fields;
}

void set_first_ports(const PortFacts& ports, std::size_t n, std::vector<Field>& parameters) {
  for (std::size_t j = 0; j < ports.first.size(); ++j)
    for (std::size_t p = 0; p < std::min(n, ports.first[j].size()); ++p)
      parameters[ports.parameters_at + j * n + p].init = ports.first[j][p];
}

/// Throws BadParameter unless n is a whole number of ports.
void check_ports_in_use(const char* name, double n, std::size_t ports) {
  if (n >= 0.0 && n <= static_cast<double>(ports) && n == std::floor(n)) return;
  throw BadParameter(name, n,
                     "a whole number from 0 to " + std::to_string(ports) + "; a shape gives more receptors: \"model[100]\" has 100");
}

/// Parameters of the model itself, of all.
std::vector<double> own_parameters(const ModelFacts& facts, std::size_t n, const double* all) {
  std::vector<double> own(all, all + facts.parameters.size());
  const std::size_t at = facts.ports->parameters_at, of_ports = facts.ports->parameters.size() * n;
  std::copy(all + at + of_ports, all + of_ports + own.size(), own.begin() + static_cast<std::ptrdiff_t>(at));
  return own;
}

/// The number of ports that a shape says. Throws BadParameter.
std::size_t ports_of(const std::string& text) {
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > static_cast<std::size_t>(most_receptors))
    throw BadParameter("shape", text, "a number of receptors from 1 to " + std::to_string(most_receptors));
  return n;
}

ModelInfo info_without_ports(const ModelFacts& facts) {
  ModelInfo info{};
  info.name = facts.name;
  info.doc = facts.doc;
  info.receptors = facts.receptors;
  info.input = facts.input;
  info.receptor_names.assign(facts.receptor_names.begin(), facts.receptor_names.end());
  if (facts.input == SpikeInput::by_sign) info.receptor_names = {"excitatory", "inhibitory"};
  info.parameters.assign(facts.parameters.begin(), facts.parameters.end());
  info.state.assign(facts.state.begin(), facts.state.end());
  info.n_derived = facts.n_derived;
  info.derive = facts.derive;
  info.check = [check = facts.check](const double* parameters) {
    if (check) refuse(check(parameters));
  };
  info.settle = facts.settle, info.update = facts.update, info.walk = facts.walk;
  info.sane = sane_ranges(facts);
  info.flush_interval = facts.flush_interval;
  info.integrated = facts.integrated, info.in_pieces = facts.in_pieces, info.repeats = facts.repeats, info.precise = facts.precise;
  info.history = facts.history, info.continuous = facts.continuous;
  info.current_ports = facts.current_ports;
  info.face = facts.face;
  if (!facts.shapes.empty()) info.shaped = [shapes = facts.shapes](const std::string& text) { return named_shape(shapes, text); };
  return info;
}

}  // namespace

ModelInfo info_with_ports(const ModelFacts& facts, std::size_t n) {
  const PortFacts& ports = *facts.ports;
  const auto shape = std::make_shared<Ports>(n);
  ModelInfo info = info_without_ports(facts);
  info.parameters = fields_with_ports(facts.parameters, ports.parameters_at, ports.parameters, *shape);
  set_first_ports(ports, n, info.parameters);
  info.state = fields_with_ports(facts.state, ports.state_at, ports.state, *shape);
  info.sane.insert(info.sane.begin() + static_cast<std::ptrdiff_t>(ports.state_at), ports.state.size() * n, Range{});
  info.receptors = static_cast<int>(n);
  info.n_derived += ports.n_factors * n;
  info.derive = [facts, n](const double* all, double dt, double* derived) {
    const auto own = own_parameters(facts, n, all);
    facts.derive(own.data(), dt, derived);
    facts.ports->derive(own.data(), all + facts.ports->parameters_at, n, dt, derived + facts.n_derived);
  };
  info.check = [facts, n](const double* all) {
    const auto own = own_parameters(facts, n, all);
    if (facts.check) refuse(facts.check(own.data()));
    check_ports_in_use(facts.parameters[facts.ports->count_at].name, own[facts.ports->count_at], n);
  };
  info.shape = shape;
  info.shaped = [facts](const std::string& text) { return info_with_ports(facts, ports_of(text)); };
  return info;
}

ModelInfo info_of(const ModelFacts& facts) { return facts.ports ? info_with_ports(facts, max_receptors) : info_without_ports(facts); }

}  // namespace npl::nodes
