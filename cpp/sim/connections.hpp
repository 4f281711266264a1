// SPDX-License-Identifier: Apache-2.0
/// Built connections: queries, weights and state of synapses, edits, and the building of their tables.
#pragma once
#include <array>
#include <atomic>
#include <optional>
#include <span>

#include "sim/description.hpp"
#include "sim/edited.hpp"

namespace npl::sim {

/// Connections as columns, in canonical order: (source, target, table, delay, order of generation), the same for any slices.
struct ConnectionColumns : Handles {
  std::vector<Gid> source, target;
  std::vector<double> weight;
  std::vector<std::int64_t> delay;  ///< [steps]
  std::vector<std::int32_t> synapse, receptor, label;
  std::vector<std::int16_t> layer;       ///< see ProjectionBook
  std::vector<std::int64_t> projection;  ///< where it was asked for: its number, -1 without identity; see ProjectionNumbers
};

/// Hash of a table of a slice (spec, sources, targets, delays, weights, bytes), to compare builds.
struct TableHash {
  std::int32_t slice, order;
  std::uint64_t synapses, hash;
};

/// An edit of n connections; the same on all ranks, but for `own`. New values: [n], [1] for all, or empty: unchanged.
/// Where only weights are given, connections stay in their tables, which get a weight per synapse if need be, unless a new sign selects
/// another receptor; spikes in flight transmit the new weights.
struct ConnectionEdits : Handles {  ///< the connections, each once (in place, the last of several weights counts)
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

  bool only_weights() const { return !remove && !weight.empty() && delay.empty() && parameters.empty() && label.empty(); }
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
    bool numbers = false;  ///< fills the column `projection`
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
  /// Removes connections or changes their values, in one transaction. Edited connections keep their state; spikes of removed connections
  /// emitted before `sent_before` still arrive. Handles of before are invalid where the result says so. Collective.
  /// Throws BadParameter, BadDelay, UnknownName, BadLength, IllegalConnection when the gids of sources were dropped.
  Edited edit(const ConnectionEdits& edits);
  /// Hashes of the tables of this rank, in order of slices and tables. Not collective.
  std::vector<TableHash> table_hashes() const;

  // --- building
  /// Builds the tables of all new projections, which stay described: see Description::note_built(). Not collective.
  /// @param pools [threads] memory for sorting edges; reused by the caller afterwards
  /// @return false when poll asked to stop; the tables are complete nevertheless
  bool build_tables(const Poll& poll, std::vector<SlabPool>& pools);
  void keep_for_all();
  tables::SourceOrder source_order() const;
  std::vector<const Residents*> nodes_of_slices() const;
  void count_synapses();  ///< updates n_synapses(); collective
  /// Sources on this rank of all tables, in their order.
  std::vector<tables::SourceIndex> own_sources() const;
  /// Drops the gids of all sources but these (keep_sources = false). Not collective. Allocates nothing. @param own own_sources()
  void drop_sources(std::vector<tables::SourceIndex> own) noexcept;

 private:
  /// Tables of handles; those of the last few are remembered. Valid until the next build or edit, as the handles.
  class Places {
   public:
    static constexpr std::size_t n_slots = 16;  ///< tables that are remembered
    Places(const Connections& connections, const Handles& at) : connections_(connections), at_(at) {}
    /// The table of connection k, or null if it is on another rank. Throws BadParameter for invalid handles.
    tables::EdgeTable* table(std::size_t k) {
      last_ = &known_[(static_cast<std::size_t>(at_.slice[k]) + 5 * static_cast<std::size_t>(at_.table[k])) % known_.size()];
      is_new_ = !last_->used || last_->slice != at_.slice[k] || last_->number != at_.table[k];
      if (is_new_) look_up(k);
      if (last_->table && static_cast<std::uint64_t>(at_.position[k]) >= last_->table->n_synapses())
        check_index("position", at_.position[k], last_->table->n_synapses());
      return last_->table;
    }
    std::size_t position(std::size_t k) const { return static_cast<std::size_t>(at_.position[k]); }
    // Of the last table:
    bool is_new() const { return is_new_; }  ///< false: it was met before
    /// Below n_slots; its own until another table is new there.
    std::size_t slot() const { return static_cast<std::size_t>(last_ - known_.data()); }
    Slice& slice() const { return *connections_.slices_[static_cast<std::size_t>(slice_of_handle(last_->slice))]; }
    pathways::Pathway& pathway() const { return *slice().pathways()[static_cast<std::size_t>(last_->number)]; }

   private:
    struct Known {
      bool used = false;
      std::int32_t number = 0;  ///< handles of the table
      std::int64_t slice = 0;
      tables::EdgeTable* table = nullptr;
    };
    void look_up(std::size_t k);

    const Connections& connections_;
    const Handles& at_;
    std::array<Known, n_slots> known_;
    Known* last_ = nullptr;
    bool is_new_ = false;
  };

  // reading.cpp
  static std::size_t check_index(const char* name, std::int64_t index, std::size_t n);
  pathways::Pathway* pathway_at(std::int64_t slice, std::int32_t table) const;
  tables::EdgeTable* table_at(std::int64_t slice, std::int32_t table, std::int64_t position) const;
  std::vector<double> own_weights(const Handles& at) const;
  std::vector<double> own_state(const std::string& name, const Handles& at, std::optional<std::pair<Step, Step>> when) const;
  std::vector<double> own_parameter(const std::string& name, const Handles& at) const;
  /// Of a connection, comparable between ranks: index of its current spec; receptor; 1: its weight needs another kind of storage; label;
  /// parameters.
  using Kind = std::vector<double>;
  struct EditPlan;
  struct Move;
  struct Arriving;
  struct EditedTable;
  // edit_values.cpp
  int receptor_for(const tables::TableSpec& spec, double w, const synapses::WeightBounds* bounds) const;
  bool plan_weight(const ConnectionEdits& e, std::size_t k, const tables::EdgeTable& t, EditPlan& plan) const;
  template <class F>
  void for_in_place(const ConnectionEdits& e, const EditPlan& plan, F&& f) const;
  void make_room(const ConnectionEdits& e, const EditPlan& plan, Undo& undo);
  std::vector<double> changes_since_spikes(const ConnectionEdits& e) const;
  void set_in_place(const ConnectionEdits& e, const EditPlan& plan);
  void set_parameter(const ConnectionEdits& e, const EditPlan& plan, const std::string& name, const std::vector<double>& values);
  static void set_varied(const ConnectionEdits& e, std::size_t k, std::size_t position, tables::EdgeTable& t);
  void keep_description(Undo& undo);
  void keep_values(const ConnectionEdits& e, const EditPlan& plan, Undo& undo) const;
  void widen_table(tables::EdgeTable& t, Undo& undo) const;
  static void note_edited(Slice& slice, const tables::TableSpec* spec, Undo& undo);
  void widen(std::vector<std::int64_t> wanted);
  // editing.cpp
  EditPlan plan_edits(const ConnectionEdits& e) const;
  Kind kind_of(const tables::TableSpec& spec) const;
  Kind edited_kind(const ConnectionEdits& e, std::size_t k, const tables::EdgeTable& t, const EditedTable& now) const;
  void check_new_delay(const tables::EdgeTable& t, std::size_t i, std::int64_t delay, double sub_step) const;
  void learn_before(const ConnectionEdits& e, const EditPlan& plan);
  static void note_delay(const ConnectionEdits& e, std::size_t k, const Kind& kind, const tables::EdgeTable& t, EditPlan& plan);
  void find_specs(EditPlan& plan);
  void apply(const ConnectionEdits& e, EditPlan& plan, Edited& done, Undo& undo);
  // edit_slice.cpp
  void move_between_tables(const ConnectionEdits& e, const EditPlan& plan, Edited& done, Undo& undo);
  void edit_slice(Slice& slice, const ConnectionEdits& e, const EditPlan& plan, std::span<const Move> moves, Edited& done, Undo& undo);
  void replace_pathway(Slice& slice, std::size_t pathway, std::vector<char> out, Arriving* to, const ConnectionEdits& e, Edited& done);
  bool edit_row(const ConnectionEdits& e, const EditPlan& plan, Edited& done, Undo& undo);
  void note_edits(const ConnectionEdits& e, EditPlan& plan, Edited& done);
  void agree_on(EditPlan& plan, Edited& done);
  Handles handles_after(const Handles& edited, const Edited& done) const;
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
