// SPDX-License-Identifier: Apache-2.0
/// Kernel: calcium, synaptic elements and the growth of synapses. Collective, except grow, forget_growth and set_updates.
#include "kernel.hpp"

namespace npl::bindings {
namespace {

/// From tuples (name, curve, {parameter: array}). Throws BadLength.
std::vector<sim::NamedElements> to_elements(const nb::list& given) {
  std::vector<sim::NamedElements> all;
  for (nb::handle h : given) {
    const auto t = nb::cast<nb::tuple>(h);
    check_length("elements (name, curve, parameters)", t.size(), 3);
    all.push_back({nb::cast<std::string>(t[0]), nb::cast<std::string>(t[1]), to_values(nb::cast<nb::dict>(t[2]))});
  }
  return all;
}

/// Tuples (name, array [neurons, fields]).
nb::list element_arrays(const Network& net, const In<std::int64_t>& gids) {
  const auto nodes = to_vector(gids);
  nb::list out;
  for (sim::ElementColumns& c : unlocked([&] { return net.elements(nodes); }))
    out.append(nb::make_tuple(c.name, to_numpy(std::move(c.values), {nodes.size(), sim::element_fields})));
  return out;
}

}  // namespace

void bind_growth(nb::class_<Network>& kernel) {
  kernel
      .def(
          "set_elements",
          [](Network& n, const Rows& rows, const nb::list& elements) {
            const auto nodes = to_node_set(rows);
            const auto named = to_elements(elements);
            unlocked([&] { n.set_elements(nodes, named); });
          },
          "nodes"_a, "elements"_a)
      .def("elements", element_arrays, "gids"_a)
      .def(
          "set_calcium",
          [](Network& n, const Rows& rows, const nb::dict& params) {
            const auto nodes = to_node_set(rows);
            const auto values = to_values(params);
            unlocked([&] { n.set_calcium(nodes, values); });
          },
          "nodes"_a, "params"_a)
      .def(
          "calcium",
          [](const Network& n, const In<std::int64_t>& gids, const std::string& name) {
            const auto nodes = to_vector(gids);
            return to_numpy(unlocked([&] { return n.calcium(nodes, name); }));
          },
          "gids"_a, "name"_a)
      .def(
          "grow",
          [](Network& n, const std::string& pre, const std::string& post, const sim::ConnectCall& synapses, bool autapses, bool multapses) {
            n.grow({pre, post, autapses, multapses, synapses});
          },
          "pre_element"_a, "post_element"_a, "synapses"_a, "autapses"_a = true, "multapses"_a = true)
      .def("forget_growth", &Network::forget_growth)
      .def("set_updates", &Network::set_updates, "interval"_a, "on"_a)
      .def_prop_ro("growth_interval", [](const Network& n) { return n.growing().interval(); })
      .def_prop_ro("growth_on", [](const Network& n) { return n.growing().on(); })
      .def_prop_ro("growths",
                   [](const Network& n) {
                     nb::list out;
                     for (const sim::GrowCall* c : n.growing().calls())
                       out.append(nb::make_tuple(c->pre_element, c->post_element, c->synapses.label));
                     return out;
                   })
      .def_prop_ro("growth_changes", &Network::growth_changes);
}

}  // namespace npl::bindings
