// SPDX-License-Identifier: Apache-2.0
/// A network: owns everything, no global state. Describe (create, connect, record), build, run, read. All input is checked before anything
/// changes (law 6). Not thread safe: one caller at a time; the network has its own threads.
/// With several ranks every rank describes the same network and makes the same calls. Collective are: set, get, build, run, and reading
/// recordings, connections (unless gather = false) and counters. They throw RankError when ranks differ or one has failed.
/// This class is a facade: the components document their calls, with units and errors.
#pragma once
#include "sim/keeper.hpp"

namespace npl::sim {

class Network {
 public:
  explicit Network(const Settings& settings)
      : context_(settings),
        populations_(context_),
        recorders_(context_, populations_),
        description_(context_, populations_, recorders_),
        connections_(context_, populations_, description_, recorders_),
        growing_(context_, populations_, description_, connections_),
        routes_(context_.comm, settings.exchange),
        report_(context_, connections_, routes_),
        planner_(context_, populations_, description_, recorders_, report_),
        runner_(context_, {populations_, description_, recorders_, connections_, growing_, routes_, planner_}),
        keeper_(context_, {populations_, description_, recorders_, connections_, growing_, routes_, planner_}, runner_) {}
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // --- nodes: populations.hpp
  Gid create(const std::string& model, std::int64_t n, const Values& values, const std::vector<NodeDraw>& draws = {},
             const std::string& area = "") {
    return changed(populations_).create(model, n, values, draws, area);
  }
  void undo_create(Gid first) {
    changed(populations_).undo_create(first);
    growing_.drop(first);
  }
  void reshape(Gid first, const std::string& model) { changed(populations_).reshape(first, model); }
  void set(const std::vector<Gid>& gids, const Values& values, const Values& arrays = {}) {
    const auto follow = [&](Undo& undo) { description_.note_factors(gids, arrays, undo); };
    changed(populations_).set(gids, values, arrays, std::ref(follow));  // allocates nothing, as other ranks would not know of a failure
  }
  void set_each(const connect::NodeSet& nodes, const Values& values, const std::vector<NodeDraw>& draws) {
    context_.revalued = true;  // all that a build would have to do, and a run does it
    alters(populations_).set_each(nodes, values, draws);
  }
  std::vector<double> get(const std::vector<Gid>& gids, const std::string& name) const { return populations_.get(gids, name); }
  std::vector<double> get_vector(Gid device, const std::string& name) const { return populations_.get_vector(device, name); }
  void freeze(const std::vector<Gid>& gids, bool frozen) { changed(populations_).freeze(gids, frozen); }
  std::string model_of(Gid gid) const { return populations_.model_of(gid); }
  int rank_of(Gid gid) const { return populations_.rank_of(gid); }
  std::int64_t n_nodes() const { return context_.progress.nodes; }

  // --- describing connections: description.hpp
  std::int64_t connect(ConnectCall call) {
    growing_.note_changed();
    return changed(description_).connect(std::move(call));
  }
  void check_synapse(const std::string& name, const std::vector<std::pair<std::string, double>>& parameters) const {
    description_.check_synapse(name, parameters);
  }
  void relink(std::int64_t number, const rng::ValueSpec& weight, const rng::ValueSpec& delay, bool check_only = false) {
    changed(description_).relink(number, weight, delay, check_only);
  }
  DriveColumns drives(std::int64_t projection, bool gather = true) const { return description_.drives(projection, gather); }
  DrawnEdges draw_edges(const connect::NodeSet& pre, const connect::NodeSet& post, const std::string& rule,
                        const connect::RuleParams& params) const {
    return description_.draw_edges(pre, post, rule, params);
  }
  void set_seed(std::uint64_t seed) { changed(populations_).set_seed(seed); }
  bool precise() const { return description_.precise(); }
  Delay min_delay() const { return description_.min_delay(); }
  Delay max_delay() const { return description_.max_delay(); }

  // --- recording: recorders.hpp
  int record_spikes(const connect::NodeSet& nodes, Step start, Step stop, Gid target = itself) {
    return changed(recorders_).record_spikes(nodes, start, stop, target);
  }
  std::vector<Spike> spikes(int recorder, bool gather = true) const { return recorders_.spikes(recorder, gather).spikes; }
  Emitted emitted(int recorder, bool gather = true, Step after = record::from_the_start) const {
    return recorders_.spikes(recorder, gather, after);
  }
  std::vector<std::int64_t> spike_counts(int recorder, bool gather, Step after) const {
    return recorders_.spike_counts(recorder, gather, after);
  }
  std::int64_t spike_count(int recorder, bool gather = true) const { return recorders_.spike_count(recorder, gather); }
  void clear_spikes(int recorder) { alters(recorders_).clear_spikes(recorder); }
  int record_state(const std::vector<Gid>& gids, const std::vector<std::string>& names, record::Sampling sampling, Gid target = itself) {
    return changed(recorders_).record_state(gids, names, sampling, target);
  }
  Samples samples(int recorder, bool gather = true) const { return recorders_.samples(recorder, gather); }
  std::pair<std::size_t, std::size_t> sample_shape(int recorder) const { return recorders_.sample_shape(recorder); }
  void clear_samples(int recorder) { alters(recorders_).clear_samples(recorder); }
  int record_weights(const connect::NodeSet* sources, const connect::NodeSet* targets) {
    return changed(recorders_).record_weights(sources, targets);
  }
  void choose_weights(int recorder, const connect::NodeSet* sources, const connect::NodeSet* targets) {
    changed(recorders_).choose_weights(recorder, sources, targets);
  }
  SentWeights sent_weights(int recorder, bool gather = true) const {
    return recorders_.sent_weights(recorder, description_.specs().labels, gather);
  }
  std::int64_t weight_count(int recorder, bool gather = true) const { return recorders_.weight_count(recorder, gather); }
  void clear_weights(int recorder) { alters(recorders_).clear_weights(recorder); }
  int record_binned(const connect::NodeSet& nodes, const std::string& kind, Step width) {
    return changed(recorders_).record_binned(nodes, kind, width);
  }
  Counted binned(int recorder) const { return recorders_.binned(recorder); }
  void clear_binned(int recorder) { alters(recorders_).clear_binned(recorder); }

  // --- structural plasticity: growing.hpp
  void set_elements(const connect::NodeSet& nodes, const std::vector<NamedElements>& elements) {
    changed(growing_).set_elements(nodes, elements);
  }
  std::vector<ElementColumns> elements(const std::vector<Gid>& gids) const { return growing_.elements(gids); }
  void set_calcium(const connect::NodeSet& nodes, const Values& values) { changed(growing_).set_calcium(nodes, values); }
  std::vector<double> calcium(const std::vector<Gid>& gids, const std::string& name) const { return growing_.calcium(gids, name); }
  void grow(GrowCall call) { changed(growing_).grow(std::move(call)); }
  void forget_growth() { changed(growing_).forget(); }
  void set_updates(Step interval, bool on) { growing_.set_updates(interval, on); }
  const Growing& growing() const { return growing_; }
  std::uint64_t growth_changes() const { return growing_.changes(); }

  // --- building and running: runner.hpp
  bool build(const Poll& poll) { return built() && up_to_date() ? true : alters(runner_).build(poll); }
  Step run(Step steps, const Poll& poll) { return alters(runner_).run(steps, poll); }
  void set_waveform(const continuous::Waveform& waveform) { changed(runner_).set_waveform(waveform); }
  bool built() const { return runner_.built(); }
  bool up_to_date() const { return runner_.up_to_date(); }
  /// True when all described connections are in tables, so that they can be queried and edited.
  std::map<std::string, std::string> loaded_synapses() const { return description_.loaded_synapses(); }
  bool tables_built() const { return context_.prepared && description_.projections().empty(); }
  const std::vector<Interval>& intervals() const { return runner_.intervals(); }
  Step step() const { return context_.progress.step; }

  // --- checkpoints: keeper.hpp
  std::optional<Snapshot> snapshot(const Poll& poll, bool store_all = false) { return alters(keeper_).snapshot(poll, store_all); }
  void restore(checkpoint::Source& from) { changed(keeper_).restore(from); }

  // --- built connections: connections.hpp
  ConnectionColumns connections(const connect::NodeSet* sources, const connect::NodeSet* targets, const std::string& synapse,
                                bool gather = true) const {
    return connections_.find({sources, targets, synapse}, gather);
  }
  ConnectionColumns connections(const Connections::Query& query, bool gather = true) const { return connections_.find(query, gather); }
  const ProjectionBook& projections() const { return description_.book(); }
  std::uint64_t connection_count() const { return static_cast<std::uint64_t>(description_.expected_edges()) + connections_.n_synapses(); }
  std::uint64_t exact_connection_count() {
    return static_cast<std::uint64_t>(description_.n_described_edges()) + connections_.n_synapses();
  }
  std::span<const std::int64_t> described_edges(std::size_t n) { return description_.described_edges(n); }
  std::vector<double> get_weights(const Handles& at, bool gather = true) const { return connections_.get_weights(at, gather); }
  std::vector<double> get_state(const std::string& name, const Handles& at, bool gather = true,
                                std::optional<std::pair<Step, Step>> when = {}) const {
    return connections_.get_state(name, at, gather, when);
  }
  std::vector<double> get_parameter(const std::string& name, const Handles& at, bool gather = true) const {
    return connections_.get_parameter(name, at, gather);
  }
  Edited edit(const ConnectionEdits& edits) {
    if (!edits.only_weights()) growing_.note_changed();
    return changed(connections_).edit(edits);
  }
  std::vector<TableHash> table_hashes() const { return connections_.table_hashes(); }

  // --- planning: planner.hpp
  Forecast plan() const { return planner_.plan(); }
  std::vector<Forecast> plan(const std::vector<Machine>& machines) const { return planner_.plan(machines); }
  Machine machine() const { return planner_.machine(); }

  // --- memory, times, counts: report.hpp
  std::map<std::string, std::uint64_t> memory() const { return report_.memory(); }
  std::map<std::string, double> timers() const { return report_.timers(); }
  std::map<std::string, double> load() const { return report_.load(); }
  std::uint64_t own_spikes() const { return report_.own_spikes(); }
  std::map<std::string, std::uint64_t> counters() const { return report_.counters(); }
  std::vector<double> gather(const std::vector<double>& mine) const { return report_.gather(mine); }

  // --- ranks, threads, slices
  int threads() const { return context_.settings.threads; }
  int rank() const { return context_.rank(); }
  int ranks() const { return context_.ranks(); }
  bool dry() const { return context_.comm->mirrored(); }  ///< true: a dry run of one rank
  SliceId n_slices() const { return static_cast<SliceId>(context_.slices.size()); }
  const Router& exchanger() const { return routes_.exchanger; }
  const Levels& levels() const { return routes_.levels; }

 private:
  /// The component of a call after which build must look at everything, also if the call throws.
  template <class Component>
  Component& changed(Component& component) {
    context_.stale = true;
    return alters(component);
  }
  /// The component of a call that may change what snapshots refer to.
  template <class Component>
  Component& alters(Component& component) {
    ++*context_.changes;
    return component;
  }

  Context context_;
  Populations populations_;
  Recorders recorders_;
  Description description_;
  Connections connections_;
  Growing growing_;
  Routes routes_;
  Report report_;
  Planner planner_;
  Runner runner_;
  Keeper keeper_;
};

}  // namespace npl::sim
