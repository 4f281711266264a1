// SPDX-License-Identifier: Apache-2.0
#include "sim/keeper.hpp"

#include <cmath>

#include "sim/archive_values.hpp"
#include "sim/fingerprint.hpp"
#include "sim/stored_devices.hpp"
#include "sim/stored_synapses.hpp"

namespace npl::sim {

using checkpoint::Archive;
using checkpoint::Shard;

/// Equal where nodes are dealt to ranks alike: then a rank finds all that it needs in its own shard.
std::uint64_t Keeper::dealt() const {
  Fingerprint all;
  all.add(settings_.distribution).add(ranks());
  for (const auto rank : settings_.rank_map) all.add(rank);
  for (const auto& [name, share] : settings_.areas) all.add(name).add(share);
  return all.value();
}

/// What is the same on all ranks.
void Keeper::visit(Archive& a) {
  double resolution = settings_.resolution;
  a("resolution", resolution);
  if (resolution != settings_.resolution) throw BadCheckpoint("it has another resolution");
  std::int64_t nodes = n_nodes();
  a("nodes", nodes), a("seed", settings_.seed);
  Step step = step_;
  a("step", step);
  parts_.populations.visit(a, parts_.description.input_work(static_cast<double>(parts_.connections.n_synapses())));
  if (n_nodes() != nodes) throw BadCheckpoint("nodes are missing");
  a("projections", progress_.projections);
  agreement_.visit(a);
  parts_.description.visit(a);
  step_ = step;
  parts_.recorders.visit(a);
  runner_.visit(a);
  a.in("growth", [&] { parts_.growing.visit(a); });
  if (!a.has<std::uint8_t>("use_wfr")) return;
  a("use_wfr", waveform_.used), a("wfr_tol", waveform_.tolerance), a("wfr_comm_interval", waveform_.interval);
  a("wfr_max_iterations", waveform_.most_iterations), a("wfr_interpolation_order", waveform_.order);
}

void Keeper::save_shard(checkpoint::Columns& to, const std::vector<std::uint8_t>& drawn) const {
  parts_.populations.save_neurons(to);
  save_synapses(slices_, parts_.description.specs(), drawn, step_, to);
  save_devices(slices_, to);
  parts_.growing.save(to);
  parts_.recorders.save(to);
  parts_.routes.channels.save(to, step_);
  std::uint64_t events = 0, spikes = 0;
  for (const auto& s : slices_) events += s->events(), spikes += s->spikes();
  to.keep<std::uint64_t>("counts", {events, spikes});
}

std::optional<Snapshot> Keeper::snapshot(const Poll& poll, bool store_all) {
  require_sources("snapshot");
  if (!runner_.build(poll)) return std::nullopt;
  Snapshot made;
  Largest largest = slices_[0]->largest();
  const TableSpecs& specs = parts_.description.specs();
  const std::size_t n = specs.all.size();
  std::vector<std::int64_t> marks(2 * n);
  const std::span<std::int64_t> edited(marks.data(), n), stored(marks.data() + n, n);
  std::fill(stored.begin(), stored.end(), store_all);
  together("snapshot", [&] {
    runner_.check_alive();
    mark_stored(slices_, specs, edited, stored);
    for (const auto& s : slices_)
      for (std::size_t r = 0; r < largest.size(); ++r) largest[r] = std::max(largest[r], s->largest()[r]);
  });
  if (ranks() > 1) comm_->allreduce(std::span<double>(largest), comm::Op::max), comm_->allreduce(std::span(marks), comm::Op::max);
  parts_.description.note_listed(edited);
  together("snapshot", [&] {
    std::uint64_t how = dealt();
    Largest scaled_for = slices_[0]->scaled_for();
    Archive a(made.common);
    a("dealt", how);
    visit(a);
    std::vector<std::uint8_t> drawn = parts_.description.drawn_again(stored);
    visit_per_receptor(a, "scaled_for", scaled_for), visit_per_receptor(a, "largest", largest), a("drawn_again", drawn);
    a.finish();
    save_shard(made.shard, drawn);
    const auto check = [changes = changes_, then = *changes_] {
      if (*changes != then)
        throw IllegalConnection(
            "snapshot: the network has changed since it was taken; read it before the next change, or take another one");
    };
    made.common.check_before_reading(check), made.shard.check_before_reading(check);
  });
  return made;
}

void Keeper::load_shards(std::span<const Shard> from) {
  parts_.populations.load_neurons(from);
  parts_.growing.keep_traces();
  load_flights(slices_, parts_.description.specs(), step_, from);
  const tables::SourceOrder order = parts_.connections.source_order();
  SynapseLoader(parts_.description.specs(), order, settings_.layout, step_).load(slices_, team_, from);
  for (auto& s : slices_) parts_.recorders.choose_in(*s);
  parts_.populations.attach_emitters();
  load_devices(slices_, parts_.populations, from);
  parts_.description.list_attached();
  parts_.growing.load(from);
  parts_.recorders.attach();
  parts_.recorders.load(from);
  const auto kinds = parts_.description.specs().continuous_kinds();
  channels_stale_ = !kinds.empty();
  for (const Shard& shard : from) {
    parts_.routes.channels.load(kinds, shard, [this](Gid gid) { return parts_.populations.rank_of(gid) == rank(); });
    const auto counts = shard.all<std::uint64_t>("counts");
    if (counts.size() != 2) throw BadCheckpoint("counts that do not fit");
    if (from.size() == 1 || shard.number() % ranks() == rank()) slices_[0]->count(counts[0], counts[1]);
  }
}

void Keeper::restore(checkpoint::Source& source) {
  together("restore", [&] {
    if (n_nodes() > 0 || prepared_) throw IllegalConnection("restore: this network has nodes already");
    std::uint64_t how = 0;
    Archive a(Shard(source, checkpoint::Source::common));
    a("dealt", how);
    try {
      visit(a);
    } catch (const UnknownName& e) {
      throw BadCheckpoint(e.what());
    }
    for (auto& slice : slices_) slice->set_seed(settings_.seed);  // that of now, not the one this kernel was made with
    prepared_ = true;
    Largest scaled_for{}, largest{};
    std::vector<std::uint8_t> drawn;
    visit_per_receptor(a, "scaled_for", scaled_for), visit_per_receptor(a, "largest", largest), a("drawn_again", drawn);
    if (drawn.size() != parts_.description.specs().all.size()) throw BadCheckpoint("tables that do not fit");
    parts_.description.draw_again(drawn);
    std::vector<SlabPool> pools(static_cast<std::size_t>(team_.size()));
    parts_.connections.build_tables({}, pools);
    if (!parts_.description.projections().empty()) parts_.description.note_built();
    pending_bytes_ = 0;
    parts_.connections.keep_for_all();
    std::vector<Shard> from;
    const bool own = how == dealt();
    for (int k = 0; k < source.shards(); ++k)
      if (!own || k == rank()) from.emplace_back(source, k);
    if (own && source.shards() != ranks()) throw BadCheckpoint("there are not as many shards as ranks");
    load_shards(from);
    for (auto& s : slices_) s->adopt(scaled_for, largest);
    stale_ = true;
  });
}

}  // namespace npl::sim
