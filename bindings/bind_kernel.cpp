// SPDX-License-Identifier: Apache-2.0
/// class Kernel: sim::Network with arrays.
#include "comm/dry_run.hpp"
#include "comm/world.hpp"
#include "convert.hpp"

namespace npl::bindings {
namespace {

using sim::Network;

/// Other ranks may be threads of this interpreter: whoever waits for them must not hold the GIL.
template <class F>
auto unlocked(F&& f) {
  nb::gil_scoped_release release;
  return f();
}

std::size_t to_size(const nb::handle& value, const char* name) {
  const auto n = nb::cast<std::int64_t>(value);
  if (n < 0) throw BadParameter(name, static_cast<double>(n), "at least 0");
  return static_cast<std::size_t>(n);
}

sim::ExchangeSettings to_exchange(const nb::dict& given) {
  static const std::vector<std::string> known{"strategy", "regime", "halves", "phases", "conservation", "buffer_bytes", "round_bytes", "local"};
  static const std::vector<std::string> regimes{"auto", "dense", "sparse"}, conservations{"allreduce", "reduce_scatter"};
  sim::ExchangeSettings s;
  for (auto [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (std::find(known.begin(), known.end(), name) == known.end()) throw UnknownName("option of exchange", name, known);
    if (name == "strategy") s.strategy = exchange::find_strategy(nb::cast<std::string>(value)).name;
    if (name == "local" && nb::len(value) > 0) s.local = exchange::find_strategy(nb::cast<std::string>(value)).name;
    if (name == "regime") s.regime = nb::cast<std::string>(value);
    if (name == "halves") s.halves = nb::cast<bool>(value);
    if (name == "phases") s.phases = nb::cast<int>(value);
    if (name == "buffer_bytes") s.buffer_bytes = to_size(value, "buffer_bytes");
    if (name == "round_bytes") s.round_bytes = std::max<std::size_t>(1, to_size(value, "round_bytes"));
    if (name != "conservation") continue;
    const auto how = nb::cast<std::string>(value);
    if (std::find(conservations.begin(), conservations.end(), how) == conservations.end()) throw UnknownName("conservation", how, conservations);
    s.conservation = how == "allreduce" ? exchange::Conservation::allreduce : exchange::Conservation::reduce_scatter;
  }
  if (std::find(regimes.begin(), regimes.end(), s.regime) == regimes.end()) throw UnknownName("regime", s.regime, regimes);
  if (s.phases < 1 || s.phases > 2) throw BadParameter("phases", s.phases, "1 or 2");
  return s;
}

/// Dry run: the spikes of this rate [spikes/s] that travel instead of those of the rank's own neurons.
sim::PoissonSpikes to_played(double rate, std::uint64_t seed, double resolution) {
  if (!(rate >= 0 && rate * resolution <= 1000.0)) throw BadParameter("rate", rate, "from 0 to one spike per step");
  return {seed, rate * resolution / 1000.0};
}

/// (name, spec, stream)
std::vector<sim::NodeDraw> to_draws(const nb::list& given) {
  std::vector<sim::NodeDraw> draws;
  for (nb::handle h : given) {
    const auto t = nb::cast<nb::tuple>(h);
    draws.push_back({nb::cast<std::string>(t[0]), to_spec(nb::cast<nb::tuple>(t[1])), nb::cast<std::uint64_t>(t[2])});
  }
  return draws;
}

nb::list table_hashes(const Network& net) {
  nb::list out;
  for (const sim::TableHash& h : net.table_hashes()) out.append(nb::make_tuple(h.slice, h.order, h.synapses, h.hash));
  return out;
}

/// Settings as Python gives them; checked here because the network starts its threads at once.
/// How tables are laid out and made, for tests: "auto", "runs", "sorted", "counted_words", ...
void set_layout(sim::Settings& s, std::string_view name) {
  std::vector<std::string> known;
  for (std::string_view made : {"", "sorted", "counted"})
    for (std::string_view laid : {"auto", "runs", "words"}) {
      known.push_back(std::string(made) + (made.empty() ? "" : "_") + std::string(laid));
      if (name != known.back()) continue;
      if (!made.empty()) s.sorted = made == "sorted";
      if (laid != "auto") s.layout = laid == "runs" ? deliver::Layout::runs : deliver::Layout::words;
      return;
    }
  throw UnknownName("layout", std::string(name), known);
}

sim::Settings checked(double resolution, std::int64_t seed, std::int64_t threads, std::int64_t block_size, const std::string& layout) {
  if (!(resolution >= 1e-3 && resolution <= 1000)) throw BadParameter("resolution", resolution, "from 0.001 to 1000 ms");
  if (seed < 0) throw BadParameter("seed", static_cast<double>(seed), "a whole number >= 0");
  if (threads < 1 || threads > 1024) throw BadParameter("threads", static_cast<double>(threads), "from 1 to 1024");
  if (block_size < 0 || block_size > static_cast<std::int64_t>(max_slice_nodes)) throw BadParameter("block_size", static_cast<double>(block_size), "from 1 to 65536, or 0 to let neuropil choose");
  sim::Settings s;
  s.resolution = resolution;
  s.seed = static_cast<std::uint64_t>(seed);
  s.threads = static_cast<int>(threads);
  s.block_size = block_size;
  set_layout(s, layout);
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
    if (name == "list") p.list = nb::cast<std::shared_ptr<connect::EdgeList>>(value);
    if (name == "own_targets") p.own_targets = nb::cast<bool>(value);
  }
  return p;
}

std::int64_t connect_nodes(Network& net, const Rows& pre, const Rows& post, const std::string& rule, const nb::dict& rule_params,
                           const std::string& synapse, const std::map<std::string, double>& synapse_params, const nb::tuple& weight,
                           const nb::tuple& delay, int receptor, bool double_weights, int label, int recorder) {
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
  call.label = label;
  call.recorder = recorder;
  return unlocked([&] { return net.connect(std::move(call)); });  // ranks may wait for one another
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

/// Returns f(poll), called without the GIL. What poll raised goes before an error of f: it was there first.
template <class F>
auto polled(nb::object poll, F&& f) {
  PollGuard guard(std::move(poll));
  try {
    const auto done = [&] {
      const auto function = guard.function();
      nb::gil_scoped_release release;
      return f(function);
    }();
    guard.rethrow();
    return done;
  } catch (const Error&) {
    guard.rethrow();
    throw;
  }
}

Step run_steps(Network& net, Step steps, nb::object poll) {
  return polled(std::move(poll), [&](const sim::Poll& function) { return net.run(steps, function); });
}

void build_tables(Network& net, nb::object poll) {
  polled(std::move(poll), [&](const sim::Poll& function) { return net.build(function); });
}

nb::tuple spike_arrays(const Network& net, int recorder) {
  Emitted all = unlocked([&] { return net.emitted(recorder); });
  const std::vector<Spike>& spikes = all.spikes;
  std::vector<Step> stamps;
  std::vector<Gid> gids;
  stamps.reserve(spikes.size());
  gids.reserve(spikes.size());
  for (const Spike& s : spikes) stamps.push_back(s.step + 1), gids.push_back(s.gid);
  return nb::make_tuple(to_numpy(std::move(stamps)), to_numpy(std::move(gids)), to_numpy(std::move(all.offsets)));
}

nb::tuple sample_arrays(const Network& net, int recorder) {
  const auto [n_gids, n_names] = net.sample_shape(recorder);
  auto s = unlocked([&] { return net.samples(recorder); });
  const std::size_t n = s.stamps.size();
  return nb::make_tuple(to_numpy(std::move(s.stamps)), to_numpy(std::move(s.values), {n, n_gids, n_names}));
}

/// What every interval took and moved on this rank, as columns.
nb::dict interval_arrays(const Network& net) {
  nb::dict d;
  const auto column = [&](const char* name, auto member) {
    std::vector<double> values;
    for (const sim::Interval& i : net.intervals()) values.push_back(static_cast<double>(i.*member));
    d[name] = to_numpy(std::move(values));
  };
  column("compute", &sim::Interval::compute), column("wait", &sim::Interval::wait), column("collocate", &sim::Interval::collocate);
  column("exchange", &sim::Interval::exchange), column("deliver", &sim::Interval::deliver), column("spikes", &sim::Interval::spikes);
  column("words_sent", &sim::Interval::words_sent), column("words_received", &sim::Interval::words_received);
  column("bytes_sent", &sim::Interval::bytes_sent), column("bytes_received", &sim::Interval::bytes_received);
  column("messages", &sim::Interval::messages), column("rounds", &sim::Interval::rounds), column("buffer_bytes", &sim::Interval::buffer_bytes);
  return d;
}

nb::dict connection_arrays(const Network& net, const std::optional<Rows>& sources, const std::optional<Rows>& targets, const std::string& synapse) {
  connect::NodeSet from, to;
  if (sources) from = to_node_set(*sources);
  if (targets) to = to_node_set(*targets);
  auto c = unlocked([&] { return net.connections(sources ? &from : nullptr, targets ? &to : nullptr, synapse); });
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

/// Nodes of a choice, and whether there is one.
struct Chosen {
  explicit Chosen(const std::optional<Rows>& rows) : some(rows.has_value()) {
    if (rows) nodes = to_node_set(*rows);
  }
  const connect::NodeSet* get() const { return some ? &nodes : nullptr; }
  connect::NodeSet nodes;
  bool some;
};

nb::dict sent_weight_arrays(const Network& net, int recorder) {
  auto w = unlocked([&] { return net.sent_weights(recorder); });
  nb::dict d;
  d["steps"] = to_numpy(std::move(w.stamp));
  d["source"] = to_numpy(std::move(w.source));
  d["target"] = to_numpy(std::move(w.target));
  d["weight"] = to_numpy(std::move(w.weight));
  d["delay_steps"] = to_numpy(std::move(w.delay));
  d["receptor"] = to_numpy(std::move(w.receptor));
  d["label"] = to_numpy(std::move(w.label));
  d["slice"] = to_numpy(std::move(w.slice));
  d["table"] = to_numpy(std::move(w.table));
  d["position"] = to_numpy(std::move(w.position));
  return d;
}

/// Where a network is to be planned for: as it is, but for what is named.
sim::Machine to_machine(const Network& net, const nb::dict& given) {
  sim::Machine m = net.machine();
  if (given.contains("ranks") || given.contains("threads") || given.contains("scale")) m.slices = 0;
  for (auto [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "ranks") m.ranks = nb::cast<double>(value);
    else if (name == "threads") m.threads = nb::cast<int>(value);
    else if (name == "scale") m.scale = nb::cast<double>(value);
    else if (name == "rate") m.rate = nb::cast<double>(value);
    else if (name == "time") m.time = nb::cast<double>(value);
    else if (name == "strategy") m.strategy = exchange::find_strategy(nb::cast<std::string>(value)).name;
    else if (name == "regime") m.regime = nb::cast<std::string>(value);
    else throw UnknownName("option of plan", name, {"ranks", "threads", "scale", "rate", "time", "strategy", "regime"});
  }
  return m;
}

nb::dict forecast_values(const sim::Forecast& f) {
  nb::dict d;
  d["bytes"] = nb::cast(f.bytes);
  d["counts"] = nb::cast(f.counts);
  d["work"] = nb::cast(f.work);
  d["limits"] = nb::cast(f.limits);
  return d;
}

void bind_ranks(nb::module_& m) {
  nb::class_<comm::Communicator>(m, "Communicator")
      .def_prop_ro("rank", &comm::Communicator::rank)
      .def_prop_ro("size", &comm::Communicator::size)
      .def_prop_ro("name", &comm::Communicator::name)
      .def("leave", [](comm::Communicator& c) { sim::leave(c); }, nb::call_guard<nb::gil_scoped_release>());
  m.def("thread_ranks", &comm::threads, "ranks"_a, "ranks_per_node"_a = 0);
  m.def("dry_run_ranks", &comm::dry_run, "ranks"_a, "rank"_a);
  m.def("world_ranks", &comm::world);
  m.def("strategies", [] {
    std::map<std::string, std::string> all;
    for (const auto* s : exchange::strategies()) all[s->name] = s->doc;
    return all;
  });
  m.def("distributions", [] {
    std::map<std::string, std::string> all;
    for (const auto* s : sim::distributions()) all[s->name] = s->doc;
    return all;
  });
}

void bind_describing(nb::class_<Network>& kernel) {
  kernel
      .def("__init__", [](Network* self, double resolution, std::int64_t seed, std::int64_t threads,
                          std::int64_t block_size, const std::string& layout, std::shared_ptr<comm::Communicator> comm, const std::string& distribution,
                          const std::optional<In<std::int32_t>>& rank_map, const nb::dict& exchange, bool count_intervals, bool keep_sources,
                          std::int64_t slices, std::optional<double> rate, const std::vector<std::pair<std::string, double>>& areas, bool force,
                          std::int64_t counting, double memory_limit) {
             sim::Settings s = checked(resolution, seed, threads, block_size, layout);
             s.comm = std::move(comm);
             s.distribution = distribution;
             if (rank_map) s.rank_map = to_vector(*rank_map);
             s.exchange = to_exchange(exchange);
             s.areas = areas;
             s.count_intervals = count_intervals;
             s.keep_sources = keep_sources;
             if (slices < 0 || slices > 65536) throw BadParameter("slices", static_cast<double>(slices), "from 0 to 65536");
             s.slices = static_cast<int>(slices);
             s.force = force;
             if (!(memory_limit >= 0)) throw BadParameter("memory_limit", memory_limit, "at least 0 bytes");
             s.memory_limit = memory_limit;
             if (counting < 0 || counting > INT32_MAX) throw BadParameter("ranks", static_cast<double>(counting), "from 1 to 2^31 - 1");
             s.counting = static_cast<int>(counting);
             if (rate) s.exchange.played = to_played(*rate, s.seed, resolution);
             new (self) Network(s);
           },
           "resolution"_a, "seed"_a, "threads"_a, "block_size"_a, "layout"_a = "auto", "comm"_a.none() = nb::none(), "distribution"_a = "round_robin",
           "rank_map"_a.none() = nb::none(), "exchange"_a = nb::dict(), "count_intervals"_a = false, "keep_sources"_a = true,
           "slices"_a = 0, "rate"_a.none() = nb::none(), "areas"_a = std::vector<std::pair<std::string, double>>{}, "force"_a = false, "counting"_a = 0,
           "memory_limit"_a = 0.0)
      .def("create", [](Network& n, const std::string& model, std::int64_t count, const nb::dict& params, const nb::list& draws, const std::string& area) {
             const auto values = to_values(params);
             const auto drawn = to_draws(draws);
             return unlocked([&] { return n.create(model, count, values, drawn, area); });
           }, "model"_a, "n"_a, "params"_a = nb::dict(), "draws"_a = nb::list(), "area"_a = "")
      .def("undo_create", &Network::undo_create, "first_gid"_a)
      .def("set", [](Network& n, const In<std::int64_t>& gids, const nb::dict& params) {
             const auto nodes = to_vector(gids);
             const auto values = to_values(params);
             unlocked([&] { n.set(nodes, values); });
           }, "gids"_a, "params"_a)
      .def("set_each", [](Network& n, const Rows& nodes, const nb::dict& params, const nb::list& draws) {
             const auto set = to_node_set(nodes);
             const auto values = to_values(params);
             const auto drawn = to_draws(draws);
             unlocked([&] { n.set_each(set, values, drawn); });
           }, "nodes"_a, "params"_a, "draws"_a)
      .def("get", [](const Network& n, const In<std::int64_t>& gids, const std::string& name) {
             const auto nodes = to_vector(gids);
             return to_numpy(unlocked([&] { return n.get(nodes, name); }));
           }, "gids"_a, "name"_a)
      .def("set_vector", [](Network& n, Gid gid, const std::string& name, const In<double>& v) { n.set_vector(gid, name, to_vector(v)); }, "gid"_a, "name"_a, "values"_a)
      .def("set_vectors", [](Network& n, Gid gid, const nb::dict& vectors) { n.set_vectors(gid, to_values(vectors)); }, "gid"_a, "vectors"_a)
      .def("get_vector", [](const Network& n, Gid gid, const std::string& name) { return to_numpy(n.get_vector(gid, name)); }, "gid"_a, "name"_a)
      .def("model_of", &Network::model_of, "gid"_a)
      .def("draw_edges", [](const Network& n, const Rows& pre, const Rows& post, const std::string& rule, const nb::dict& params) {
             const auto from = to_node_set(pre), to = to_node_set(post);
             const auto given = to_rule_params(params, connect::find_rule(rule));
             const sim::DrawnEdges edges = unlocked([&] { return n.draw_edges(from, to, rule, given); });
             return nb::make_tuple(to_numpy(edges.source), to_numpy(edges.target), to_numpy(edges.key), to_numpy(edges.index));
           }, "pre"_a, "post"_a, "rule"_a, "rule_params"_a)
      .def("set_seed", &Network::set_seed, "seed"_a)
      .def("relink", [](Network& n, std::int64_t number, const nb::tuple& weight, const nb::tuple& delay) {
             n.relink(number, to_spec(weight), to_spec(delay));
           }, "number"_a, "weight"_a, "delay"_a)
      .def("check_synapse", [](const Network& n, const std::string& name, const std::map<std::string, double>& parameters) {
             n.check_synapse(name, {parameters.begin(), parameters.end()});
           }, "name"_a, "parameters"_a)
      .def("connect", connect_nodes, "pre"_a, "post"_a, "rule"_a, "rule_params"_a, "synapse"_a, "synapse_params"_a, "weight"_a, "delay"_a, "receptor"_a, "double_weights"_a, "label"_a = 0, "recorder"_a = -1);
}

/// Weight, last, values, own, and spikes not heard of as rows (connection, step, last, two values: see PreValues).
nb::tuple taken_arrays(sim::Taken taken) {
  std::vector<double> unheard;
  for (const sim::Unheard& u : taken.unheard)
    unheard.insert(unheard.end(), {static_cast<double>(u.k), static_cast<double>(u.step), static_cast<double>(u.before.last), u.before.value[0], u.before.value[1]});
  const std::size_t rows = taken.unheard.size();
  return nb::make_tuple(to_numpy(std::move(taken.weight)), to_numpy(std::move(taken.last)), to_numpy(std::move(taken.values)), to_numpy(std::move(taken.own)),
                        to_numpy(std::move(unheard), {rows, 5}));
}

void bind_connections(nb::class_<Network>& kernel) {
  kernel
      .def("connections", connection_arrays, "sources"_a.none(), "targets"_a.none(), "synapse"_a)
      .def("connection_count", &Network::connection_count)
      .def("set_weights", [](Network& n, const In<std::int32_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position, const In<double>& weights) {
             const auto s = to_vector(slice), t = to_vector(table);
             const auto p = to_vector(position);
             const auto w = to_vector(weights);
             unlocked([&] { n.set_weights(s, t, p, w); });
           }, "slice"_a, "table"_a, "position"_a, "weights"_a)
      .def("get_weights", [](const Network& n, const In<std::int32_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position) {
             const auto s = to_vector(slice), t = to_vector(table);
             const auto p = to_vector(position);
             return to_numpy(unlocked([&] { return n.get_weights(s, t, p); }));
           }, "slice"_a, "table"_a, "position"_a)
      .def("own_weights", [](const Network& n, const In<std::int32_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position) {
             return to_numpy(n.own_weights(to_vector(slice), to_vector(table), to_vector(position)));
           }, "slice"_a, "table"_a, "position"_a)
      .def("get_state", [](const Network& n, const std::string& name, const In<std::int32_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position) {
             const auto s = to_vector(slice), t = to_vector(table);
             const auto p = to_vector(position);
             return to_numpy(unlocked([&] { return n.get_state(name, s, t, p); }));
           }, "name"_a, "slice"_a, "table"_a, "position"_a)
      .def("own_state", [](const Network& n, const std::string& name, const In<std::int32_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position) {
             return to_numpy(n.own_state(name, to_vector(slice), to_vector(table), to_vector(position)));
           }, "name"_a, "slice"_a, "table"_a, "position"_a)
      .def("disconnect", [](Network& n, const In<std::int32_t>& slice, const In<std::int32_t>& table, const In<std::int64_t>& position, Step sent) {
             const auto s = to_vector(slice), t = to_vector(table);
             const auto p = to_vector(position);
             sim::Taken taken = unlocked([&] { return n.disconnect(s, t, p, sent); });
             return taken_arrays(std::move(taken));
           }, "slice"_a, "table"_a, "position"_a, "sent_before"_a)
      .def("inherit", [](Network& n, const In<std::int64_t>& sources, const In<std::int64_t>& targets, const In<std::int64_t>& delays, const In<std::int64_t>& last, const In<double>& values,
                         const In<double>& own) {
             const std::size_t edges = std::max<std::size_t>(sources.size(), 1);
             n.inherit({to_vector(sources), to_vector(targets), to_vector(delays)},
                       {{}, to_vector(last), to_vector(values), values.size() / edges, to_vector(own), own.size() / edges, {}});
           }, "sources"_a, "targets"_a, "delay_steps"_a, "last"_a, "values"_a, "own"_a)
      .def("resend", [](Network& n, const In<std::int64_t>& sources, const In<std::int64_t>& steps, const In<std::int64_t>& last, const In<double>& traces) {
             std::vector<sim::Unheard> spikes;
             for (std::size_t k = 0; k < steps.size(); ++k)
               spikes.push_back({static_cast<std::int64_t>(k), steps.data()[k], {last.data()[k], {traces.data()[2 * k], traces.data()[2 * k + 1]}}});
             n.resend(to_vector(sources), spikes);
           }, "sources"_a, "steps"_a, "last"_a, "traces"_a);
}

void bind_recording(nb::class_<Network>& kernel) {
  kernel
      .def("record_spikes", [](Network& n, const Rows& nodes, Step start, Step stop) { return n.record_spikes(to_node_set(nodes), start, stop); }, "nodes"_a, "start_step"_a, "stop_step"_a)
      .def("spikes", spike_arrays, "recorder"_a)
      .def("clear_spikes", &Network::clear_spikes, "recorder"_a)
      .def("record_weights", [](Network& n, const std::optional<Rows>& sources, const std::optional<Rows>& targets) {
             return n.record_weights(Chosen(sources).get(), Chosen(targets).get());
           }, "sources"_a.none(), "targets"_a.none())
      .def("choose_weights", [](Network& n, int recorder, const std::optional<Rows>& sources, const std::optional<Rows>& targets) {
             n.choose_weights(recorder, Chosen(sources).get(), Chosen(targets).get());
           }, "recorder"_a, "sources"_a.none(), "targets"_a.none())
      .def("sent_weights", sent_weight_arrays, "recorder"_a)
      .def("clear_weights", &Network::clear_weights, "recorder"_a)
      .def("record_state", [](Network& n, const In<std::int64_t>& gids, const std::vector<std::string>& names, Step interval, Step offset) {
             return n.record_state(to_vector(gids), names, {interval, offset});
           }, "gids"_a, "names"_a, "interval_steps"_a, "offset_steps"_a)
      .def("samples", sample_arrays, "recorder"_a)
      .def("listen", &Network::listen, "device"_a, "recorder"_a, "repeat"_a, "rate"_a)
      .def("heard", [](Network& n, int listener) {
             auto h = unlocked([&] { return n.heard(listener); });
             return nb::make_tuple(h.first, to_numpy(std::move(h.values)), to_numpy(std::move(h.offsets)));
           }, "listener"_a)
      .def("freeze", [](Network& n, const In<std::int64_t>& gids, bool frozen) { n.freeze(to_vector(gids), frozen); }, "gids"_a, "frozen"_a)
      .def("clear_samples", &Network::clear_samples, "recorder"_a);
}

void bind_running(nb::class_<Network>& kernel) {
  kernel
      .def("plan", [](const Network& n) { return forecast_values(n.plan()); })
      .def("plan_on", [](const Network& n, const nb::dict& machine) { return forecast_values(n.plan({to_machine(n, machine)}).front()); }, "machine"_a)
      .def("build", build_tables, "poll"_a.none())
      .def("run", run_steps, "steps"_a, "poll"_a.none())
      .def("memory", &Network::memory)
      .def("table_hashes", table_hashes)
      .def("timers", &Network::timers)
      .def("load", &Network::load)
      .def("counters", &Network::counters, nb::call_guard<nb::gil_scoped_release>())
      .def("intervals", interval_arrays)
      .def("gather", [](const Network& n, const In<double>& values) {
             const auto mine = to_vector(values);
             return to_numpy(unlocked([&] { return n.gather(mine); }));
           }, "values"_a)
      .def("rank_of", &Network::rank_of, "gid"_a)
      .def("ranks_of", [](const Network& n, const In<std::int64_t>& gids) {
             std::vector<std::int32_t> ranks;
             for (Gid gid : to_vector(gids)) ranks.push_back(n.rank_of(gid));
             return to_numpy(std::move(ranks));
           }, "gids"_a);
}

void bind_properties(nb::class_<Network>& kernel) {
  kernel
      .def_prop_ro("rank", &Network::rank)
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
  bind_describing(kernel);
  bind_connections(kernel);
  bind_recording(kernel);
  bind_running(kernel);
  bind_properties(kernel);
}

}  // namespace npl::bindings
