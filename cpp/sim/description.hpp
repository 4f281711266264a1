// SPDX-License-Identifier: Apache-2.0
/// Description of the connections: projections to be built, device links, and the table specs of their edges.
/// Every rank makes the same calls with the same arguments; unless stated otherwise they are not collective. A call that throws has changed
/// nothing; connect() and relink() throw on all ranks if one has run out of memory.
#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "connect/builder.hpp"
#include "rng/sampler_cache.hpp"
#include "sim/projection_book.hpp"
#include "sim/recorders.hpp"
#include "sim/slice_count.hpp"
#include "sim/table_specs.hpp"

namespace npl::sim {

/// How the connections of a call can be asked for later.
struct ProjectionIdentity {
  bool kept = false;                  ///< false: only by their nodes, synapse model and label
  bool one_of_many = false;           ///< a part of a list, or one of many calls for the same nodes: see ProjectionBook::most_of_many
  std::int64_t first = -1;            ///< (projections made by several calls) number returned by the first of them; -1: this is the first
  connect::NodeSet sources, targets;  ///< (of the first call) ends of all calls of the projection; empty: pre and post
};

/// Arguments of connect.
struct ConnectCall {
  connect::NodeSet pre, post;
  std::string rule;
  connect::RuleParams rule_params;
  std::string synapse = "static_synapse";
  std::vector<std::pair<std::string, double>> synapse_params;
  std::vector<std::pair<std::string, rng::ValueSpec>> varied_params;  ///< parameters that differ from synapse to synapse
  rng::ValueSpec weight, delay;                                       ///< pA, or nS for models with conductances; ms
  int receptor = 0;
  bool double_weights = false;
  int recorder = -1;                 ///< index of the weight recorder of the synapses; -1: none
  int label = 0;                     ///< returned by queries; connections with different labels are in different tables
  bool check_only = false;           ///< what connect() would throw is thrown, but nothing is connected
  double edges_of_all_ranks = -1.0;  ///< of RuleContext; set by connect()
  ProjectionIdentity identity;

  bool has_varied_array() const {
    return std::any_of(varied_params.begin(), varied_params.end(), [](const auto& v) { return v.second.kind == rng::Kind::array; });
  }
};

/// Checkpoints: a call without arrays and parameters per synapse.
void visit_call(checkpoint::Archive& a, ConnectCall& call);

/// Edges as columns: positions in pre and post; a unique key, the same for any number of ranks; index in arrays of values (empty if the
/// rule accepts no arrays).
struct DrawnEdges {
  std::vector<std::int64_t> source, target, key, index;
};

/// Devices connected to neurons by one call. Each rank evaluates only the values of its own targets (law 3).
struct DeviceLink {
  const devices::DeviceInfo* info = nullptr;
  connect::NodeSet devices;
  connect::NodeSet targets;  ///< of every device; with pairs: device d has only target d; listed: where positions of targets count
  bool pairs = false;
  std::int64_t n_listed = -1;                       ///< edges that the ranks have listed, all of them; -1: the rule is not explicit
  std::shared_ptr<const connect::EdgeList> listed;  ///< those onto targets of this rank; null: the rule is not explicit
  connect::EdgeValues values;                       ///< arrays: of the edges of this rank where they are listed
  rng::Key key;
  int receptor = 0;             ///< -1: by sign of the weight
  bool count = false;           ///< targets ignore weights
  bool precise = false;         ///< targets take off-grid spikes
  std::uint64_t number = 0;     ///< of the call of connect: part of the key of random numbers
  std::int64_t projection = 0;  ///< number of the first call of the projection
  bool at_once = false;         ///< (currents) ModelInfo::currents_at_once of the targets
  std::int64_t n_edges() const { return n_listed >= 0 ? n_listed : (pairs ? 1 : devices.size()) * targets.size(); }
  /// Weight, and delay [steps], from device d. @param at index of the edge in arrays of values
  std::pair<double, Delay> value(std::int64_t d, Gid target, std::int64_t at) const;
  /// Calls f(d, target, local, at) for every edge onto nodes of a slice, by position of the target, then of the device.
  template <class F>
  void for_each_in(const Residents& slice, F&& f) const {
    if (listed) return for_each_listed(slice, f);
    targets.for_each_in(slice, [&](std::int64_t k, Gid gid, Local local) {
      if (pairs) return f(k, gid, local, k);
      for (std::int64_t d = 0, n = devices.size(); d < n; ++d) f(d, gid, local, k * n + d);
    });
  }

 private:
  template <class F>
  void for_each_listed(const Residents& slice, F&& f) const {
    for (std::size_t k = 0; k < listed->target.size(); ++k) {
      const Gid gid = targets[listed->target[k]];
      const Local local = slice.local(gid);
      for (auto at = listed->begin[k]; local != Residents::none && at < listed->begin[k + 1]; ++at)
        f(std::int64_t{listed->source[at]}, gid, local, static_cast<std::int64_t>(at));
    }
  }
};

/// Connections of devices as columns, by source, target and call of connect; the same for any slices.
struct DriveColumns {
  std::vector<Gid> source, target;
  std::vector<double> weight;
  std::vector<std::int64_t> delay;  ///< [steps]
  std::vector<std::int64_t> call;   ///< number of the call of connect: see relink()
  std::vector<std::int64_t> index;  ///< in the arrays of values that relink() takes; of listed edges only when gathered
};

/// A call whose edges follow from it alone, so that a checkpoint need not store them.
struct DrawnCall {
  ConnectCall call;         ///< without arrays
  std::int64_t number = 0;  ///< of the projection
  std::uint64_t seed = 0;
  int table = -1, negative_table = -1;  ///< as of connect::Projection
  tables::Code first_code = 0;
  Step built = -1;  ///< step of its build; -1: not yet
};

class Description : Part {
 public:
  Description(Context& context, Populations& populations, const Recorders& recorders)
      : Part(context), populations_(populations), recorders_(recorders) {}

  /// Describes connections; returns the number of the projection or device link. Collective, but for check_only without own_targets.
  /// Throws BadParameter, BadDelay, BadLength, UnknownName, IllegalConnection, TooLarge.
  std::int64_t connect(ConnectCall call);
  /// Throws UnknownName, BadParameter for parameters that connect would refuse.
  void check_synapse(const std::string& name, const std::vector<std::pair<std::string, double>>& parameters) const;
  /// Changes weights and delays of the connections of a device (Poisson generators, currents); they apply to future output of the device.
  /// Collective. Throws BadParameter, BadLength, BadDelay.
  /// @param number returned by connect; @param weight, delay constant, or arrays in the order of connect; for listed edges those of all
  /// ranks, by source, then target
  /// @param check_only changes nothing, only throws what the change would throw: a caller with several changes checks them all first; not
  /// collective
  void relink(std::int64_t number, const rng::ValueSpec& weight, const rng::ValueSpec& delay, bool check_only = false);
  /// The connections of devices of a projection. gather = true: of all ranks, on every rank; collective. gather = false: of this rank.
  /// @param projection number of its first call
  DriveColumns drives(std::int64_t projection, bool gather) const;
  /// Edges to targets of this rank that the next connect with this rule would make, by target. Throws as connect. Time O(nodes of post +
  /// edges), one thread.
  DrawnEdges draw_edges(const connect::NodeSet& pre, const connect::NodeSet& post, const std::string& rule,
                        const connect::RuleParams& params) const;
  /// Updates the bound of weights (and so the fixed-point scales) after array parameters of devices were set: weight times spike_weights.
  /// Throws BadParameter.
  void note_factors(const std::vector<Gid>& devices, const Values& arrays, Undo& undo);

  /// Checkpoints; loading needs the populations. The parts of links are saved by the slices.
  void visit(checkpoint::Archive& a);
  /// [specs] 1: the synapses of the table need not be stored, because connect() draws them again. @param stored [specs] others
  std::vector<std::uint8_t> drawn_again(std::span<const std::int64_t> stored) const;
  /// These tables (1) are no longer what connect() would draw. The same on all ranks.
  void note_listed(std::span<const std::int64_t> tables);
  /// Describes these calls again, to be built. @param drawn as drawn_again() returned
  void draw_again(const std::vector<std::uint8_t>& drawn);

  /// Lists the edges of loaded links again, which the loaded parts know. Not collective.
  void list_attached();
  /// Makes the parts of newly linked devices in the slices. Not collective.
  void attach_links();
  /// Links and devices whose parts have been made; set_attached() when the last ones have been dropped again.
  struct Attached {
    std::size_t links;
    std::uint64_t turns;
  };
  Attached attached() const { return {n_links_attached_, turns_}; }
  void set_attached(const Attached& of) noexcept { n_links_attached_ = of.links, turns_ = of.turns; }

  /// Forgets the projections, which have been built, the tables that they share and their numbers of edges.
  void note_built();

  /// What calls and edits add to or change, but for the marks of nodes.
  struct Kept {
    TableSpecs::Kept tables;
    std::size_t projections, links, drawn;
    std::int64_t number;
    Delay min_delay, max_delay;
    double pending_bytes;
    std::uint64_t described;
    bool channels_stale, routed;
    std::size_t book;
  };
  Kept keep() const;
  void restore(Kept& kept) noexcept;

  /// Digest of each synapse model in use that is not built in, by name.
  std::map<std::string, std::string> loaded_synapses() const;
  TableSpecs& specs() { return tables_; }
  const TableSpecs& specs() const { return tables_; }
  /// Projections not yet built.
  std::vector<std::unique_ptr<connect::Projection>>& projections() { return projections_; }
  const std::vector<std::unique_ptr<connect::Projection>>& projections() const { return projections_; }
  const std::vector<std::unique_ptr<DeviceLink>>& links() const { return links_; }
  const ProjectionBook& book() const { return book_; }
  double expected_edges() const;  ///< edges of the projections not yet built, of all ranks
  /// Work of all input in a step (slice_count.hpp), of all ranks. @param built number of synapses that are built
  Work input_work(double built) const;
  /// Numbers of edges of the last `n` projections not yet built, fewer when there are fewer. On one rank only. Drawn numbers are counted
  /// once, when first asked for: time O(edges) of these, one thread.
  std::span<const std::int64_t> described_edges(std::size_t n);
  std::int64_t n_described_edges();               ///< all edges not yet built; as described_edges
  bool precise() const;                           ///< true: some neurons or synapses use off-grid spikes
  Delay min_delay() const { return min_delay_; }  ///< [steps]; 0: no connection yet
  Delay max_delay() const { return max_delay_; }
  /// Extends the range of delays [steps]. The same on all ranks.
  void note_delays(Delay shortest, Delay longest) {
    channels_stale_ = channels_stale_ || (shortest < min_delay_ && !tables_.continuous_kinds().empty());
    min_delay_ = min_delay_ ? std::min(min_delay_, shortest) : shortest;
    max_delay_ = std::max(max_delay_, longest);
  }

 private:
  // connecting.cpp
  std::int64_t describe(ConnectCall& call);
  void mark_nodes(std::int64_t number);
  const Population* same_kind(const connect::NodeSet& nodes, const char* role) const;
  struct Sketch;
  double least_bytes(const connect::Projection& p, tables::Weights kind) const;
  void check_partners(const synapses::SynapseInfo&, const synapses::Plasticity*, const nodes::ModelInfo& post) const;
  void refuse_another(const synapses::SynapseInfo&) const;
  Sketch sketch(const ConnectCall& call, const Population& post) const;
  void take_formulas(connect::Projection&, const ConnectCall&) const;
  void check_values_sent(const ConnectCall& call, const synapses::SynapseInfo& synapse) const;
  void count_edges(ConnectCall& call) const;
  void unite(Sketch& s, const ConnectCall& call) const;
  void unite(DeviceLink& link) const;
  void check_range(const Sketch& s) const;
  std::int64_t add_projection(Sketch& s, ConnectCall& call);
  int layer_of(const ConnectCall& call, const tables::TableSpec& spec, const connect::Projection& made);
  void keep_call(const connect::Projection& p, const ConnectCall& call);
  static std::uint64_t fingerprint_of_call(const ConnectCall& call);
  void check_own_targets(const ConnectCall& call) const;
  void note_call(const ConnectCall& call);
  // drawing.cpp
  void count_described();
  // linking.cpp
  std::int64_t connect_device(ConnectCall& call, const Population& pre, const Population& post);
  Largest sent_by(const DeviceLink& link) const;
  void check_weights(const DeviceLink& link) const;
  void note_weights(const DeviceLink& link);
  std::vector<std::unique_ptr<DeviceLink>>::iterator link_of(std::int64_t number);
  void replace(std::unique_ptr<DeviceLink> link) noexcept;
  struct Drive;
  std::vector<Drive> own_drives(std::int64_t projection) const;
  std::vector<Drive> sorted_drives(std::int64_t projection, bool gather) const;
  void keep_own(DeviceLink& link) const;
  static void relist(DeviceLink& link, std::vector<Drive>& edges);
  std::unique_ptr<DeviceLink> relinked(const DeviceLink& old, const rng::ValueSpec& weight, const rng::ValueSpec& delay) const;
  void attach_link(Slice& slice, const DeviceLink& link, std::uint64_t turn) const;
  void attach_device(Slice& slice, const DeviceLink& link, std::int64_t d, std::map<std::pair<int, Delay>, devices::Targets>& of,
                     std::uint64_t turn) const;

  Populations& populations_;
  const Recorders& recorders_;
  TableSpecs tables_;
  ProjectionBook book_;
  std::vector<std::unique_ptr<tables::TableSpec>>& specs_ = tables_.all;
  std::vector<int>& labels_ = tables_.labels;
  std::vector<std::unique_ptr<connect::Projection>> projections_;
  std::vector<std::int64_t> n_edges_;  ///< of the first projections, as far as they have been counted
  std::int64_t n_edges_of_all_ = 0;    ///< their sum
  std::vector<std::unique_ptr<DeviceLink>> links_;
  std::size_t n_links_attached_ = 0;
  std::vector<DrawnCall> drawn_;
  std::set<int> listed_;                ///< tables of calls that are not among drawn_
  std::set<int> to_list_;               ///< those of the call that is being described
  std::uint64_t turns_ = 0;             ///< devices of all links that were ever attached
  mutable rng::SamplerCache samplers_;  ///< of the projections not yet built, and of links
  Delay min_delay_ = 0, max_delay_ = 0;
};

}  // namespace npl::sim
