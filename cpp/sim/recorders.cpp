// SPDX-License-Identifier: Apache-2.0
/// Recorders of spikes and of state variables.
#include "sim/recorders.hpp"

#include <algorithm>
#include <numeric>

#include "comm/collect.hpp"
#include "sim/fingerprint.hpp"

namespace npl::sim {
namespace {

std::size_t checked(int index, std::size_t n, const char* what) {
  if (index < 0 || static_cast<std::size_t>(index) >= n) throw BadParameter(what, index, "the number of an existing recorder");
  return static_cast<std::size_t>(index);
}

}  // namespace

/// Throws BadParameter for nodes that do not exist, IllegalConnection for devices that emit no spikes.
void Recorders::check_emit(const connect::NodeSet& nodes) const {
  for (const connect::Range& r : nodes.ranges()) {
    populations_.of(r.first, "nodes"), populations_.of(r.first + (r.count - 1) * r.stride, "nodes");
    for (const auto& p : populations_) {
      if (p->model || !r.meets(p->first, p->first + p->n)) continue;
      const devices::DeviceInfo& info = p->devices->info();
      if (info.effect == devices::Effect::emits || (info.effect == devices::Effect::spikes && info.make_part)) continue;
      throw IllegalConnection("nodes: a " + info.name + " sends no spikes" + (info.make_part ? ": record its current, \"I\"" : ""));
    }
  }
}

/// Throws IllegalConnection unless the target is a device, and the node sends each target a train of its own.
void Recorders::check_target(Gid target, Gid node) const {
  if (populations_.of(target, "target").model)
    throw IllegalConnection("target: node " + std::to_string(target) + " is a " + populations_.model_of(target) +
                            ": give a device that stands for one more target, such as a recorder");
  if (const Population& p = populations_.of(node, "nodes"); p.model || !p.devices->info().make_part)
    throw IllegalConnection("nodes: a " + populations_.model_of(node) + " sends all its targets the same: leave out the target");
}

int Recorders::record_spikes(const connect::NodeSet& nodes, Step start, Step stop, Gid target) {
  check_emit(nodes);
  for (const connect::Range& r : nodes.ranges())
    if (target != itself) populations_.for_each_met(r, [&](const Population& p) { check_target(target, std::max(p.first, r.first)); });
  populations_.mark_connected(nodes);
  if (target == itself) populations_.mark_tabled(nodes);
  note(fingerprint_of(nodes, start, stop, target));
  SpikeRecorder made{nodes, std::max(start, step_), stop, target};
  if (target != itself) made.devices = devices_of(made, spike_recorders_);
  spike_recorders_.push_back(std::move(made));
  return static_cast<int>(spike_recorders_.size()) - 1;
}

int Recorders::record_state(const std::vector<Gid>& gids, const std::vector<std::string>& names, record::Sampling sampling, Gid target) {
  if (sampling.interval < 1) throw BadParameter("interval", static_cast<double>(sampling.interval), "at least one step");
  if (sampling.offset < 0) throw BadParameter("offset", static_cast<double>(sampling.offset), "at least 0");
  for (Gid gid : gids) {
    const Population& p = populations_.of(gid, "nodes");
    std::vector<std::string> known;
    for (const Field& f : p.model ? p.model->state : devices::recordables(p.devices->info())) known.push_back(f.name);
    for (const auto& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        known.erase(std::remove_if(known.begin(), known.end(), [](const std::string& k) { return k[0] == '_'; }), known.end());
        throw UnknownName("recordable of " + populations_.model_of(gid), name, known);
      }
  }
  for (Gid gid : gids)
    if (target != itself) check_target(target, gid);
  for (Gid gid : gids) populations_.of(gid, "nodes").connected = true;
  note(fingerprint_of(gids, names, sampling.interval, sampling.offset, target));
  StateRecorder made{gids, names, sampling, step_, target};
  if (!names.empty()) made.devices = devices_of(made, state_recorders_);
  state_recorders_.push_back(std::move(made));
  return static_cast<int>(state_recorders_.size()) - 1;
}

Emitted Recorders::spikes(int recorder, bool gather, Step after) const {
  const std::size_t r = checked(recorder, spike_recorders_.size(), "recorder");
  if (gather) agree("spikes", nullptr, fingerprint_of(recorder, after));
  Emitted all = own_spikes(r, after);
  if (!gather || ranks() == 1) return all;
  std::int64_t offsets = !all.offsets.empty();
  comm_->allreduce(std::span<std::int64_t>(&offsets, 1), comm::Op::max);
  if (offsets) all.offsets.resize(all.spikes.size()), all.offsets = comm::gather(*comm_, all.offsets);
  all.spikes = comm::gather(*comm_, all.spikes);
  record::sort(all);
  return all;
}

/// Spikes of this rank.
Emitted Recorders::own_spikes(std::size_t recorder, Step after) const {
  Step disorder = 0;
  for (const auto& s : slices_) disorder = std::max(disorder, s->longest_part());
  Emitted all = record::merged(tracks_of(recorder), after, disorder);
  add_devices(spike_recorders_[recorder], after, all);
  return all;
}

std::vector<std::int64_t> Recorders::spike_counts(int recorder, bool gather, Step after) const {
  const std::size_t r = checked(recorder, spike_recorders_.size(), "recorder");
  if (gather) agree("spike_counts", nullptr, fingerprint_of(recorder, after));
  const connect::NodeSet& nodes = spike_recorders_[r].nodes;
  std::vector<std::int64_t> n(static_cast<std::size_t>(nodes.size()));
  for (const Spike& s : own_spikes(r, after).spikes) ++n[static_cast<std::size_t>(nodes.position(s.gid))];
  if (gather && ranks() > 1) comm_->allreduce(std::span<std::int64_t>(n), comm::Op::sum);
  return n;
}

std::int64_t Recorders::spike_count(int recorder, bool gather) const {
  const std::size_t r = checked(recorder, spike_recorders_.size(), "recorder");
  if (gather) agree("spike_count", nullptr, fingerprint_of(recorder));
  Emitted of_devices;
  add_devices(spike_recorders_[r], record::from_the_start, of_devices);
  auto n = static_cast<std::int64_t>(of_devices.spikes.size());
  for (const record::SpikeTrack* track : tracks_of(r)) n += static_cast<std::int64_t>(track->spikes().size());
  if (gather && ranks() > 1) comm_->allreduce(std::span<std::int64_t>(&n, 1), comm::Op::sum);
  return n;
}

/// The shares of the slices in a spike recorder.
std::vector<const record::SpikeTrack*> Recorders::tracks_of(std::size_t recorder) const {
  std::vector<const record::SpikeTrack*> found;
  if (recorder < attached_.spikes)
    for (const auto& s : slices_) found.push_back(s->spike_tracks()[recorder].get());
  return found;
}

void Recorders::clear_spikes(int recorder) {
  const std::size_t r = checked(recorder, spike_recorders_.size(), "recorder");
  if (r < attached_.spikes)
    for (auto& s : slices_) s->spike_tracks()[r]->clear();
  for (DeviceOutput& d : spike_recorders_[r].devices) d.spikes = {}, d.next = std::max(d.next, step_);
}

/// Positions of the nodes of this rank in a recorder's list.
std::vector<std::int64_t> Recorders::own_nodes(const StateRecorder& r) const {
  std::vector<std::int64_t> own;
  for (std::size_t i = 0; i < r.gids.size(); ++i)
    if (populations_.rank_of(r.gids[i]) == rank()) own.push_back(static_cast<std::int64_t>(i));
  return own;
}

Samples Recorders::samples(int recorder, bool gather) const {
  const std::size_t r = checked(recorder, state_recorders_.size(), "recorder");
  if (gather) agree("samples", nullptr, fingerprint_of(recorder));
  StateRecorder& sr = state_recorders_[r];
  Samples out;
  if (gather)
    out.nodes.resize(sr.gids.size()), std::iota(out.nodes.begin(), out.nodes.end(), 0);
  else
    out.nodes = own_nodes(sr);
  for (Step t = std::max<Step>(sr.since + 1, sr.sampling.offset); t <= step_; ++t)
    if (sr.sampling.at(t)) out.stamps.push_back(t);
  const std::size_t names = sr.names.size(), width = out.nodes.size() * names;
  std::vector<std::size_t> place(sr.gids.size() * names);  // position of each column of the recorder
  for (std::size_t i = 0; i < out.nodes.size(); ++i)
    for (std::size_t k = 0; k < names; ++k) place[static_cast<std::size_t>(out.nodes[i]) * names + k] = i * names + k;
  out.values.resize(out.stamps.size() * width);
  if (r < attached_.state)
    for (const auto& s : slices_) s->state_tracks()[r]->copy_to(out.values.data(), width, place);
  copy_devices(sr, out, place);
  if (gather) comm::merge(*comm_, out.values);
  return out;
}

std::pair<std::size_t, std::size_t> Recorders::sample_shape(int recorder) const {
  const StateRecorder& r = state_recorders_[checked(recorder, state_recorders_.size(), "recorder")];
  return {r.gids.size(), r.names.size()};
}

void Recorders::clear_samples(int recorder) {
  const std::size_t r = checked(recorder, state_recorders_.size(), "recorder");
  state_recorders_[r].since = step_;
  for (DeviceOutput& d : state_recorders_[r].devices) d.values.clear(), d.next = step_ + 1;
  note(fingerprint_of(std::string_view("clear"), recorder));
  if (r < attached_.state)
    for (auto& s : slices_) s->state_tracks()[r]->clear();
}

void Recorders::attach() {
  for (; attached_.spikes < spike_recorders_.size(); ++attached_.spikes) {
    const SpikeRecorder& r = spike_recorders_[attached_.spikes];
    Gid last = 0;
    for (const connect::Range& range : r.nodes.ranges()) last = std::max(last, last_gid(range));
    for (auto& s : slices_) {
      auto track = std::make_unique<record::SpikeTrack>(r.start, r.stop, last);
      if (r.target == itself) r.nodes.for_each_in(s->nodes(), [&](std::int64_t, Gid, Local local) { track->add_node(local); });
      track->fit();
      s->spike_tracks().push_back(std::move(track));
    }
  }
  for (; attached_.state < state_recorders_.size(); ++attached_.state) attach_state(state_recorders_[attached_.state]);
  for (; attached_.binned < binned_recorders_.size(); ++attached_.binned) attach_binned(binned_recorders_[attached_.binned]);
}

void Recorders::attach_state(const StateRecorder& r) {
  for (auto& s : slices_) s->state_tracks().push_back(std::make_unique<record::StateTrack>(r.sampling));
  for (std::size_t i = 0; i < r.gids.size(); ++i) {
    const Population& p = populations_.of(r.gids[i], "nodes");
    if (!p.model) continue;
    const Populations::Seat seat = populations_.seat_of(r.gids[i], p);
    if (!seat.group) continue;
    for (std::size_t k = 0; k < r.names.size(); ++k)
      for (std::size_t q = 0; q < p.model->state.size(); ++q)
        if (p.model->state[q].name == r.names[k])
          seat.slice->state_tracks().back()->add(&seat.group->state(q)[seat.at], i * r.names.size() + k);
  }
}

}  // namespace npl::sim
