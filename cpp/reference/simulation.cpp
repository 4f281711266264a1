// SPDX-License-Identifier: Apache-2.0
#include "reference/simulation.hpp"

#include "base/error.hpp"

namespace npl::reference {

Simulation::Simulation(double resolution_ms) : h_(resolution_ms) {
  if (!(resolution_ms > 0)) throw BadParameter("resolution", resolution_ms, "> 0 ms");
}

Neuron& Simulation::neuron(Gid gid, const char* parameter) {
  const auto found = neurons_.find(gid);
  if (found == neurons_.end()) throw BadParameter(parameter, static_cast<double>(gid), "the gid of a neuron of the reference kernel");
  return found->second;
}

void Simulation::add_neuron(Gid gid, const std::string& model, const Values& values) { neurons_.emplace(gid, Neuron(model, values, h_)); }

void Simulation::add_edges(const std::vector<Edge>& edges, const std::string& synapse, const std::map<std::string, double>& values) {
  const auto shared = std::make_shared<const Synapse>(synapse, values, h_);
  for (const Edge& e : edges) {
    neuron(e.target, "target");
    if (e.delay < 1) throw BadParameter("delay", static_cast<double>(e.delay), "at least one step");
    if (e.receptor != 0 && e.receptor != 1) throw BadParameter("receptor", e.receptor, "0 or 1");
    outgoing_[e.source].push_back(wires_.size());
    wires_.push_back({e, shared});
  }
}

void Simulation::add_current(Gid gid, Step first, Step last, double amplitude) {
  neuron(gid, "gid");
  currents_.push_back({gid, first, last, amplitude});
}

void Simulation::add_spike(Gid source, Step stamp) {
  if (stamp < 1) throw BadParameter("stamp", static_cast<double>(stamp), "at least 1");
  given_[stamp].push_back(source);
}

void Simulation::record(Gid gid, const std::string& name) {
  neuron(gid, "gid").state(name);
  traces_.push_back({gid, name, {}});
}

void Simulation::run(Step steps) {
  if (steps < 0) throw BadParameter("steps", static_cast<double>(steps), "at least 0");
  for (const Step until = step_ + steps; step_ < until; ++step_) step_once();
}

void Simulation::step_once() {
  for (; !arrivals_.empty() && arrivals_.top().due == step_; arrivals_.pop()) arrive(arrivals_.top());
  for (const Current& c : currents_)
    if (c.first <= step_ && step_ <= c.last) neurons_.at(c.gid).inject(c.amplitude);
  for (auto& [gid, n] : neurons_)
    for (int k = n.advance(step_); k > 0; --k) {
      spikes_.push_back({gid, step_});
      emit(gid, step_);
    }
  for (Gid source : given_[step_ + 1]) emit(source, step_);
  for (Trace& t : traces_) t.values.push_back(neurons_.at(t.gid).state(t.name));
}

void Simulation::arrive(const Arrival& a) {
  Wire& wire = wires_[a.wire];
  Edge& e = wire.edge;
  if (wire.synapse->is_plastic()) e.weight = wire.synapse->updated(e.weight, stamps_[e.source], a.spike, stamps_[e.target], e.delay);
  neurons_.at(e.target).receive(e.receptor, e.weight);
}

void Simulation::emit(Gid source, Step step) {
  auto& stamps = stamps_[source];
  stamps.push_back(step + 1);
  for (std::size_t wire : outgoing_[source]) arrivals_.push({step + wires_[wire].edge.delay, wire, stamps.size() - 1});
}

const std::vector<double>& Simulation::trace(std::size_t k) const {
  if (k >= traces_.size()) throw BadParameter("record", static_cast<double>(k), "the number of an existing record");
  return traces_[k].values;
}

std::vector<double> Simulation::weights() const {
  std::vector<double> out;
  for (const Wire& w : wires_) out.push_back(w.edge.weight);
  return out;
}

}  // namespace npl::reference
