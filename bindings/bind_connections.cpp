// SPDX-License-Identifier: Apache-2.0
/// Kernel: queries and edits of connections. Collective, except connection_count, exact_connection_count, described_edges and table_hashes.
#include "kernel.hpp"

namespace npl::bindings {
namespace {

/// Handles of n connections from three arrays [n].
sim::Handles to_handles(const In<std::int64_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position) {
  return {to_vector(slice), to_vector(table), to_vector(position)};
}

/// Columns [n] of the connections between sources and targets (None: all) of a synapse model ("": all), or of a projection.
nb::dict connection_arrays(const Network& net, const std::optional<Rows>& sources, const std::optional<Rows>& targets,
                           const std::string& synapse, bool gather, std::optional<std::int64_t> projection, bool numbers) {
  const Chosen from(sources), to(targets);
  auto c = unlocked([&] { return net.connections(sim::Connections::Query{from.get(), to.get(), synapse, projection, numbers}, gather); });
  nb::dict d;
  d["source"] = to_numpy(std::move(c.source));
  d["target"] = to_numpy(std::move(c.target));
  d["weight"] = to_numpy(std::move(c.weight));
  d["delay_steps"] = to_numpy(std::move(c.delay));
  d["synapse"] = to_numpy(std::move(c.synapse));
  d["receptor"] = to_numpy(std::move(c.receptor));
  d["slice"] = to_numpy(std::move(c.slice));
  d["table"] = to_numpy(std::move(c.table));
  d["label"] = to_numpy(std::move(c.label));
  d["layer"] = to_numpy(std::move(c.layer));
  d["position"] = to_numpy(std::move(c.position));
  if (numbers) d["projection"] = to_numpy(std::move(c.projection));
  return d;
}

/// Columns [n] of the connections of devices of a projection.
nb::dict drive_arrays(const Network& net, std::int64_t projection, bool gather) {
  auto c = unlocked([&] { return net.drives(projection, gather); });
  nb::dict d;
  d["source"] = to_numpy(std::move(c.source));
  d["target"] = to_numpy(std::move(c.target));
  d["weight"] = to_numpy(std::move(c.weight));
  d["delay_steps"] = to_numpy(std::move(c.delay));
  d["call"] = to_numpy(std::move(c.call));
  d["index"] = to_numpy(std::move(c.index));
  return d;
}

nb::list table_hashes(const Network& net) {
  nb::list out;
  for (const sim::TableHash& h : net.table_hashes()) out.append(nb::make_tuple(h.slice, h.order, h.synapses, h.hash));
  return out;
}

/// The values, or an empty vector for None: the attribute is not set.
template <class T>
std::vector<T> or_nothing(const std::optional<In<T>>& values) {
  return values ? to_vector(*values) : std::vector<T>{};
}

/// New values of n connections; attributes without a value stay unchanged.
struct NewValues {
  std::optional<In<double>> weight;
  std::optional<In<std::int64_t>> delay;
  nb::dict parameters;
  std::optional<In<std::int32_t>> label;
};

/// Arrays slice, table, position.
nb::tuple to_arrays(const sim::Handles& at) { return nb::make_tuple(to_numpy(at.slice), to_numpy(at.table), to_numpy(at.position)); }

/// Edits connections. Collective.
sim::Edited edit(Network& n, sim::Handles at, Step sent_before, bool remove, const NewValues& values) {
  sim::ConnectionEdits e;
  static_cast<sim::Handles&>(e) = std::move(at);
  e.sent_before = sent_before, e.remove = remove;
  e.weight = or_nothing(values.weight), e.delay = or_nothing(values.delay), e.label = or_nothing(values.label);
  e.parameters = to_values(values.parameters);
  return unlocked([&] { return n.edit(e); });
}

void bind_edits(nb::class_<Network>& kernel) {
  kernel
      .def(
          "remove",
          [](Network& n, const In<std::int64_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position, Step sent_before) {
            return edit(n, to_handles(slice, table, position), sent_before, true, {});
          },
          "slice"_a, "table"_a, "position"_a, "sent_before"_a)
      .def(
          "edit",
          [](Network& n, const In<std::int64_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position, Step sent_before,
             const std::optional<In<double>>& weight, const std::optional<In<std::int64_t>>& delay, const nb::dict& parameters,
             const std::optional<In<std::int32_t>>& label) {
            return edit(n, to_handles(slice, table, position), sent_before, false, {weight, delay, parameters, label});
          },
          "slice"_a, "table"_a, "position"_a, "sent_before"_a, "weight"_a = nb::none(), nb::kw_only(), "delay_steps"_a = nb::none(),
          "parameters"_a = nb::dict(), "label"_a = nb::none());
}

/// What the book of projections tells.
void bind_projections(nb::class_<Network>& kernel) {
  kernel.def(
            "projection_alike", [](const Network& n, std::int64_t number) { return n.projections().alike(number); }, "number"_a)
      .def(
          "is_connected",
          [](const Network& n, const Rows& nodes, const std::string& parameter) {
            const Chosen some(nodes);
            return parameter.empty() ? n.projections().joins(*some.get()) : n.projections().reaches(*some.get(), parameter);
          },
          "nodes"_a, "parameter"_a = "");
}

/// What synapses have, by their handles.
void bind_synapse_values(nb::class_<Network>& kernel) {
  kernel
      .def(
          "get_weights",
          [](const Network& n, const In<std::int64_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position,
             bool gather) {
            const sim::Handles at = to_handles(slice, table, position);
            return to_numpy(unlocked([&] { return n.get_weights(at, gather); }));
          },
          "slice"_a, "table"_a, "position"_a, "gather"_a = true)
      .def(
          "get_state",
          [](const Network& n, const std::string& name, const In<std::int64_t>& slice, const In<std::int32_t>& table,
             const In<std::int64_t>& position, bool gather, std::optional<std::pair<Step, Step>> when) {
            const sim::Handles at = to_handles(slice, table, position);
            return to_numpy(unlocked([&] { return n.get_state(name, at, gather, when); }));
          },
          "name"_a, "slice"_a, "table"_a, "position"_a, "gather"_a = true, "when"_a = nb::none())
      .def(
          "get_parameter",
          [](const Network& n, const std::string& name, const In<std::int64_t>& slice, const In<std::int32_t>& table,
             const In<std::int64_t>& position, bool gather) {
            const sim::Handles at = to_handles(slice, table, position);
            return to_numpy(unlocked([&] { return n.get_parameter(name, at, gather); }));
          },
          "name"_a, "slice"_a, "table"_a, "position"_a, "gather"_a = true)
      .def(
          "get_parameters",  // of this rank, name by name
          [](const Network& n, const std::vector<std::string>& names, const In<std::int64_t>& slice, const In<std::int32_t>& table,
             const In<std::int64_t>& position) {
            const sim::Handles at = to_handles(slice, table, position);
            return to_numpy(unlocked([&] {
              std::vector<double> all;
              for (const std::string& name : names)
                for (const double x : n.get_parameter(name, at, false)) all.push_back(x);
              return all;
            }));
          },
          "names"_a, "slice"_a, "table"_a, "position"_a);
}

}  // namespace

void bind_connections(nb::module_& m, nb::class_<Network>& kernel) {
  nb::class_<sim::Edited>(m, "Edited")
      .def_ro("moved", &sim::Edited::moved)
      .def_ro("in_row", &sim::Edited::in_row)
      .def_prop_ro("now", [](const sim::Edited& e) { return to_arrays(e.now); })
      .def(
          "of",
          [](const sim::Edited& e, const In<std::int64_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position) {
            const sim::Handles before = to_handles(slice, table, position);
            before.check();
            return to_arrays(e.of(before));
          },
          "slice"_a, "table"_a, "position"_a);
  kernel
      .def("connections", connection_arrays, "sources"_a.none(), "targets"_a.none(), "synapse"_a, "gather"_a = true,
           "projection"_a = nb::none(), "numbers"_a = false)
      .def("drives", drive_arrays, "projection"_a, "gather"_a = true)
      .def("table_hashes", table_hashes)
      .def("connection_count", &Network::connection_count)
      .def("exact_connection_count", &Network::exact_connection_count)
      .def(
          "described_edges",
          [](Network& n, std::size_t last) {
            const auto found = n.described_edges(last);
            return to_numpy(std::vector<std::int64_t>(found.begin(), found.end()));
          },
          "last"_a);
  bind_synapse_values(kernel);
  bind_edits(kernel);
  bind_projections(kernel);
}

}  // namespace npl::bindings
