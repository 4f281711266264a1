// SPDX-License-Identifier: Apache-2.0
/// Kernel: recorders. With gather=True, reading is collective and returns the data of all ranks; else the data of this rank.
#include <nanobind/stl/variant.h>

#include "kernel.hpp"
#include "record/text_rows.hpp"

namespace npl::bindings {
namespace {

/// Recorded spikes [n]: stamps [steps], gids, sub-step offsets [ms] (empty: all on the grid). @param after only later stamps; null: all
nb::tuple spike_arrays(const Network& net, int recorder, bool gather, std::optional<Step> after) {
  Emitted all = unlocked([&] { return net.emitted(recorder, gather, after.value_or(record::from_the_start)); });
  const std::vector<Spike>& spikes = all.spikes;
  std::vector<Step> stamps;
  std::vector<Gid> gids;
  stamps.reserve(spikes.size());
  gids.reserve(spikes.size());
  for (const Spike& s : spikes) stamps.push_back(s.step + 1), gids.push_back(s.gid);
  return nb::make_tuple(to_numpy(std::move(stamps)), to_numpy(std::move(gids)), to_numpy(std::move(all.offsets)));
}

/// Samples of state variables: stamps [samples], values [samples, nodes, names].
nb::tuple sample_arrays(const Network& net, int recorder, bool gather) {
  const std::size_t n_names = net.sample_shape(recorder).second;
  auto s = unlocked([&] { return net.samples(recorder, gather); });
  const std::size_t n = s.stamps.size();
  return nb::make_tuple(to_numpy(std::move(s.stamps)), to_numpy(std::move(s.values), {n, s.nodes.size(), n_names}));
}

/// What was counted per bin: number of the first bin, int64 [bins].
nb::tuple binned_arrays(const Network& net, int recorder) {
  auto found = unlocked([&] { return net.binned(recorder); });
  return nb::make_tuple(found.first, to_numpy(std::move(found.values)));
}

/// Columns [n] of the transmitted weights of a weight recorder.
nb::dict sent_weight_arrays(const Network& net, int recorder, bool gather) {
  auto w = unlocked([&] { return net.sent_weights(recorder, gather); });
  nb::dict d;
  d["steps"] = to_numpy(std::move(w.stamp));
  d["source"] = to_numpy(std::move(w.source));
  d["target"] = to_numpy(std::move(w.target));
  d["weight"] = to_numpy(std::move(w.weight));
  d["delay_steps"] = to_numpy(std::move(w.delay));
  d["receptor"] = to_numpy(std::move(w.receptor));
  d["label"] = to_numpy(std::move(w.label));
  d["order"] = to_numpy(std::move(w.order));
  d["slice"] = to_numpy(std::move(w.slice));
  d["table"] = to_numpy(std::move(w.table));
  d["position"] = to_numpy(std::move(w.position));
  return d;
}

/// Rows of whole numbers and others as text. @param columns arrays of int64 or float64, all as long
nb::bytes text_rows(const std::vector<std::variant<In<std::int64_t>, In<double>>>& columns, int decimals) {
  if (decimals < 0 || decimals > record::most_decimals)
    throw BadParameter("precision", decimals, "a whole number from 0 to " + std::to_string(record::most_decimals));
  std::vector<record::TextColumn> found;
  std::size_t n = 0;
  for (const auto& column : columns)
    std::visit(
        [&](const auto& c) {
          if (found.empty()) n = c.shape(0);
          check_length("columns", c.shape(0), n);
          found.emplace_back(std::span(c.data(), n));
        },
        column);
  const std::string text = unlocked([&] { return record::text_rows(found, 0, n, decimals); });
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void bind_text(nb::module_& m) { m.def("text_rows", text_rows, "columns"_a, "precision"_a); }

void bind_record(nb::class_<Network>& kernel) {
  kernel
      .def(
          "record_spikes",
          [](Network& n, const Rows& nodes, Step start, Step stop, Gid target) {
            return n.record_spikes(to_node_set(nodes), start, stop, target);
          },
          "nodes"_a, "start_step"_a, "stop_step"_a, "target"_a = sim::itself)
      .def("spikes", spike_arrays, "recorder"_a, "gather"_a = true, "after"_a = nb::none())
      .def(
          "spike_counts",
          [](const Network& n, int recorder, Step after, bool gather) {
            return to_numpy(unlocked([&] { return n.spike_counts(recorder, gather, after); }));
          },
          "recorder"_a, "after"_a, "gather"_a = true)
      .def("spike_count", &Network::spike_count, "recorder"_a, "gather"_a = true, nb::call_guard<nb::gil_scoped_release>())
      .def("clear_spikes", &Network::clear_spikes, "recorder"_a)
      .def(
          "record_weights",
          [](Network& n, const std::optional<Rows>& sources, const std::optional<Rows>& targets) {
            return n.record_weights(Chosen(sources).get(), Chosen(targets).get());
          },
          "sources"_a.none(), "targets"_a.none())
      .def(
          "choose_weights",
          [](Network& n, int recorder, const std::optional<Rows>& sources, const std::optional<Rows>& targets) {
            n.choose_weights(recorder, Chosen(sources).get(), Chosen(targets).get());
          },
          "recorder"_a, "sources"_a.none(), "targets"_a.none())
      .def("sent_weights", sent_weight_arrays, "recorder"_a, "gather"_a = true)
      .def("weight_count", &Network::weight_count, "recorder"_a, "gather"_a = true, nb::call_guard<nb::gil_scoped_release>())
      .def("clear_weights", &Network::clear_weights, "recorder"_a)
      .def(
          "record_state",
          [](Network& n, const In<std::int64_t>& gids, const std::vector<std::string>& names, Step interval, Step offset, Gid target) {
            return n.record_state(to_vector(gids), names, {interval, offset}, target);
          },
          "gids"_a, "names"_a, "interval_steps"_a, "offset_steps"_a, "target"_a = sim::itself)
      .def("samples", sample_arrays, "recorder"_a, "gather"_a = true)
      .def(
          "record_binned",
          [](Network& n, const Rows& nodes, const std::string& kind, Step bin) { return n.record_binned(to_node_set(nodes), kind, bin); },
          "nodes"_a, "kind"_a, "bin_steps"_a)
      .def("binned", binned_arrays, "recorder"_a)
      .def("clear_binned", &Network::clear_binned, "recorder"_a)
      .def("clear_samples", &Network::clear_samples, "recorder"_a);
}

}  // namespace npl::bindings
