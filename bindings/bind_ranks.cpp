// SPDX-License-Identifier: Apache-2.0
/// Communicators, exchange strategies, regimes and distributions of nodes.
#include "comm/dry_run.hpp"
#include "comm/world.hpp"
#include "kernel.hpp"

namespace npl::bindings {

void bind_ranks(nb::module_& m) {
  nb::class_<comm::Communicator>(m, "Communicator")
      .def_prop_ro("rank", &comm::Communicator::rank)
      .def_prop_ro("size", &comm::Communicator::size)
      .def_prop_ro("name", &comm::Communicator::name)
      .def("leave", [](comm::Communicator& c) { sim::leave(c); }, nb::call_guard<nb::gil_scoped_release>());
  m.def("thread_ranks", &comm::threads, "ranks"_a, "ranks_per_node"_a = 0);
  m.def("dry_run_ranks", &comm::dry_run, "ranks"_a, "rank"_a);
  m.def("world_ranks", &comm::world);
  // Ranks of a communicator of the program. @param comm address of an MPI_Comm
  m.def("adopted_ranks", [](std::uintptr_t comm) { return comm::adopted(reinterpret_cast<const void*>(comm)); });
  m.def("strategies", [] {
    std::map<std::string, std::string> all;
    for (const auto* s : exchange::strategies()) all[s->name] = s->doc;
    return all;
  });
  m.def("regimes", &exchange::regime_names);
  m.def("conservations", &exchange::conservation_names);
  m.def("distributions", [] {
    std::map<std::string, std::string> all;
    for (const auto* s : sim::distributions()) all[s->name] = s->doc;
    return all;
  });
}

}  // namespace npl::bindings
