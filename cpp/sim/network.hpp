// SPDX-License-Identifier: Apache-2.0
/// A network: owns everything, no global state. Describe (create, connect, record), build, run, read. Everything a user can do wrong is
/// checked before anything changes (law 6). Not thread safe: one caller at a time; it brings its own team of threads.
/// With several ranks every rank describes the same network and makes the same calls. Collective are: set, get, build, run and what reads
/// recordings, connections and counters; they agree first that all ranks do the same and none has failed (RankError), and give all ranks
/// the whole result.
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/run_error.hpp"
#include "base/team.hpp"
#include "comm/communicator.hpp"
#include "connect/builder.hpp"
#include "deliver/sizes.hpp"
#include "sim/distribution.hpp"
#include "sim/levels.hpp"
#include "sim/loop.hpp"
#include "sim/planning.hpp"
#include "sim/slice.hpp"

namespace npl::sim {

struct Settings {
  double resolution = 0.1;    ///< [ms]
  std::uint64_t seed = 1;
  int threads = 1;
  int slices = 0;               ///< at least as many slices as this, worked on by the threads; 0: one per thread
  std::int64_t block_size = 0;  ///< most nodes per slice, 0: as many as fit
  std::optional<deliver::Layout> layout = {};  ///< of all synapse tables, for tests; none: chosen per table
  std::optional<bool> sorted = {};             ///< how all tables are made, for tests; none: chosen per table
  std::shared_ptr<comm::Communicator> comm = {};  ///< none: a single rank
  std::string distribution = "round_robin";
  std::vector<std::int32_t> rank_map = {};     ///< for the distribution by_map
  std::vector<std::pair<std::string, double>> areas = {};  ///< for the distribution by_area: names, and their shares of the ranks
  ExchangeSettings exchange = {};
  bool count_intervals = false;                ///< keep what every interval took and moved
  bool keep_sources = true;                    ///< false: forget what only queries and later connections need (several ranks, directed exchange)
  bool force = false;                          ///< build and run also what will not fit into the memory of the machine
  double memory_limit = 0;                     ///< most bytes that the network may take on this rank; 0: what the machine has
  int counting = 0;                            ///< > 0: of a network on so many ranks calls are checked and noted, nothing is built: for plan()
};

/// Named values of a call: one value for all nodes or one per node.
using Values = std::vector<std::pair<std::string, std::vector<double>>>;

/// Node values that are drawn: the value of a node is a function of (seed, stream, gid), so that every rank draws for its own nodes only.
struct NodeDraw {
  std::string name;
  rng::ValueSpec spec;
  std::uint64_t stream;
};

/// One table of one slice as a number, to compare builds: sources, targets, delays, weights, what the table is for and its bytes.
struct TableHash {
  std::int32_t slice, order;
  std::uint64_t synapses, hash;
};

/// Nodes created by one call.
struct Population {
  Gid first;
  std::int64_t n;
  std::size_t block = 0;                            ///< index among the blocks of Residents
  const nodes::ModelInfo* model = nullptr;          ///< neurons
  std::vector<std::unique_ptr<devices::Device>> devices;  ///< or devices, one per node
  std::size_t group = 0;                            ///< neurons: index of the group in every slice
  bool connected = false;
  std::vector<double> uniform = {};                 ///< neurons: parameters as long as they are one value for all
  std::vector<char> varied = {};                    ///< neurons: which parameters are not
  std::size_t columns() const { return static_cast<std::size_t>(std::count(varied.begin(), varied.end(), 1)); }
};

struct ConnectCall {
  connect::NodeSet pre, post;
  std::string rule;
  connect::RuleParams rule_params;
  std::string synapse = "static_synapse";
  std::vector<std::pair<std::string, double>> synapse_params;
  rng::ValueSpec weight, delay;  ///< delay in ms
  int receptor = 0;
  bool double_weights = false;
  int recorder = -1;  ///< of `record_weights`, which notes what the synapses send; -1: none
  int label = 0;  ///< connections of different labels share no table: a query tells them apart
};

constexpr int slice_bits = 16;  ///< a handle's slice: rank, then slice of the rank

/// Connections as columns, in canonical order: (source, target, table, delay, order of generation), the same for any slices.
struct Connections {
  std::vector<Gid> source, target;
  std::vector<double> weight;
  std::vector<std::int64_t> delay;
  std::vector<std::int32_t> synapse, receptor, slice, table, label;
  std::vector<std::int64_t> position;
};

/// What synapses have sent, as columns in canonical order: (stamp, source, target, table, delay, order of generation).
struct SentWeights {
  std::vector<Step> stamp;  ///< of the spikes
  std::vector<Gid> source, target;
  std::vector<double> weight;
  std::vector<std::int64_t> delay;
  std::vector<std::int32_t> receptor, label, slice, table;
  std::vector<std::int64_t> position;
};

/// A spike that a connection, the k-th of those asked for, was not to hear of any more.
struct Unheard {
  std::int64_t k;
  Step step;
  synapses::PreValues before;  ///< (plastic)
};

/// What is known of connections that were taken out, in the order asked for; zeros for those of other ranks.
struct Taken {
  std::vector<double> weight;
  std::vector<Step> last;      ///< (plastic) stamp of the last spike of the source
  std::vector<double> values;  ///< (plastic) [connections x width] what the rule kept of the source
  std::size_t width = 0;
  std::vector<double> own;     ///< (with state of their own) [connections x own_width] and of the synapse
  std::size_t own_width = 0;
  std::vector<Unheard> unheard;
};

/// Connections as far as they name what is kept of them.
struct Edges {
  std::vector<Gid> source, target;
  std::vector<std::int64_t> delay;  ///< [steps]
};

/// Edges as columns: positions in pre and post, a key of its own for each, the same on any ranks, and its place in arrays of values; none
/// where the rule takes no arrays.
struct DrawnEdges {
  std::vector<std::int64_t> source, target, key, index;
};

class Network {
 public:
  explicit Network(const Settings& settings);
  ~Network();

  // --- describe
  /// Creates n nodes of a neuron model or a device; returns the first gid. Values have length 1 or n. Collective with draws: a value that is
  /// not allowed is seen by its owner alone. Time O(nodes of this rank), but for values of length n and devices.
  /// @param area they live on its ranks, with the distribution by_area; "": on all ranks
  Gid create(const std::string& model, std::int64_t n, const Values& values, const std::vector<NodeDraw>& draws = {}, const std::string& area = "");
  /// Removes the nodes of the last create, if nothing is connected to them or records them and nothing was built since.
  void undo_create(Gid first);
  void set(const std::vector<Gid>& gids, const Values& values);
  /// Of neurons, one value for all (length 1) or drawn ones. Time O(nodes of this rank).
  void set_each(const connect::NodeSet& nodes, const Values& values, const std::vector<NodeDraw>& draws);
  std::vector<double> get(const std::vector<Gid>& gids, const std::string& name) const;
  /// Numbers drawn from now on are others: of new connections and devices' links, of drawn values, and the noise of neurons.
  void set_seed(std::uint64_t seed);
  void set_vector(Gid device, const std::string& name, const std::vector<double>& values);
  /// Several array parameters of one device at once (times and values must fit together).
  void set_vectors(Gid device, const Values& values);
  std::vector<double> get_vector(Gid device, const std::string& name) const;
  std::string model_of(Gid gid) const;
  /// Returns the number of the projection (or of the device link).
  std::int64_t connect(ConnectCall call);
  /// Throws UnknownName, BadParameter for parameters that connect would not take.
  void check_synapse(const std::string& name, const std::vector<std::pair<std::string, double>>& parameters) const;
  /// What a device (no source of spikes) sends from now on over its connections, named by the number that connect returned, has other weights
  /// and delays: one each per connection, in the order of connect.
  void relink(std::int64_t number, const rng::ValueSpec& weight, const rng::ValueSpec& delay);
  /// The edges that the next connect with this rule would make to targets of this rank, by target. Time O(nodes of post + edges), one thread.
  DrawnEdges draw_edges(const connect::NodeSet& pre, const connect::NodeSet& post, const std::string& rule, const connect::RuleParams& params) const;
  int record_spikes(const connect::NodeSet& nodes, Step start, Step stop);
  /// A recorder for `ConnectCall::recorder`: of the synapses that name it, it notes those between these nodes; null: all.
  int record_weights(const connect::NodeSet* sources, const connect::NodeSet* targets);
  void choose_weights(int recorder, const connect::NodeSet* sources, const connect::NodeSet* targets);
  int record_state(const std::vector<Gid>& gids, const std::vector<std::string>& names, record::Sampling sampling);

  /// What a stimulator sends to a recorder from now on: spikes, a current, or its rate. @param repeat how many such connections there are already
  int listen(Gid device, Gid recorder, int repeat, bool rate);
  /// Frozen nodes stay as they are and send nothing; what arrives meanwhile is lost.
  void freeze(const std::vector<Gid>& gids, bool frozen);

  // --- build and run
  /// Collective. Throws TooLarge when the need of all ranks of this machine does not fit, on all of them RankError when another rank failed or
  /// its poll asked to stop; what was described is built then. Memory that runs out while routes are made ends the job with a message.
  /// @return false when poll of this rank asked to stop
  bool build(const Poll& poll);
  /// Collective. Returns the steps done, fewer when poll stopped it. Builds first if needed. All ranks end after the same step, and throw
  /// NumericalInstability (on all ranks), TooLarge where recordings or spikes in flight have used up the memory, RankError when another rank
  /// failed or its poll asked to stop. After NumericalInstability, and after an error in a step, the network can only be read: run
  /// throws the same again. After TooLarge and stops it can run on.
  Step run(Step steps, const Poll& poll);

  // --- read
  std::vector<Spike> spikes(int recorder) const { return emitted(recorder).spikes; }
  /// With offsets, where there are spikes between grid points; in the order of time then.
  Emitted emitted(int recorder) const;
  /// Are there neurons or synapses for which the time of a spike inside its step matters?
  bool precise() const;
  void clear_spikes(int recorder);
  /// What was noted since the recorder was cleared, of the spikes that have reached their targets. Collective.
  SentWeights sent_weights(int recorder) const;
  void clear_weights(int recorder);
  struct Samples {
    std::vector<Step> stamps;
    std::vector<double> values;  ///< [stamps][nodes][names]
  };
  Samples samples(int recorder) const;
  std::pair<std::size_t, std::size_t> sample_shape(int recorder) const;  ///< nodes, names
  void clear_samples(int recorder);
  struct Heard {
    Step first;                  ///< stamp of the first value
    std::vector<double> values;  ///< of consecutive steps: numbers of spikes, pA or spikes/s
    std::vector<double> offsets;  ///< of the spikes [ms]; empty: they are on the grid
  };
  /// Since the last call; up to now.
  Heard heard(int listener);
  Connections connections(const connect::NodeSet* sources, const connect::NodeSet* targets, const std::string& synapse) const;
  std::uint64_t connection_count() const;
  /// Present weights of connections named by the columns slice, table, position of `connections`; valid until the next build.
  std::vector<double> get_weights(const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table,
                                  const std::vector<std::int64_t>& position) const;
  /// As get_weights, without asking other ranks: 0 for synapses that are not on this rank. Not collective.
  std::vector<double> own_weights(const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table,
                                  const std::vector<std::int64_t>& position) const;
  /// Part of the state of such connections after the spikes so far, by its name (u, x, Kplus, ...); nan where the model has none. Collective.
  std::vector<double> get_state(const std::string& name, const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table,
                                const std::vector<std::int64_t>& position) const;
  std::vector<double> own_state(const std::string& name, const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table,
                                const std::vector<std::int64_t>& position) const;
  void set_weights(const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table, const std::vector<std::int64_t>& position,
                   const std::vector<double>& weights);
  /// Removes connections, named as for get_weights, each once. Spikes of steps before `sent` that are on their way over them arrive, and have
  /// changed plastic weights by now.
  Taken disconnect(const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table, const std::vector<std::int64_t>& position, Step sent);
  /// Connections made by the last build go on with what others, of the same synapse model and in the same order, knew. Not collective.
  void inherit(const Edges& edges, const Taken& states);
  /// And they hear of spikes of the last intervals (k: index into sources), so long ago at most that none should have arrived. Not collective.
  void resend(const std::vector<Gid>& sources, const std::vector<Unheard>& spikes);
  /// The memory model for this rank: with what is built already ("built", part of "total").
  Forecast plan() const;
  /// For what was described and not yet built, on other machines.
  std::vector<Forecast> plan(const std::vector<Machine>& machines) const;
  Machine machine() const;  ///< where this network is
  std::map<std::string, std::uint64_t> memory() const;
  /// Of this rank, in order of slices and tables.
  std::vector<TableHash> table_hashes() const;
  std::map<std::string, double> timers() const;
  /// What this rank holds and does: neurons, synapses, spikes, events, seconds of compute, exchange and wait, bytes sent and held.
  std::map<std::string, double> load() const;
  std::map<std::string, std::uint64_t> counters() const;
  /// The values of all ranks, in order of ranks.
  std::vector<double> gather(const std::vector<double>& mine) const;

  Step step() const { return step_; }
  std::int64_t n_nodes() const { return next_gid_ - 1; }
  int threads() const { return settings_.threads; }
  int rank_of(Gid gid) const;  ///< where a node lives
  int rank() const { return comm_->rank(); }
  int ranks() const { return settings_.counting ? settings_.counting : comm_->size(); }
  bool dry() const { return comm_->mirrored(); }  ///< is this one rank of many, played alone?
  const Exchanger& exchanger() const { return exchanger_; }
  const Levels& levels() const { return levels_; }
  const std::vector<Interval>& intervals() const { return intervals_; }
  SliceId n_slices() const { return static_cast<SliceId>(slices_.size()); }
  Delay min_delay() const { return min_delay_; }
  Delay max_delay() const { return max_delay_; }

 private:
  struct SpikeRecorder {
    connect::NodeSet nodes;
    Step start, stop;
  };
  struct StateRecorder {
    std::vector<Gid> gids;
    std::vector<std::string> names;
    record::Sampling sampling;
    Step since;  ///< samples have stamps > since
  };
  struct WeightRecorder {
    std::optional<connect::NodeSet> sources, targets;
  };
  struct Listener {
    const devices::Device* device;
    std::unique_ptr<devices::Part> part;  ///< null: of the rate
    Step next;                            ///< stamp of the next value
  };
  /// Devices connected to neurons by one call. Values of a target are found where it lives (law 3).
  struct Link {
    std::vector<const devices::Device*> devices;
    connect::NodeSet targets;  ///< of all devices; with pairs: target d of device d alone
    bool pairs = false;
    connect::EdgeValues values;
    rng::Key key;
    int receptor = 0;          ///< -1: by sign of the weight
    bool count = false;        ///< targets ignore weights
    bool precise = false;      ///< targets take spikes between grid points
    std::uint64_t number = 0;  ///< of the projection: part of the key of random numbers
    /// Weight and delay of device d onto target k.
    std::pair<double, Delay> value(std::int64_t d, std::int64_t k, Gid gid) const;
  };

  // nodes.cpp
  Population& population_of(Gid gid, const char* parameter);
  const Population& population_of(Gid gid, const char* parameter) const;
  int area_of(const std::string& name) const;
  void check_values(const Population& p, const std::vector<Gid>* gids, std::size_t n, const Values& values) const;
  void check_each(const connect::NodeSet& nodes, const Values& values, const std::vector<NodeDraw>& draws) const;
  void check_new_neurons(const Population& p, const Values& values, const std::vector<NodeDraw>& draws) const;
  void check_drawn(const Population& p, const Values& values, const std::vector<NodeDraw>& draws) const;
  std::vector<double> drawn(const NodeDraw& d, const Members& members) const;
  void assign_drawn(Population& p, const std::vector<NodeDraw>& draws);
  void assign(Population& p, const std::vector<Gid>* gids, const Values& values);
  static void note_columns(Population& p, bool everyone, const Values& values, const std::vector<NodeDraw>& draws);
  static double counted_value(const Population& p, const std::string& name);
  void make_devices(Population& p, const devices::DeviceInfo& info, const Values& values);
  /// The part of a call that concerns one population.
  struct Piece {
    Population* population;
    std::vector<Gid> gids;
    Values values;
  };
  using NewSetting = std::pair<devices::Device*, devices::Setting>;
  static const devices::DeviceInfo* find_kind(const std::string& model, Population& p);
  std::vector<Piece> pieces(const std::vector<Gid>& gids, const Values& values);
  void add_settings(const Piece& piece, std::vector<NewSetting>& out) const;
  void adopt(devices::Device& d, devices::Setting s) const;
  void deal(SliceId n);
  void make_room(const Population& p);
  Members members_of(const Population& p, SliceId slice, SliceId slices) const;
  std::int64_t largest_slice(SliceId slices, const Population& added) const;
  double value_of(Gid gid, const std::string& name) const;
  /// Where a neuron's parameters and state are on this rank.
  struct Seat {
    nodes::Group* group = nullptr;  ///< null: on another rank
    std::size_t at = 0;
    Slice* slice = nullptr;
  };
  Seat seat_of(Gid gid, const Population& p) const;

  // agreeing.cpp
  /// Collective: all ranks are in the same call, have described the same network, and none brings an error; else RankError on all, or the own error.
  /// @param arguments fingerprint of those that must be the same on all ranks
  void agree(const char* call, std::exception_ptr error = nullptr, std::uint64_t arguments = 0) const;
  void compare(const char* call, const std::exception_ptr& error, std::uint64_t arguments) const;
  /// Runs a part of a collective call that may fail on one rank only, and agrees on how it went.
  template <class F>
  void together(const char* call, F&& f, std::uint64_t arguments = 0) const {
    std::exception_ptr error;
    try {
      f();
    } catch (...) {
      error = std::current_exception();
    }
    agree(call, error, arguments);
  }
  /// Runs a collective part of a call in which nothing should fail. If something does (memory), all ranks end with a message: they would wait.
  template <class F>
  void or_abort(const char* when, F&& f) const {
    try {
      f();
    } catch (...) {
      if (ranks() > 1) comm_->abort(1, std::string(when) + ": " + text_of(std::current_exception()));
      throw;
    }
  }
  void note(std::uint64_t what);  ///< into the fingerprint of the description
  std::uint64_t fingerprint_of_settings() const;

  // connecting.cpp
  std::int64_t describe(ConnectCall call);
  void mark_connected(const connect::NodeSet& set);
  const Population* same_kind(const connect::NodeSet& nodes, const char* role) const;
  int table_for(const ConnectCall& call, const synapses::SynapseInfo& synapse, const std::vector<double>& parameters, int receptor, bool counts,
                bool by_sign, bool precise, deliver::Weights weights);
  struct Sketch;
  Sketch sketch(const ConnectCall& call, const Population& post) const;
  void count_edges(ConnectCall& call) const;
  void unite(Sketch& s, const ConnectCall& call) const;
  std::int64_t add_projection(Sketch& s, ConnectCall& call);
  static std::uint64_t fingerprint_of_call(const ConnectCall& call);
  void check_own_targets(const ConnectCall& call) const;
  void note_call(const ConnectCall& call);
  void note_largest(int receptor, double weight);
  void note_weights(const Link& link);
  std::int64_t connect_device(ConnectCall& call, const Population& pre, const Population& post);

  // outlining.cpp
  Outline outline() const;
  void check_memory(double new_bytes, const std::string& what) const;
  double build_needs() const;
  void check_build() const;
  void check_limit(const std::string& what, double needed) const;

  // weights_sent.cpp
  void check_weight_recorder(int recorder) const;
  void choose_in(Slice& slice) const;
  // erasing.cpp
  using Out = std::map<std::pair<std::size_t, std::size_t>, std::vector<char>>;  ///< by slice and table: which synapses are to go
  Out marked(const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table, const std::vector<std::int64_t>& position) const;
  Taken states_of(const std::vector<std::int32_t>& slice, const std::vector<std::int32_t>& table, const std::vector<std::int64_t>& position) const;
  /// Calls f(slice, deliverer) for the tables that the last build made.
  template <class F>
  void for_new_tables(F&& f) {
    for (std::size_t s = 0; s < slices_.size() && s < tables_before_.size(); ++s)
      for (std::size_t d = tables_before_[s]; d < slices_[s]->deliverers().size(); ++d) f(*slices_[s], slices_[s]->deliverers()[d]);
  }
  static void inherit_own(Slice& slice, deliver::EdgeTable& table, const Edges& edges, const Taken& states);
  void count_synapses();

  // reading.cpp
  static void check_columns(std::size_t slice, std::size_t table, std::size_t position);
  static std::size_t slice_of(std::int32_t column);
  deliver::EdgeTable* table_at(std::int32_t slice, std::int32_t table, std::int64_t position) const;
  void widen(const std::vector<int>& orders);
  // building.cpp
  static std::map<std::pair<int, Delay>, devices::Targets> local_targets(const Slice& slice, const Link& link, std::int64_t d);
  void attach_link(Slice& slice, const Link& link) const;
  void attach_links();
  void attach_recorders();
  bool build_tables(const Poll& poll, std::vector<SlabPool>& pools);
  void run_watched(const std::function<void(int)>& work, std::atomic<int>& running, const std::function<void()>& poll);
  void prepare_slices();
  void route(SlabPool& pool);
  Mirror mirror() const;
  void drop_sources();
  void require_sources(const char* what) const;
  // running.cpp
  Rhythm rhythm() const;
  MemoryBudget budget() const;
  void add_run_timers(const std::vector<PhaseTimer<RunPhase>>& timers, double wall);

  template <class F>
  void for_own_slices(int thread, F&& f) {
    for (std::size_t s = static_cast<std::size_t>(thread); s < slices_.size(); s += static_cast<std::size_t>(team_.size())) f(*slices_[s]);
  }

  Settings settings_;
  std::shared_ptr<comm::Communicator> comm_;
  std::unique_ptr<Distribution> distribution_;
  Exchanger exchanger_;  ///< of all ranks
  Levels levels_;
  std::uint64_t described_ = 0;     ///< fingerprint of all calls that described the network
  bool routed_ = false;             ///< have routes been made since the last connect? The same on all ranks, also after a failure on one
  bool sources_kept_ = true;        ///< are the gids of all sources still known?
  std::int64_t routed_nodes_ = 0;   ///< nodes there were when routes were made
  std::vector<std::size_t> tables_before_;  ///< [slices] tables there were before the last build
  std::uint64_t n_synapses_ = 0;    ///< built, of all ranks
  Team team_;
  Gid next_gid_ = 1;
  Step step_ = 0;
  bool prepared_ = false;  ///< slices are fixed from the first build on
  std::vector<std::unique_ptr<Population>> populations_;
  std::vector<std::unique_ptr<Slice>> slices_;
  std::vector<std::unique_ptr<deliver::TableSpec>> specs_;
  std::vector<int> labels_;  ///< of the calls whose edges go to a table, by the order of its spec
  std::map<const deliver::TableSpec*, const deliver::TableSpec*> explicit_specs_;  ///< specs with a weight per synapse, made when weights were set
  std::vector<std::unique_ptr<connect::Projection>> projections_;  ///< not yet built
  std::vector<std::unique_ptr<Link>> links_;                       ///< of devices
  std::size_t n_links_attached_ = 0;
  std::int64_t n_projections_ = 0;
  std::vector<SpikeRecorder> spike_recorders_;
  std::vector<StateRecorder> state_recorders_;
  std::vector<WeightRecorder> weight_recorders_;
  std::size_t spike_recorders_attached_ = 0, state_recorders_attached_ = 0;
  std::vector<Listener> listeners_;
  std::set<Gid> emitting_;  ///< emitting devices that slices know of
  Largest largest_{};       ///< largest |weight| per receptor that was ever connected or set
  Delay min_delay_ = 0, max_delay_ = 0;  ///< 0: no connection yet
  Largest agreed_largest_{};  ///< plastic weights met up to the last interval but one, of all ranks
  std::vector<Interval> intervals_;
  std::map<std::string, double> timers_;
  std::exception_ptr failed_;  ///< of a run after which the network can only be read. On all ranks or on none
};

/// At the end of a process: whoever is in a collective call learns that this rank has ended, instead of waiting for it.
void leave(comm::Communicator& comm);

}  // namespace npl::sim
