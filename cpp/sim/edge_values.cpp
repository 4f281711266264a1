// SPDX-License-Identifier: Apache-2.0
#include "sim/edge_values.hpp"

#include <algorithm>
#include <cmath>

namespace npl::sim {

namespace {

void check_length(const std::vector<double>& values, const std::string& name, std::int64_t wanted) {
  if (wanted < 0) throw BadParameter(name, "an array", "a number or a distribution with this connection rule");
  if (values.size() != static_cast<std::size_t>(wanted)) throw BadLength(name, values.size(), static_cast<std::size_t>(wanted));
}

void take_delays(connect::EdgeValues& p, std::int64_t n) {
  const std::vector<double>& ms = *p.delay.values;
  check_length(ms, "delay", n);
  auto [steps, lowest, highest] = connect::to_steps(ms, p.resolution);
  if (lowest == 0) {
    check_array(p.delay, "delay", n);
    const auto k = static_cast<std::size_t>(std::find(steps.begin(), steps.end(), Delay{0}) - steps.begin());
    rng::delay_steps(ms[k], p.resolution, "delay[" + std::to_string(k) + "]");  // throws
  }
  p.delay_values = std::move(steps);
  if (!ms.empty()) p.lowest_delay = lowest, p.highest_delay = highest;
}

}  // namespace

connect::ArrayScan check_array(const rng::ValueSpec& v, const std::string& name, std::int64_t wanted) {
  if (v.kind != rng::Kind::array) return {};
  check_length(*v.values, name, wanted);
  const connect::ArrayScan found = connect::scan(*v.values);
  if (!found.finite)
    throw BadParameter(name, *std::find_if_not(v.values->begin(), v.values->end(), [](double x) { return std::isfinite(x); }), "finite");
  return found;
}

std::pair<double, double> weight_range(const connect::EdgeValues& values) {
  const rng::ValueSpec& w = values.weight;
  if (w.kind == rng::Kind::formula) return values.range.edges ? std::pair{values.range.low, values.range.high} : std::pair{0.0, 0.0};
  if (w.kind == rng::Kind::array) return {values.given_weights.low, values.given_weights.high};
  if (values.weights) return {values.weights->lowest(), values.weights->highest()};
  return {w.a, w.a};
}

void take_values(connect::EdgeValues& p, const ConnectCall& call, std::int64_t n, double resolution, rng::SamplerCache& samplers) {
  p.given_weights = check_array(call.weight, "weight", n);
  p.weight = call.weight;
  p.delay = call.delay;
  p.resolution = resolution;
  if (p.weight.is_drawn()) p.weights = samplers.weights(p.weight);
  if (p.delay.kind == rng::Kind::array) return take_delays(p, n);
  if (p.delay.is_constant()) {
    p.lowest_delay = p.highest_delay = rng::delay_steps(p.delay.a, resolution);
    return;
  }
  if (p.delay.kind == rng::Kind::formula) return;  // the edges say
  p.delays = samplers.delays(p.delay, resolution);
  p.lowest_delay = p.delays->lowest();
  p.highest_delay = p.delays->highest();
}

void hold_floats(connect::EdgeValues& p) {
  if (p.weight.kind != rng::Kind::array || p.weight.values->empty() || !p.given_weights.floats) return;
  p.float_weights = connect::to_floats(*p.weight.values);
  p.weight.values.reset();
}

int checked_current_port(const nodes::ModelInfo& model, int named) {
  if (named < 0 || named >= model.current_ports)
    throw BadParameter("receptor", named, "a compartment of " + model.name + " from 0 to " + std::to_string(model.current_ports - 1));
  return named;
}

int checked_receptor(const nodes::ModelInfo& model, int named, bool device) {
  const int most = model.input == nodes::SpikeInput::ports   ? model.receptors
                   : model.input == nodes::SpikeInput::count ? model.receptors - 1
                                                             : 0;
  const int least = model.input == nodes::SpikeInput::ports && !device ? 1 : 0;
  if (named < least || named > most)
    throw BadParameter("receptor", named,
                       (most ? "from " + std::to_string(least) + " to " + std::to_string(most) : "0") + (" for " + model.name));
  return model.input == nodes::SpikeInput::ports && named ? named - 1 : named;
}

}  // namespace npl::sim
