// SPDX-License-Identifier: Apache-2.0
/// Built connections: queries, weights and state of synapses, edits, and the building of their tables.
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
  std::vector<std::int16_t> layer;  ///< see ProjectionBook
};

/// Hash of a table of a slice (spec, sources, targets, delays, weights, bytes), to compare builds.
struct TableHash {
  std::int32_t slice, order;
  std::uint64_t synapses, hash;
};

/// An edit of n connections; the same on all ranks, but for `own`. New values: [n], [1] for all, or empty: unchanged.
struct ConnectionEdits : Handles {  ///< the connections, each once
  bool remove = false;              ///< remove the connections; the new values are ignored
  /// With remove: each rank gives connections of its own, and only these.
  bool own = false;
  /// Spikes emitted before this step arrive with the old values, later ones with the new; also with the old values if they would have
  /// arrived already with a shorter new delay.
  Step sent_before = 0;
  std::vector<double> weight = {};                                           ///< new weights; a new sign may select another receptor
  std::vector<std::int64_t> delay = {};                                      ///< new delays [steps]
  std::vector<std::pair<std::string, std::vector<double>>> parameters = {};  ///< new parameters of the synapse model; nan: unchanged
  std::vector<std::int32_t> label = {};
  /// True: of one connection only; where more than its row would have to change, nothing is done, and edit() returns no handle on any
  /// rank.
  bool in_row = false;
  /// Connections, edited or not, whose new handles edit() returns. Own connections of each rank; not the same on all ranks.
  std::optional<Handles> follow = {};
};

/// See each call for collectivity. A call that throws has changed nothing, and throws on all ranks if it is collective.
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

  /// Selection of connections; null or empty: all.
  struct Query {
    const connect::NodeSet *sources = nullptr, *targets = nullptr;
    std::string synapse = {};
    /// Only those of this projection, in time O(rows of its sources in its tables); sources and targets are its own, whatever is given.
    /// -1: only those of projections that have no identity.
    std::optional<std::int64_t> projection = {};
  };
  /// gather = true: connections of all ranks, on every rank; collective. gather = false: connections of this rank; not collective.
  /// Throws UnknownName, BadParameter for nodes or a projection that do not exist, IllegalConnection when the gids of sources were dropped.
  ConnectionColumns find(const Query& query, bool gather) const;
  std::uint64_t n_synapses() const { return n_synapses_; }  ///< built synapses of all ranks

  // Handles are valid until the next build or edit; others raise BadParameter, columns of different lengths BadLength.
  /// Current weights. gather = true: collective. gather = false: not collective, 0 for synapses of other ranks.
  std::vector<double> get_weights(const Handles& at, bool gather) const;
  /// State variable of synapses (u, x, Kplus, ...) after the spikes so far; nan if the model has no such variable. gather: see get_weights.
  /// @param when StateTime::spikes and ::time [steps]; none: now
  std::vector<double> get_state(const std::string& name, const Handles& at, bool gather, std::optional<std::pair<Step, Step>> when) const;
  /// Parameter of the synapse model; nan if the model has none of this name. gather: see get_weights.
  std::vector<double> get_parameter(const std::string& name, const Handles& at, bool gather) const;
  /// Sets weights. @param weights [1] for all or [n]. Collective.
  void set_weights(const Handles& at, const std::vector<double>& weights);
  /// Removes connections or changes their values, in one transaction. Edited connections keep their state; spikes of removed connections
  /// emitted before `sent_before` still arrive. Returns new handles of the connections in `follow` (table and position -1: removed), or
  /// without it of the edited ones (empty after removal), and invalidates all others. Collective.
  /// Throws BadParameter, BadDelay, UnknownName, BadLength, IllegalConnection when the gids of sources were dropped.
  Handles edit(const ConnectionEdits& edits);
  /// Hashes of the tables of this rank, in order of slices and tables. Not collective.
  std::vector<TableHash> table_hashes() const;

  // --- building
  /// Builds the tables of all new projections, which stay described: see Description::note_built(). Not collective.
  /// @param pools [threads] memory for sorting edges; reused by the caller afterwards
  /// @return false when poll asked to stop; the tables are complete nevertheless
  bool build_tables(const Poll& poll, std::vector<SlabPool>& pools);
  void keep_for_all();
  tables::SourceOrder source_order() const;
  void count_synapses();  ///< updates n_synapses(); collective
  /// Sources on this rank of all tables, in their order.
  std::vector<tables::SourceIndex> own_sources() const;
  /// Drops the gids of all sources but these (keep_sources = false). Not collective. Allocates nothing. @param own own_sources()
  void drop_sources(std::vector<tables::SourceIndex> own) noexcept;

 private:
  /// Tables of handles, looked up once for neighbours in one table. Valid until the next build or edit, as the handles.
  class Places {
   public:
    Places(const Connections& connections, const Handles& at) : connections_(connections), at_(at) {}
    /// The table of connection k, or null if it is on another rank. Throws BadParameter for invalid handles.
    tables::EdgeTable* table(std::size_t k) {
      if (at_.slice[k] != slice_ || at_.table[k] != number_) look_up(k);
      if (table_) check_index("position", at_.position[k], table_->n_synapses());
      return table_;
    }
    std::size_t position(std::size_t k) const { return static_cast<std::size_t>(at_.position[k]); }
    Slice& slice() const { return *connections_.slices_[static_cast<std::size_t>(slice_of_handle(slice_))]; }  ///< of the last table
    pathways::Pathway& pathway() const { return *slice().pathways()[static_cast<std::size_t>(number_)]; }      ///< of the last table

   private:
    void look_up(std::size_t k);

    const Connections& connections_;
    const Handles& at_;
    std::int64_t slice_ = -1;  ///< handle of the last table
    std::int32_t number_ = -1;
    tables::EdgeTable* table_ = nullptr;
  };

  // reading.cpp
  static std::size_t check_index(const char* name, std::int64_t index, std::size_t n);
  pathways::Pathway* pathway_at(std::int64_t slice, std::int32_t table) const;
  tables::EdgeTable* table_at(std::int64_t slice, std::int32_t table, std::int64_t position) const;
  std::vector<double> own_weights(const Handles& at) const;
  std::vector<double> changes_since_spikes(const Handles& at) const;
  std::vector<double> own_state(const std::string& name, const Handles& at, std::optional<std::pair<Step, Step>> when) const;
  std::vector<double> own_parameter(const std::string& name, const Handles& at) const;
  static void set_varied(const ConnectionEdits& e, std::size_t k, std::size_t position, tables::EdgeTable& t);
  void widen(const std::vector<int>& orders);
  void widen_table(tables::EdgeTable& t, Undo& undo) const;
  void make_room(const Handles& at, const std::vector<double>& weights, Undo& undo);
  void keep_weights(const Handles& at, Undo& undo) const;
  void put_weights(const Handles& at, const std::vector<double>& weights, const std::vector<double>& changes);
  void refresh(const Handles& at, std::size_t k);
  void note_edited(const Handles& at, std::size_t k, Undo& undo);
  static void note_edited(Slice& slice, const tables::TableSpec* spec, Undo& undo);
  void keep_description(Undo& undo);
  void keep_values(const Handles& at, const std::vector<std::size_t>& which, Undo& undo) const;
  // editing.cpp
  struct EditPlan;
  struct Followed;
  EditPlan plan_edits(const ConnectionEdits& e) const;
  std::vector<double> kind_of(const tables::TableSpec& spec) const;
  std::vector<double> edited_kind(const ConnectionEdits& e, std::size_t k, const tables::EdgeTable& t) const;
  void check_new_delay(const tables::EdgeTable& t, std::size_t i, std::int64_t delay, double sub_step) const;
  void learn_before(const ConnectionEdits& e, const EditPlan& plan);
  static void note_values(const ConnectionEdits& e, std::size_t k, const std::vector<double>& kind, const tables::EdgeTable& t,
                          EditPlan& plan);
  void find_specs(EditPlan& plan);
  std::vector<Followed> places_of(const Handles& wanted) const;
  std::optional<Handles> apply(const ConnectionEdits& e, EditPlan& plan, std::vector<Followed>& followed, Handles wanted, Undo& undo);
  void set_in_place(const ConnectionEdits& e, const EditPlan& plan, Undo& undo);
  void move_between_tables(const ConnectionEdits& e, const EditPlan& plan, std::span<Followed> followed, Undo& undo);
  bool anywhere(bool here) const;
  bool edit_row(const ConnectionEdits& e, const EditPlan& plan, std::span<Followed> followed, Undo& undo);
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
