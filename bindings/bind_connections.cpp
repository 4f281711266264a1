// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

namespace npl::bindings {
namespace {

sim::Handles to_handles(const In<std::int64_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position) {
  return {to_vector(slice), to_vector(table), to_vector(position)};
}

nb::dict connection_arrays(const Network& net, const std::optional<Rows>& sources, const std::optional<Rows>& targets,
                           const std::string& synapse, bool gather) {
  const Chosen from(sources), to(targets);
  auto c = unlocked([&] { return net.connections(from.get(), to.get(), synapse, gather); });
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
  d["position"] = to_numpy(std::move(c.position));
  return d;
}

nb::list table_hashes(const Network& net) {
  nb::list out;
  for (const sim::TableHash& h : net.table_hashes()) out.append(nb::make_tuple(h.slice, h.order, h.synapses, h.hash));
  return out;
}

/// Weight, last, values, own, and in-flight spikes as rows (connection, step, last, two values: see PreValues).
nb::tuple removed_arrays(sim::RemovedState removed) {
  std::vector<double> in_flight;
  for (const sim::InFlight& u : removed.in_flight)
    in_flight.insert(in_flight.end(), {static_cast<double>(u.k), static_cast<double>(u.step), static_cast<double>(u.before.last),
                                       u.before.value[0], u.before.value[1]});
  const std::size_t rows = removed.in_flight.size();
  return nb::make_tuple(to_numpy(std::move(removed.weight)), to_numpy(std::move(removed.last)), to_numpy(std::move(removed.values)),
                        to_numpy(std::move(removed.own)), to_numpy(std::move(in_flight), {rows, 5}));
}

}  // namespace

void bind_connections(nb::class_<Network>& kernel) {
  kernel.def("connections", connection_arrays, "sources"_a.none(), "targets"_a.none(), "synapse"_a, "gather"_a = true)
      .def("table_hashes", table_hashes)
      .def("connection_count", &Network::connection_count)
      .def(
          "set_weights",
          [](Network& n, const In<std::int64_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position,
             const In<double>& weights) {
            const sim::Handles at = to_handles(slice, table, position);
            const auto w = to_vector(weights);
            unlocked([&] { n.set_weights(at, w); });
          },
          "slice"_a, "table"_a, "position"_a, "weights"_a)
      .def(
          "get_weights",
          [](const Network& n, const In<std::int64_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position) {
            const sim::Handles at = to_handles(slice, table, position);
            return to_numpy(unlocked([&] { return n.get_weights(at); }));
          },
          "slice"_a, "table"_a, "position"_a)
      .def(
          "own_weights",
          [](const Network& n, const In<std::int64_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position) {
            return to_numpy(n.own_weights(to_handles(slice, table, position)));
          },
          "slice"_a, "table"_a, "position"_a)
      .def(
          "get_state",
          [](const Network& n, const std::string& name, const In<std::int64_t>& slice, const In<std::int32_t>& table,
             const In<std::int64_t>& position) {
            const sim::Handles at = to_handles(slice, table, position);
            return to_numpy(unlocked([&] { return n.get_state(name, at); }));
          },
          "name"_a, "slice"_a, "table"_a, "position"_a)
      .def(
          "own_state",
          [](const Network& n, const std::string& name, const In<std::int64_t>& slice, const In<std::int32_t>& table,
             const In<std::int64_t>& position) { return to_numpy(n.own_state(name, to_handles(slice, table, position))); },
          "name"_a, "slice"_a, "table"_a, "position"_a)
      .def(
          "disconnect",
          [](Network& n, const In<std::int64_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position, Step sent) {
            const sim::Handles at = to_handles(slice, table, position);
            sim::RemovedState removed = unlocked([&] { return n.disconnect(at, sent); });
            return removed_arrays(std::move(removed));
          },
          "slice"_a, "table"_a, "position"_a, "sent_before"_a)
      .def(
          "inherit",
          [](Network& n, const In<std::int64_t>& sources, const In<std::int64_t>& targets, const In<std::int64_t>& delays,
             const In<std::int64_t>& last, const In<double>& values, const In<double>& own) {
            const std::size_t edges = std::max<std::size_t>(sources.size(), 1);
            n.inherit({to_vector(sources), to_vector(targets), to_vector(delays)},
                      {{}, to_vector(last), to_vector(values), values.size() / edges, to_vector(own), own.size() / edges, {}});
          },
          "sources"_a, "targets"_a, "delay_steps"_a, "last"_a, "values"_a, "own"_a)
      .def(
          "resend",
          [](Network& n, const In<std::int64_t>& sources, const In<std::int64_t>& steps, const In<std::int64_t>& last,
             const In<double>& traces) {
            std::vector<sim::InFlight> spikes;
            for (std::size_t k = 0; k < steps.size(); ++k)
              spikes.push_back(
                  {static_cast<std::int64_t>(k), steps.data()[k], {last.data()[k], {traces.data()[2 * k], traces.data()[2 * k + 1]}}});
            n.resend(to_vector(sources), spikes);
          },
          "sources"_a, "steps"_a, "last"_a, "traces"_a);
}

}  // namespace npl::bindings
