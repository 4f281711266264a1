// SPDX-License-Identifier: Apache-2.0
#include "sim/edge_values.hpp"

#include <algorithm>
#include <cmath>

namespace npl::sim {

void check_array(const rng::ValueSpec& v, const std::string& name, std::int64_t wanted) {
  if (v.kind != rng::Kind::array) return;
  if (wanted < 0) throw BadParameter(name, "an array", "a number or a distribution with this connection rule");
  if (v.values->size() != static_cast<std::size_t>(wanted)) throw BadLength(name, v.values->size(), static_cast<std::size_t>(wanted));
  for (double x : *v.values)
    if (!std::isfinite(x)) throw BadParameter(name, x, "finite");
}

std::pair<double, double> weight_range(const connect::EdgeValues& values) {
  const rng::ValueSpec& w = values.weight;
  if (w.kind == rng::Kind::formula) return values.range.edges ? std::pair{values.range.low, values.range.high} : std::pair{0.0, 0.0};
  if (w.kind == rng::Kind::array) {
    const auto [low, high] = std::minmax_element(w.values->begin(), w.values->end());
    return w.values->empty() ? std::pair{0.0, 0.0} : std::pair{*low, *high};
  }
  if (values.weights) return {values.weights->lowest(), values.weights->highest()};
  return {w.a, w.a};
}

void take_values(connect::EdgeValues& p, const ConnectCall& call, std::int64_t n, double resolution, rng::SamplerCache& samplers) {
  check_array(call.weight, "weight", n);
  check_array(call.delay, "delay", n);
  p.weight = call.weight;
  p.delay = call.delay;
  p.resolution = resolution;
  if (p.weight.is_drawn()) p.weights = samplers.weights(p.weight);
  if (p.delay.kind == rng::Kind::array) {
    p.delay_values.reserve(p.delay.values->size());
    for (double ms : *p.delay.values) p.delay_values.push_back(rng::steps_or_0(ms, resolution));
    if (const auto bad = std::find(p.delay_values.begin(), p.delay_values.end(), Delay{0}); bad != p.delay_values.end()) {
      const std::size_t k = static_cast<std::size_t>(bad - p.delay_values.begin());
      rng::delay_steps((*p.delay.values)[k], resolution, "delay[" + std::to_string(k) + "]");  // throws
    }
    if (p.delay_values.empty()) return;
    p.lowest_delay = *std::min_element(p.delay_values.begin(), p.delay_values.end());
    p.highest_delay = *std::max_element(p.delay_values.begin(), p.delay_values.end());
    return;
  }
  if (p.delay.is_constant()) {
    p.lowest_delay = p.highest_delay = rng::delay_steps(p.delay.a, resolution);
    return;
  }
  if (p.delay.kind == rng::Kind::formula) return;  // the edges say
  p.delays = samplers.delays(p.delay, resolution);
  p.lowest_delay = p.delays->lowest();
  p.highest_delay = p.delays->highest();
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
