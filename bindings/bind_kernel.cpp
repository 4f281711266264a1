// SPDX-License-Identifier: Apache-2.0
/// Class Kernel: sim::Network with numpy arrays. The other bind_*.cpp add its methods.
#include "kernel.hpp"

namespace npl::bindings {
namespace {

void bind_properties(nb::class_<Network>& kernel) {
  kernel.def_prop_ro("rank", &Network::rank)
      .def_prop_ro("built", &Network::built)
      .def_prop_ro("tables_built", &Network::tables_built)
      .def_prop_ro("loaded_synapses", &Network::loaded_synapses)
      .def_prop_ro("dry", &Network::dry)
      .def_prop_ro("buffer_bytes", [](const Network& n) { return n.exchanger().counts().buffer_bytes; })
      .def_prop_ro("routes", [](const Network& n) { return n.exchanger().n_routes(); })
      .def_prop_ro("ranks", &Network::ranks)
      .def_prop_ro("local_choice", [](const Network& n) { return n.levels().local() ? n.levels().local()->choice() : std::string(); })
      .def_prop_ro("window_steps", [](const Network& n) { return n.levels().window(); })
      .def_prop_ro("local_interval_steps", [](const Network& n) { return n.levels().local_interval(); })
      .def_prop_ro("exchange_choice", [](const Network& n) { return n.exchanger().choice(); })
      .def_prop_ro("dense", [](const Network& n) { return n.exchanger().dense(); })
      .def_prop_ro("step", &Network::step)
      .def_prop_ro("n_nodes", &Network::n_nodes)
      .def_prop_ro("threads", &Network::threads)
      .def_prop_ro("slices", &Network::n_slices)
      .def_prop_ro("min_delay_steps", &Network::min_delay)
      .def_prop_ro("max_delay_steps", &Network::max_delay);
}

}  // namespace

void bind_kernel(nb::module_& m) {
  bind_ranks(m);
  nb::class_<Network> kernel(m, "Kernel");
  kernel.def("__init__", [](Network* self, const nb::kwargs& settings) { new (self) Network(to_settings(settings)); });
  bind_nodes(kernel);
  bind_connect(m, kernel);
  bind_connections(m, kernel);
  bind_record(kernel);
  bind_growth(kernel);
  bind_run(kernel);
  bind_checkpoint(m, kernel);
  bind_properties(kernel);
}

}  // namespace npl::bindings
