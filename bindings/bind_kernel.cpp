// SPDX-License-Identifier: Apache-2.0
/// class Kernel: sim::Network with arrays.
#include "convert.hpp"

namespace npl::bindings {
namespace {

using sim::Network;

/// Settings as Python gives them; checked here because the network starts its threads at once.
sim::Settings checked(double resolution, std::int64_t seed, std::int64_t threads, std::int64_t block_size, const std::string& layout) {
  if (!(resolution >= 1e-3 && resolution <= 1000)) throw BadParameter("resolution", resolution, "from 0.001 to 1000 ms");
  if (seed < 0) throw BadParameter("seed", static_cast<double>(seed), "a whole number >= 0");
  if (threads < 1 || threads > 1024) throw BadParameter("threads", static_cast<double>(threads), "from 1 to 1024");
  if (block_size < 0 || block_size > static_cast<std::int64_t>(max_slice_nodes)) throw BadParameter("block_size", static_cast<double>(block_size), "from 1 to 65536, or 0 to let neuropil choose");
  sim::Settings s{resolution, static_cast<std::uint64_t>(seed), static_cast<int>(threads), block_size};
  if (layout == "runs") s.layout = deliver::Layout::runs;
  else if (layout == "words") s.layout = deliver::Layout::words;
  else if (layout != "auto") throw UnknownName("layout", layout, {"auto", "runs", "words"});
  return s;
}

connect::RuleParams to_rule_params(const nb::dict& given, const connect::RuleInfo& rule) {
  connect::RuleParams p;
  for (auto [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (std::find(rule.parameters.begin(), rule.parameters.end(), name) == rule.parameters.end())
      throw UnknownName("parameter of " + rule.name, name, rule.parameters);
    if (name == "p") p.p = nb::cast<double>(value);
    if (name == "indegree" || name == "outdegree" || name == "N") p.n = nb::cast<std::int64_t>(value);
    if (name == "allow_autapses") p.allow_autapses = nb::cast<bool>(value);
    if (name == "allow_multapses") p.allow_multapses = nb::cast<bool>(value);
    if (name == "sources") p.sources = to_vector(nb::cast<In<std::int64_t>>(value));
    if (name == "targets") p.targets = to_vector(nb::cast<In<std::int64_t>>(value));
  }
  return p;
}

std::int64_t connect_nodes(Network& net, const Rows& pre, const Rows& post, const std::string& rule, const nb::dict& rule_params,
                           const std::string& synapse, const std::map<std::string, double>& synapse_params, const nb::tuple& weight,
                           const nb::tuple& delay, int receptor, bool double_weights) {
  sim::ConnectCall call;
  call.pre = to_node_set(pre);
  call.post = to_node_set(post);
  call.rule = rule;
  call.rule_params = to_rule_params(rule_params, connect::find_rule(rule));
  call.synapse = synapse;
  call.synapse_params.assign(synapse_params.begin(), synapse_params.end());
  call.weight = to_spec(weight);
  call.delay = to_spec(delay);
  call.receptor = receptor;
  call.double_weights = double_weights;
  return net.connect(std::move(call));
}

/// Calls poll with the GIL; an exception it raises is kept, ends the work at the next interval and is raised afterwards.
class PollGuard {
 public:
  explicit PollGuard(nb::object poll) : poll_(std::move(poll)) {}
  sim::Poll function() {
    if (poll_.is_none()) return [this](const char*, std::uint64_t, std::uint64_t) { return signals_fine(); };
    return [this](const char* phase, std::uint64_t done, std::uint64_t total) {
      nb::gil_scoped_acquire gil;
      if (type_) return false;  // raised while building: do not start to run
      if (PyErr_CheckSignals() != 0) return keep(), false;
      try {
        poll_(phase, done, total);
      } catch (nb::python_error& e) {
        e.restore();
        return keep(), false;
      }
      return true;
    };
  }
  void rethrow() {
    if (!type_) return;
    PyErr_Restore(type_, value_, trace_);
    type_ = nullptr;
    throw nb::python_error();
  }

 private:
  bool signals_fine() {
    nb::gil_scoped_acquire gil;
    return !type_ && (PyErr_CheckSignals() == 0 || (keep(), false));
  }
  void keep() {
    if (type_) PyErr_Clear();
    else PyErr_Fetch(&type_, &value_, &trace_);
  }
  nb::object poll_;
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

Step run_steps(Network& net, Step steps, nb::object poll) {
  PollGuard guard(std::move(poll));
  Step done = 0;
  {
    const auto function = guard.function();
    nb::gil_scoped_release release;
    done = net.run(steps, function);
  }
  guard.rethrow();
  return done;
}

void build_tables(Network& net, nb::object poll) {
  PollGuard guard(std::move(poll));
  {
    const auto function = guard.function();
    nb::gil_scoped_release release;
    net.build(function);
  }
  guard.rethrow();
}

nb::tuple spike_arrays(const Network& net, int recorder) {
  const auto spikes = net.spikes(recorder);
  std::vector<Step> stamps;
  std::vector<Gid> gids;
  stamps.reserve(spikes.size());
  gids.reserve(spikes.size());
  for (const Spike& s : spikes) stamps.push_back(s.step + 1), gids.push_back(s.gid);
  return nb::make_tuple(to_numpy(std::move(stamps)), to_numpy(std::move(gids)));
}

nb::tuple sample_arrays(const Network& net, int recorder, std::size_t n_gids, std::size_t n_names) {
  auto s = net.samples(recorder);
  const std::size_t n = s.stamps.size();
  return nb::make_tuple(to_numpy(std::move(s.stamps)), to_numpy(std::move(s.values), {n, n_gids, n_names}));
}

nb::dict connection_arrays(const Network& net, const std::optional<Rows>& sources, const std::optional<Rows>& targets, const std::string& synapse) {
  connect::NodeSet from, to;
  if (sources) from = to_node_set(*sources);
  if (targets) to = to_node_set(*targets);
  auto c = net.connections(sources ? &from : nullptr, targets ? &to : nullptr, synapse);
  nb::dict d;
  d["source"] = to_numpy(std::move(c.source));
  d["target"] = to_numpy(std::move(c.target));
  d["weight"] = to_numpy(std::move(c.weight));
  d["delay_steps"] = to_numpy(std::move(c.delay));
  d["synapse"] = to_numpy(std::move(c.synapse));
  d["receptor"] = to_numpy(std::move(c.receptor));
  d["slice"] = to_numpy(std::move(c.slice));
  d["table"] = to_numpy(std::move(c.table));
  d["position"] = to_numpy(std::move(c.position));
  return d;
}

}  // namespace

void bind_kernel(nb::module_& m) {
  nb::class_<Network>(m, "Kernel")
      .def("__init__", [](Network* self, double resolution, std::int64_t seed, std::int64_t threads,
                          std::int64_t block_size, const std::string& layout) { new (self) Network(checked(resolution, seed, threads, block_size, layout)); },
           "resolution"_a, "seed"_a, "threads"_a, "block_size"_a, "layout"_a = "auto")
      .def("create", [](Network& n, const std::string& model, std::int64_t count, const nb::dict& params) { return n.create(model, count, to_values(params)); },
           "model"_a, "n"_a, "params"_a = nb::dict())
      .def("undo_create", &Network::undo_create, "first_gid"_a)
      .def("set", [](Network& n, const In<std::int64_t>& gids, const nb::dict& params) { n.set(to_vector(gids), to_values(params)); }, "gids"_a, "params"_a)
      .def("get", [](const Network& n, const In<std::int64_t>& gids, const std::string& name) { return to_numpy(n.get(to_vector(gids), name)); }, "gids"_a, "name"_a)
      .def("set_vector", [](Network& n, Gid gid, const std::string& name, const In<double>& v) { n.set_vector(gid, name, to_vector(v)); }, "gid"_a, "name"_a, "values"_a)
      .def("set_vectors", [](Network& n, Gid gid, const nb::dict& vectors) { n.set_vectors(gid, to_values(vectors)); }, "gid"_a, "vectors"_a)
      .def("get_vector", [](const Network& n, Gid gid, const std::string& name) { return to_numpy(n.get_vector(gid, name)); }, "gid"_a, "name"_a)
      .def("model_of", &Network::model_of, "gid"_a)
      .def("connect", connect_nodes, "pre"_a, "post"_a, "rule"_a, "rule_params"_a, "synapse"_a, "synapse_params"_a, "weight"_a, "delay"_a, "receptor"_a, "double_weights"_a)
      .def("estimate", &Network::estimate)
      .def("build", build_tables, "poll"_a.none())
      .def("run", run_steps, "steps"_a, "poll"_a.none())
      .def("record_spikes", [](Network& n, const Rows& nodes, Step start, Step stop) { return n.record_spikes(to_node_set(nodes), start, stop); }, "nodes"_a, "start_step"_a, "stop_step"_a)
      .def("spikes", spike_arrays, "recorder"_a)
      .def("clear_spikes", &Network::clear_spikes, "recorder"_a)
      .def("record_state", [](Network& n, const In<std::int64_t>& gids, const std::vector<std::string>& names, Step interval, Step offset) {
             return n.record_state(to_vector(gids), names, {interval, offset});
           }, "gids"_a, "names"_a, "interval_steps"_a, "offset_steps"_a)
      .def("samples", [](const Network& n, int r) {
             const auto shape = n.sample_shape(r);
             return sample_arrays(n, r, shape.first, shape.second);
           }, "recorder"_a)
      .def("clear_samples", &Network::clear_samples, "recorder"_a)
      .def("connections", connection_arrays, "sources"_a.none(), "targets"_a.none(), "synapse"_a)
      .def("connection_count", &Network::connection_count)
      .def("set_weights", [](Network& n, const In<std::int32_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position, const In<double>& weights) {
             n.set_weights(to_vector(slice), to_vector(table), to_vector(position), to_vector(weights));
           }, "slice"_a, "table"_a, "position"_a, "weights"_a)
      .def("get_weights", [](const Network& n, const In<std::int32_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position) {
             return to_numpy(n.get_weights(to_vector(slice), to_vector(table), to_vector(position)));
           }, "slice"_a, "table"_a, "position"_a)
      .def("memory", &Network::memory)
      .def("timers", &Network::timers)
      .def("counters", &Network::counters)
      .def_prop_ro("step", &Network::step)
      .def_prop_ro("n_nodes", &Network::n_nodes)
      .def_prop_ro("threads", &Network::threads)
      .def_prop_ro("slices", &Network::n_slices)
      .def_prop_ro("min_delay_steps", &Network::min_delay)
      .def_prop_ro("max_delay_steps", &Network::max_delay);
}

}  // namespace npl::bindings
