// SPDX-License-Identifier: Apache-2.0
/// Synapses, their spikes in flight and postsynaptic traces in checkpoints: what a rank stores, by slice, and how the slices of another
/// number of ranks and threads find their share.
#pragma once
#include <span>
#include <vector>

#include "base/team.hpp"
#include "sim/each_table.hpp"
#include "sim/slice.hpp"
#include "sim/table_specs.hpp"
#include "tables/stored.hpp"

namespace npl::sim {

/// A table of a slice of a rank that saved.
struct StoredTableOf {
  int slice = 0, spec = 0;
  std::uint64_t seed = 0;  ///< of the random numbers of its synapses
  tables::StoredTable extent;
  std::uint64_t queued = 0, events = 0;  ///< rows with a spike in flight; recorded weights
  void visit(checkpoint::Archive& a) {
    a("slice", slice), a("spec", spec), a("seed", seed), a("queued", queued), a("events", events);
    extent.visit(a);
  }
};

/// What a shard holds of synapses, but for the tables themselves.
struct StoredSynapses {
  std::vector<std::vector<Gid>> nodes;  ///< [slices] gids by local index
  std::vector<StoredTableOf> tables;
  std::vector<std::vector<pathways::Flight>> queued;       ///< [tables]
  std::vector<std::vector<pathways::WeightEvent>> events;  ///< [tables]

  explicit StoredSynapses(const checkpoint::Shard& from);
};

/// Marks the specs whose tables must be stored although they were drawn: synapses were edited; or, for now, a source has several rows.
/// @param edited, stored [specs] set to 1
void mark_stored(const Slices& slices, const TableSpecs& specs, std::span<std::int64_t> edited, std::span<std::int64_t> stored);
/// Saves the tables, spikes in flight and traces of the slices of a rank. @param now earlier steps are done
/// @param drawn [specs] 1: the table is drawn again, so only its spikes in flight are saved
void save_synapses(Slices& slices, const TableSpecs& specs, const std::vector<std::uint8_t>& drawn, Step now, checkpoint::Columns& to);
/// Queues the spikes in flight of tables that were drawn again. Throws BadCheckpoint.
void load_flights(Slices& slices, const TableSpecs& specs, Step now, std::span<const checkpoint::Shard> from);

/// Loads those of the targets on this rank into slices without synapses.
class SynapseLoader {
 public:
  /// @param order of the rows of tables @param now earlier steps are done
  SynapseLoader(const TableSpecs& specs, const tables::SourceOrder& order, std::optional<tables::Layout> layout, Step now)
      : specs_(specs), order_(order), layout_(layout), now_(now) {}
  /// Throws BadCheckpoint.
  void load(Slices& slices, Team& team, std::span<const checkpoint::Shard> from) const;

 private:
  struct Part;
  struct Gathered;
  const tables::TableSpec& spec_of(const StoredTableOf& table) const { return specs_.at(table.spec); }
  void load_same(Slices& slices, const checkpoint::Shard& from, const StoredSynapses& stored) const;
  void load_spec(Slices& slices, Team& team, int spec, std::span<const checkpoint::Shard> from,
                 const std::vector<StoredSynapses>& stored) const;
  void load_parts(Slice& slice, const tables::TableSpec& spec, std::span<const Part> parts) const;
  static bool has_events(const Slice& slice, std::span<const Part> parts);
  void gather(const Slice& slice, const Part& part, Gathered& to) const;

  const TableSpecs& specs_;
  const tables::SourceOrder order_;
  const std::optional<tables::Layout> layout_;
  const Step now_;
};

}  // namespace npl::sim
