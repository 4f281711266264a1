// SPDX-License-Identifier: Apache-2.0
/// Class Reference: the slow scalar kernel that serves as oracle in tests.
#include "convert.hpp"
#include "reference/simulation.hpp"

namespace npl::bindings {
namespace {

using reference::Simulation;

/// Adds one neuron per gid [n]; parameter arrays have length 1 or n. Throws BadLength.
void add_neurons(Simulation& s, const std::string& model, const In<std::int64_t>& gids, const nb::dict& params) {
  const auto values = to_values(params);
  for (std::size_t i = 0; i < gids.shape(0); ++i) {
    reference::Values own;
    for (const auto& [name, v] : values) {
      if (v.size() != 1 && v.size() != gids.shape(0)) throw BadLength(name, v.size(), gids.shape(0));
      own[name] = v[v.size() == 1 ? 0 : i];
    }
    s.add_neuron(gids(i), model, own);
  }
}

void add_edges(Simulation& s, const In<std::int64_t>& source, const In<std::int64_t>& target, const In<double>& weight,
               const In<std::int64_t>& delay_steps, const In<std::int32_t>& receptor, const std::string& synapse,
               const std::map<std::string, double>& params) {
  const std::size_t n = source.shape(0);
  for (std::size_t length : {target.shape(0), weight.shape(0), delay_steps.shape(0), receptor.shape(0)})
    if (length != n) throw BadLength("edges", length, n);
  std::vector<reference::Edge> edges;
  for (std::size_t i = 0; i < n; ++i) edges.push_back({source(i), target(i), weight(i), delay_steps(i), receptor(i)});
  s.add_edges(edges, synapse, params);
}

nb::tuple reference_spikes(const Simulation& s) {
  std::vector<Step> stamps;
  std::vector<Gid> gids;
  for (const Spike& spike : s.spikes()) stamps.push_back(spike.step + 1), gids.push_back(spike.gid);
  return nb::make_tuple(to_numpy(std::move(stamps)), to_numpy(std::move(gids)));
}

}  // namespace

void bind_reference(nb::module_& m) {
  nb::class_<Simulation>(m, "Reference")
      .def(nb::init<double>(), "resolution"_a)
      .def("add_neurons", add_neurons, "model"_a, "gids"_a, "params"_a = nb::dict())
      .def("add_edges", add_edges, "source"_a, "target"_a, "weight"_a, "delay_steps"_a, "receptor"_a, "synapse"_a, "params"_a = nb::dict())
      .def(
          "add_spikes",
          [](Simulation& s, Gid source, const In<std::int64_t>& stamps) {
            for (std::size_t i = 0; i < stamps.shape(0); ++i) s.add_spike(source, stamps(i));
          },
          "source"_a, "stamps"_a)
      .def("add_current", &Simulation::add_current, "gid"_a, "first_step"_a, "last_step"_a, "amplitude"_a)
      .def("record", &Simulation::record, "gid"_a, "name"_a)
      .def("run", &Simulation::run, "steps"_a)
      .def("spikes", reference_spikes)
      .def(
          "trace", [](const Simulation& s, std::size_t k) { return to_numpy(s.trace(k)); }, "record"_a)
      .def("weights", [](const Simulation& s) { return to_numpy(s.weights()); });
}

}  // namespace npl::bindings
