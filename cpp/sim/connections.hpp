// SPDX-License-Identifier: Apache-2.0
/// Connections that were built: queries, weights and state of synapses, removal, and the tables that hold them.
#pragma once
#include <atomic>

#include "sim/description.hpp"

namespace npl::sim {

/// Connections as columns, in canonical order: (source, target, table, delay, order of generation), the same for any slices.
struct ConnectionColumns : Handles {
  std::vector<Gid> source, target;
  std::vector<double> weight;
  std::vector<std::int64_t> delay;  ///< [steps]
  std::vector<std::int32_t> synapse, receptor, label;
};

/// One table of one slice as a number, to compare builds: sources, targets, delays, weights, what the table is for and its bytes.
struct TableHash {
  std::int32_t slice, order;
  std::uint64_t synapses, hash;
};

/// In-flight spike of a removed connection (k: index in the request).
struct InFlight {
  std::int64_t k;
  Step step;
  synapses::PreValues before;  ///< (plastic)
};

/// State of removed connections, in the order asked for; zeros for those of other ranks.
struct RemovedState {
  std::vector<double> weight;
  std::vector<Step> last;      ///< (plastic) stamp of the last spike of the source
  std::vector<double> values;  ///< (plastic) [connections x width] traces of the source
  std::size_t width = 0;
  std::vector<double> own;  ///< (with own state) [connections x own_width] state of the synapse
  std::size_t own_width = 0;
  std::vector<InFlight> in_flight;
};

/// Connections by what identifies their state.
struct Edges {
  std::vector<Gid> source, target;
  std::vector<std::int64_t> delay;  ///< [steps]
};

class Connections : Part {
 public:
  Connections(Context& context, Populations& populations, Description& description, const Recorders& recorders)
      : Part(context),
        populations_(populations),
        recorders_(recorders),
        specs_(description.specs().all),
        labels_(description.specs().labels),
        explicit_specs_(description.specs().widened),
        largest_(description.specs().largest),
        projections_(description.projections()) {}

  /// Which connections to find; null or empty: all.
  struct Query {
    const connect::NodeSet *sources = nullptr, *targets = nullptr;
    std::string synapse = {};
  };
  /// With gather, collective: the connections of all ranks, on every rank. Without: those of this rank, asked for by this rank alone.
  /// Throws UnknownName, BadParameter for nodes that do not exist.
  ConnectionColumns find(const Query& query, bool gather) const;
  std::uint64_t n_synapses() const { return n_synapses_; }  ///< built, of all ranks

  // Handles are valid until the next build or disconnect; others raise BadParameter, columns of different lengths BadLength.
  /// Present weights. Collective.
  std::vector<double> get_weights(const Handles& at) const;
  /// As get_weights, without asking other ranks: 0 for synapses that are not on this rank. Not collective.
  std::vector<double> own_weights(const Handles& at) const;
  /// Part of the state of synapses after the spikes so far, by its name (u, x, Kplus, ...); nan where the model has none. Collective.
  std::vector<double> get_state(const std::string& name, const Handles& at) const;
  /// As get_state, without asking other ranks. Not collective.
  std::vector<double> own_state(const std::string& name, const Handles& at) const;
  /// @param weights one for all or one each. Collective.
  void set_weights(const Handles& at, const std::vector<double>& weights);
  /// Removes connections, each once. In-flight spikes of steps before `sent` still arrive; plastic weights have changed for them already.
  /// The others are returned. Collective. Throws IllegalConnection without sources.
  RemovedState disconnect(const Handles& at, Step sent);
  /// Copies the state of replaced synapses to those that the last build made (same model, same order). Not collective.
  void inherit(const Edges& edges, const RemovedState& states);
  /// Queues in-flight spikes (k: index into sources) in the tables that the last build made. None of them may be due already. Not
  /// collective.
  void resend(const std::vector<Gid>& sources, const std::vector<InFlight>& spikes);
  /// Of this rank, in order of slices and tables. Not collective.
  std::vector<TableHash> table_hashes() const;

  // --- building
  /// Makes the tables of the projections that wait. Not collective.
  /// @param pools by thread: memory for edges that are being sorted, left for those who come after
  void build_tables(const Poll& poll, std::vector<SlabPool>& pools);
  void count_synapses();  ///< collective
  void drop_sources();    ///< forgets the gids of sources on other ranks

 private:
  // reading.cpp
  deliver::EdgeTable* table_at(std::int64_t slice, std::int32_t table, std::int64_t position) const;
  void widen(const std::vector<int>& orders);
  // erasing.cpp
  using Out = std::map<std::pair<std::size_t, std::size_t>, std::vector<char>>;  ///< by slice and table: which synapses are to go
  Out marked(const Handles& at) const;
  RemovedState states_of(const Handles& at) const;
  /// Calls f(slice, deliverer) for the tables that the last build made.
  template <class F>
  void for_new_tables(F&& f) {
    for (std::size_t s = 0; s < slices_.size() && s < tables_before_.size(); ++s)
      for (std::size_t d = tables_before_[s]; d < slices_[s]->deliverers().size(); ++d) f(*slices_[s], slices_[s]->deliverers()[d]);
  }
  static void inherit_own(Slice& slice, deliver::EdgeTable& table, const Edges& edges, const RemovedState& states);
  // building.cpp
  void run_watched(const std::function<void(int)>& work, std::atomic<int>& running, const std::function<bool()>& poll);

  const Populations& populations_;
  const Recorders& recorders_;
  std::vector<std::unique_ptr<deliver::TableSpec>>& specs_;
  std::vector<int>& labels_;
  std::map<const deliver::TableSpec*, const deliver::TableSpec*>& explicit_specs_;
  Largest& largest_;
  std::vector<std::unique_ptr<connect::Projection>>& projections_;
  std::vector<std::size_t> tables_before_;  ///< [slices] tables there were before the last build
  std::uint64_t n_synapses_ = 0;
};

}  // namespace npl::sim
