// SPDX-License-Identifier: Apache-2.0
/// Connections that were built: queries, weights and state of synapses, removal, and the tables that hold them.
#pragma once
#include <atomic>
#include <optional>
#include <span>

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

/// A change of connections, the same on all ranks.
struct ConnectionEdits : Handles {            ///< which connections, each once
  bool remove = false;                        ///< they go; else they get what follows: one value each, or one for all, or none
  /// Spikes of earlier steps arrive as they were sent, later ones as the connections are now; as they were sent, too, where a shorter delay
  /// would have brought them in steps that are done.
  Step sent_before = 0;
  std::vector<double> weight = {};            ///< its sign may choose another receptor
  std::vector<std::int64_t> delay = {};       ///< [steps]
  std::vector<std::pair<std::string, std::vector<double>>> parameters = {};  ///< of the synapse model; nan: stays as it is
  std::vector<std::int32_t> label = {};
  /// Connections, edited or not, whose handles are wanted afterwards. Each rank names its own: not the same on all ranks.
  std::optional<Handles> follow = {};
};

class Connections : Part {
 public:
  Connections(Context& context, Populations& populations, Description& description, const Recorders& recorders)
      : Part(context),
        populations_(populations),
        recorders_(recorders),
        description_(description),
        specs_(description.specs().all),
        labels_(description.specs().labels),
        explicit_specs_(description.specs().widened),
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

  // Handles are valid until the next build or edit; others raise BadParameter, columns of different lengths BadLength.
  /// Present weights. With gather, collective; without: 0 for synapses that are not on this rank.
  std::vector<double> get_weights(const Handles& at, bool gather) const;
  /// Part of the state of synapses after the spikes so far, by its name (u, x, Kplus, ...); nan where the model has none. Gather: as get_weights.
  std::vector<double> get_state(const std::string& name, const Handles& at, bool gather) const;
  /// @param weights one for all or one each. Collective.
  void set_weights(const Handles& at, const std::vector<double>& weights);
  /// Removes connections or gives them other values, in one go. Connections that stay keep their state; of those removed only what they have
  /// sent remains. Returns where the connections are now that `follow` names (table and position -1: removed), or without it the edited ones (nothing
  /// when they were removed). All other handles lose their meaning. Collective.
  /// Throws BadParameter, BadDelay, UnknownName, BadLength, IllegalConnection without sources; then nothing has changed.
  Handles edit(const ConnectionEdits& edits);
  /// Of this rank, in order of slices and tables. Not collective.
  std::vector<TableHash> table_hashes() const;

  // --- building
  /// Makes the tables of the projections that wait. Not collective.
  /// @param pools by thread: memory for edges that are being sorted, left for those who come after
  /// @return false when poll asked to stop; the tables are made all the same
  bool build_tables(const Poll& poll, std::vector<SlabPool>& pools);
  tables::SourceOrder source_order() const;
  void count_synapses();  ///< collective
  void drop_sources();    ///< forgets the gids of sources on other ranks

 private:
  // reading.cpp
  tables::EdgeTable* table_at(std::int64_t slice, std::int32_t table, std::int64_t position) const;
  std::vector<double> own_weights(const Handles& at) const;
  std::vector<double> own_state(const std::string& name, const Handles& at) const;
  void widen(const std::vector<int>& orders);
  // editing.cpp
  struct EditPlan;
  struct Followed;
  EditPlan plan_edits(const ConnectionEdits& e) const;
  std::vector<double> kind_of(const tables::TableSpec& spec) const;
  std::vector<double> edited_kind(const ConnectionEdits& e, std::size_t k, const tables::EdgeTable& t) const;
  static void note_values(const ConnectionEdits& e, std::size_t k, const std::vector<double>& kind, const tables::EdgeTable& t, EditPlan& plan);
  void find_specs(EditPlan& plan);
  std::vector<Followed> places_of(const Handles& wanted) const;
  void edit_slice(Slice& slice, const ConnectionEdits& e, const EditPlan& plan, std::span<Followed> followed);
  void note_edits(const ConnectionEdits& e, EditPlan& plan);
  Handles handles_after(Handles wanted, bool of_all_ranks, std::span<const Followed> followed) const;
  // building.cpp
  void add_tables(Slice& slice, std::vector<std::unique_ptr<tables::EdgeTable>>& tables) const;
  void note_timers(const std::vector<PhaseTimer<connect::BuildPhase>>& timers);

  const Populations& populations_;
  const Recorders& recorders_;
  Description& description_;
  std::vector<std::unique_ptr<tables::TableSpec>>& specs_;
  std::vector<int>& labels_;
  std::map<const tables::TableSpec*, const tables::TableSpec*>& explicit_specs_;
  std::vector<std::unique_ptr<connect::Projection>>& projections_;
  std::uint64_t n_synapses_ = 0;
};

}  // namespace npl::sim
