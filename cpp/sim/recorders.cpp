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

int Recorders::record_spikes(const connect::NodeSet& nodes, Step start, Step stop) {
  check_emit(nodes);
  populations_.mark_connected(nodes);
  populations_.mark_tabled(nodes);
  note(fingerprint_of(nodes, start, stop));
  spike_recorders_.push_back({nodes, std::max(start, step_), stop});
  return static_cast<int>(spike_recorders_.size()) - 1;
}

int Recorders::record_state(const std::vector<Gid>& gids, const std::vector<std::string>& names, record::Sampling sampling) {
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
  for (Gid gid : gids) populations_.of(gid, "nodes").connected = true;
  note(fingerprint_of(gids, names, sampling.interval, sampling.offset));
  state_recorders_.push_back({gids, names, sampling, step_, names.empty() ? std::vector<DeviceColumn>{} : columns_of_devices(gids)});
  return static_cast<int>(state_recorders_.size()) - 1;
}

Emitted Recorders::spikes(int recorder, bool gather) const {
  const std::size_t r = checked(recorder, spike_recorders_.size(), "recorder");
  if (gather) agree("spikes", nullptr, fingerprint_of(recorder));
  std::vector<const record::SpikeTrack*> tracks;
  if (r < attached_.spikes)
    for (const auto& s : slices_) tracks.push_back(s->spike_tracks()[r].get());
  Emitted all = record::merged(tracks);
  if (!gather || ranks() == 1) return all;
  std::int64_t offsets = !all.offsets.empty();
  comm_->allreduce(std::span<std::int64_t>(&offsets, 1), comm::Op::max);
  if (offsets) all.offsets.resize(all.spikes.size()), all.offsets = comm::gather(*comm_, all.offsets);
  all.spikes = comm::gather(*comm_, all.spikes);
  record::sort(all);
  return all;
}

void Recorders::clear_spikes(int recorder) {
  const std::size_t r = checked(recorder, spike_recorders_.size(), "recorder");
  if (r < attached_.spikes)
    for (auto& s : slices_) s->spike_tracks()[r]->clear();
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

std::vector<Recorders::DeviceColumn> Recorders::columns_of_devices(const std::vector<Gid>& gids) const {
  std::vector<DeviceColumn> columns;
  for (std::size_t i = 0; i < gids.size(); ++i) {
    const Population& p = populations_.of(gids[i], "nodes");
    if (p.model || populations_.rank_of(gids[i]) != rank()) continue;
    const devices::Device& d = populations_.device(gids[i], p);
    const bool current = d.info->effect == devices::Effect::current;
    columns.push_back({i, &d, current ? std::make_unique<devices::OwnTrain>(d, settings_.seed) : nullptr, step_ + 1});
  }
  return columns;
}

/// A device has one quantity: all names are its.
void Recorders::copy_devices(StateRecorder& r, Samples& out, std::span<const std::size_t> place) const {
  const std::size_t names = r.names.size(), width = out.nodes.size() * names;
  for (DeviceColumn& c : r.devices) {
    for (; c.next <= step_; ++c.next)
      if (c.next > r.since && r.sampling.at(c.next))
        c.values.push_back(c.own ? c.own->sent(c.next - 1) : c.device->info->rate(*c.device, c.next - 1));
    for (std::size_t column = c.node * names; column < (c.node + 1) * names; ++column)
      for (std::size_t k = 0; k < out.stamps.size(); ++k) out.values[k * width + place[column]] = c.values[k];
  }
}

std::pair<std::size_t, std::size_t> Recorders::sample_shape(int recorder) const {
  const StateRecorder& r = state_recorders_[checked(recorder, state_recorders_.size(), "recorder")];
  return {r.gids.size(), r.names.size()};
}

void Recorders::clear_samples(int recorder) {
  const std::size_t r = checked(recorder, state_recorders_.size(), "recorder");
  state_recorders_[r].since = step_;
  for (DeviceColumn& c : state_recorders_[r].devices) c.values.clear(), c.next = step_ + 1;
  note(fingerprint_of(std::string_view("clear"), recorder));
  if (r < attached_.state)
    for (auto& s : slices_) s->state_tracks()[r]->clear();
}

void Recorders::attach() {
  for (; attached_.spikes < spike_recorders_.size(); ++attached_.spikes) {
    const SpikeRecorder& r = spike_recorders_[attached_.spikes];
    for (auto& s : slices_) {
      auto track = std::make_unique<record::SpikeTrack>(r.start, r.stop);
      r.nodes.for_each_in(s->nodes(), [&](std::int64_t, Gid, Local local) { track->add_node(local); });
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
