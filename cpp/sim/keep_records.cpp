// SPDX-License-Identifier: Apache-2.0
/// Recorders and what they hold in checkpoints.
#include <algorithm>
#include <unordered_map>

#include "sim/archive_values.hpp"
#include "sim/recorders.hpp"

namespace npl::sim {

using checkpoint::Archive;
using checkpoint::saved;

void Recorders::visit(Archive& a) {
  a.each("spike_recorders", spike_recorders_, [&](SpikeRecorder& r) {
    sim::visit(a, "nodes", r.nodes), a("start", r.start), a("stop", r.stop);
    if (a.has<Gid>("target")) a("target", r.target);
    if (a.loading() && r.target != itself) r.devices = devices_of(r, {});
  });
  a.each("state_recorders", state_recorders_, [&](StateRecorder& r) {
    a("gids", r.gids), a("names", r.names), a("interval", r.sampling.interval), a("offset", r.sampling.offset), a("since", r.since);
    if (a.has<Gid>("target")) a("target", r.target);
    if (a.loading() && !r.names.empty()) r.devices = devices_of(r, {});
  });
  a.each("weight_recorders", weight_recorders_, [&](WeightRecorder& r) {
    for (std::optional<connect::NodeSet>* set : {&r.sources, &r.targets}) {
      bool some = set->has_value();
      a("some", some);
      if (a.loading() && some) set->emplace();
      if (some) sim::visit(a, "nodes", **set);
    }
  });
  visit_binned(a);
}

namespace {

template <class Item>
void visit_spikes(Archive& a, std::vector<Item>& spikes, std::vector<double>& offsets) {
  std::uint64_t n = spikes.size(), n_offsets = offsets.size();
  a("n", n), a("offsets", n_offsets);
  a.large<Gid>("gid", spikes, n, &Item::gid), a.large<Step>("step", spikes, n, &Item::step);
  a.large<double>("offset", offsets, n_offsets);
}

/// @param columns of the recorder that a slice samples @param values [samples][columns]
void visit_samples(Archive& a, std::vector<std::size_t>& columns, std::vector<double>& values) {
  std::uint64_t width = columns.size(), samples = width ? values.size() / width : 0;
  a("n", samples), a("width", width), a.values("column", columns, width);
  if (width && samples > UINT64_MAX / width) throw BadCheckpoint("recorded samples that do not fit");
  a.large<double>("value", values, samples * width);
}

}  // namespace

void Recorders::save(checkpoint::Columns& to) const {
  Archive a(to);
  a.in("spikes", [&] {
    for (const auto& slice : slices_)
      for (const auto& track : slice->spike_tracks())
        saved(track->spikes()).visit([&](auto& list) { visit_spikes(a, list, saved(track->offsets())); });
    if (spike_recorders_.empty()) a.declare(Emitted{}, [&](Emitted& none) { visit_spikes(a, none.spikes, none.offsets); });
  });
  a.in("samples", [&] {
    std::vector<double> none;
    for (const auto& slice : slices_)
      for (const auto& track : slice->state_tracks()) visit_samples(a, saved(track->columns()), saved(track->values()));
    if (state_recorders_.empty()) a.declare(std::vector<std::size_t>{}, [&](auto& columns) { visit_samples(a, columns, none); });
  });
  saved(*this).visit_devices(a);
  save_bins(a);
  a.finish();
}

void Recorders::load_spikes(const checkpoint::Shard& from) {
  Archive a(from);
  const std::uint64_t tracks = a.left<std::uint64_t>("spikes/n");
  for (std::size_t k = 0; k < tracks; ++k) {
    Emitted all;
    a.in("spikes", [&] { visit_spikes(a, all.spikes, all.offsets); });
    std::unordered_map<Slice*, Emitted> mine;
    for (std::size_t i = 0; i < all.spikes.size(); ++i)
      for (auto& s : slices_)
        if (s->nodes().local(all.spikes[i].gid) != Residents::none) {
          Emitted& e = mine[s.get()];
          e.spikes.push_back(all.spikes[i]);
          if (i < all.offsets.size()) e.offsets.resize(e.spikes.size() - 1), e.offsets.push_back(all.offsets[i]);
          break;
        }
    for (auto& [slice, spikes] : mine) slice->spike_tracks()[k % spike_recorders_.size()]->restore(spikes);
  }
}

void Recorders::load_samples(const checkpoint::Shard& from) {
  Archive a(from);
  const std::uint64_t tracks = a.left<std::uint64_t>("samples/n");
  for (std::size_t k = 0; k < tracks; ++k) {
    std::vector<std::size_t> stored;
    std::vector<double> table;
    a.in("samples", [&] { visit_samples(a, stored, table); });
    const std::size_t samples = stored.empty() ? 0 : table.size() / stored.size();
    std::unordered_map<std::size_t, std::size_t> at;
    for (std::size_t c = 0; c < stored.size(); ++c) at[stored[c]] = c;
    for (auto& slice : slices_) {
      record::StateTrack& track = *slice->state_tracks()[k % state_recorders_.size()];
      const std::size_t own = track.columns().size();
      std::vector<double> all = track.values();
      for (std::size_t c = 0; c < own; ++c) {
        const auto found = at.find(track.columns()[c]);
        if (found == at.end()) continue;
        all.resize(std::max(all.size(), samples * own));
        for (std::size_t i = 0; i < samples; ++i) all[i * own + c] = table[i * stored.size() + found->second];
      }
      track.restore(std::move(all));
    }
  }
}

void Recorders::load(std::span<const checkpoint::Shard> from) {
  for (const checkpoint::Shard& shard : from) {
    if (!spike_recorders_.empty()) load_spikes(shard);
    if (!state_recorders_.empty()) load_samples(shard);
    Archive a(shard);
    visit_devices(a);
    if (!binned_recorders_.empty()) load_bins(shard);
  }
}

}  // namespace npl::sim
