// SPDX-License-Identifier: Apache-2.0
/// Recorders and what they hold in checkpoints.
#include <algorithm>
#include <unordered_map>

#include "sim/archive_values.hpp"
#include "sim/recorders.hpp"

namespace npl::sim {

using checkpoint::Archive;
using checkpoint::Cursor;

void Recorders::visit(Archive& a) {
  a.each("spike_recorders", spike_recorders_,
         [&](SpikeRecorder& r) { sim::visit(a, "nodes", r.nodes), a("start", r.start), a("stop", r.stop); });
  a.each("state_recorders", state_recorders_, [&](StateRecorder& r) {
    a("gids", r.gids), a("names", r.names), a("interval", r.sampling.interval), a("offset", r.sampling.offset), a("since", r.since);
    if (a.loading() && !r.names.empty()) r.devices = columns_of_devices(r.gids);
  });
  a.each("weight_recorders", weight_recorders_, [&](WeightRecorder& r) {
    for (std::optional<connect::NodeSet>* set : {&r.sources, &r.targets}) {
      bool some = set->has_value();
      a("some", some);
      if (a.loading() && some) set->emplace();
      if (some) sim::visit(a, "nodes", **set);
    }
  });
  a.each("taps", taps_, [&](Tap& t) {
    Gid device = t.device ? t.device->gid : 0;
    bool rate = !t.part;
    Step since = t.part ? t.part->targets().since : 0;
    std::uint64_t seed = t.part ? t.part->targets().seed : 0;
    devices::PartState state = t.part ? t.part->state() : devices::PartState{};
    a("device", device), a("next", t.next), a("recorder", t.recorder), a("repeat", t.repeat), a("rate", rate), a("since", since);
    a("seed", seed), a("common", state.common), a("width", state.width), a("each", state.each);
    if (!a.loading()) return;
    const Population& p = populations_.of(device, "device");
    if (p.model || (!rate && !p.devices[0]->info->make_part)) throw BadCheckpoint("a tap of a node without output");
    t.device = &populations_.device(device, p);
    if (rate) return;
    t.part = tapped(t, since, seed);
    t.part->resume(state);
  });
}

/// Samples of devices of this rank.
void Recorders::visit_columns_of_devices(Archive& a) {
  std::vector<std::pair<std::size_t, DeviceColumn*>> mine;
  for (std::size_t r = 0; r < state_recorders_.size(); ++r)
    for (DeviceColumn& c : state_recorders_[r].devices) mine.emplace_back(r, &c);
  std::uint64_t n = mine.size();
  a("sampled_devices", n);
  for (std::uint64_t k = 0; k < n; ++k)
    a.in("sampled_device", [&] {
      DeviceColumn none{};
      std::uint64_t recorder = a.loading() ? 0 : mine[k].first, node = a.loading() ? 0 : mine[k].second->node;
      a("recorder", recorder), a("node", node);
      DeviceColumn* c = a.loading() ? &none : mine[k].second;
      for (const auto& [r, known] : mine)
        if (a.loading() && r == recorder && known->node == node) c = known;
      bool has_own = c->own != nullptr;
      std::uint64_t seed = has_own ? c->own->seed() : 0;
      a("own", has_own), a("seed", seed), a("next", c->next), a("values", c->values);
      if (!has_own) return;
      if (a.loading()) {
        if (recorder >= state_recorders_.size() || node >= state_recorders_[recorder].gids.size())
          throw BadCheckpoint("samples that do not fit");
        const Gid gid = state_recorders_[recorder].gids[node];
        c->own = std::make_unique<devices::OwnTrain>(populations_.device(gid, populations_.of(gid, "nodes")), seed);
      }
      a.in("train", [&] { c->own->visit(a); });
    });
}

void Recorders::save(checkpoint::Columns& to) const {
  std::vector<std::uint64_t> spikes, offsets, samples, width, columns;
  for (const auto& slice : slices_) {
    for (const auto& track : slice->spike_tracks()) {
      const Emitted& kept = track->kept();
      spikes.push_back(kept.spikes.size()), offsets.push_back(kept.offsets.size());
      to.make<std::int64_t>("spikes/gid", kept.spikes.size(), [&kept](std::uint64_t begin, std::uint64_t n, std::int64_t* out) {
        for (std::uint64_t k = 0; k < n; ++k) out[k] = kept.spikes[begin + k].gid;
      });
      to.make<std::int64_t>("spikes/step", kept.spikes.size(), [&kept](std::uint64_t begin, std::uint64_t n, std::int64_t* out) {
        for (std::uint64_t k = 0; k < n; ++k) out[k] = kept.spikes[begin + k].step;
      });
      to.refer("spikes/offset", std::span<const double>(kept.offsets));
    }
    for (const auto& track : slice->state_tracks()) {
      const std::size_t n = track->columns().size();
      width.push_back(n), samples.push_back(n ? track->values().size() / n : 0);
      columns.insert(columns.end(), track->columns().begin(), track->columns().end());
      to.refer("samples/value", std::span<const double>(track->values()));
    }
  }
  to.keep("spikes/n", std::move(spikes)), to.keep("spikes/offsets", std::move(offsets));
  to.keep("samples/n", std::move(samples)), to.keep("samples/width", std::move(width)), to.keep("samples/column", std::move(columns));
  Archive a(to);
  const_cast<Recorders&>(*this).visit_columns_of_devices(a);  // saving changes nothing
  a.finish();
}

void Recorders::load_spikes(const checkpoint::Shard& from) {
  const auto lengths = from.all<std::uint64_t>("spikes/n"), with_offset = from.all<std::uint64_t>("spikes/offsets");
  Cursor<Gid> gid(from, "spikes/gid");
  Cursor<Step> step(from, "spikes/step");
  Cursor<double> offset(from, "spikes/offset");
  if (lengths.size() != with_offset.size()) throw BadCheckpoint("recorded spikes that do not fit");
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const std::size_t recorder = k % spike_recorders_.size();
    const auto gids = gid.next(lengths[k]);
    const auto steps = step.next(lengths[k]);
    const auto offsets = offset.next(with_offset[k]);
    std::unordered_map<Slice*, Emitted> mine;
    for (std::size_t i = 0; i < gids.size(); ++i)
      for (auto& s : slices_)
        if (s->nodes().local(gids[i]) != Residents::none) {
          Emitted& e = mine[s.get()];
          e.spikes.push_back({gids[i], steps[i]});
          if (i < offsets.size()) e.offsets.resize(e.spikes.size() - 1), e.offsets.push_back(offsets[i]);
          break;
        }
    for (auto& [slice, spikes] : mine) slice->spike_tracks()[recorder]->restore(spikes);
  }
}

void Recorders::load_samples(const checkpoint::Shard& from) {
  const auto samples = from.all<std::uint64_t>("samples/n"), width = from.all<std::uint64_t>("samples/width");
  Cursor<std::uint64_t> columns(from, "samples/column");
  Cursor<double> values(from, "samples/value");
  if (samples.size() != width.size()) throw BadCheckpoint("recorded samples that do not fit");
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::size_t recorder = k % state_recorders_.size();
    const auto stored = columns.next(width[k]);
    const auto table = values.next(samples[k] * width[k]);
    std::unordered_map<std::size_t, std::size_t> at;
    for (std::size_t c = 0; c < stored.size(); ++c) at[stored[c]] = c;
    for (auto& slice : slices_) {
      record::StateTrack& track = *slice->state_tracks()[recorder];
      const std::size_t own = track.columns().size();
      std::vector<double> all = track.values();
      for (std::size_t c = 0; c < own; ++c) {
        const auto found = at.find(track.columns()[c]);
        if (found == at.end()) continue;
        all.resize(std::max(all.size(), samples[k] * own));
        for (std::size_t i = 0; i < samples[k]; ++i) all[i * own + c] = table[i * stored.size() + found->second];
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
    visit_columns_of_devices(a);
  }
}

}  // namespace npl::sim
