// SPDX-License-Identifier: Apache-2.0
/// Recorded output of devices: a function of device, target and step, so it is computed when it is read, by the rank that has the device.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "sim/archive_values.hpp"
#include "sim/recorders.hpp"

namespace npl::sim {

using checkpoint::Archive;

/// The recorded devices of this rank. @param earlier recorders of the same kind
template <class Recorder>
std::vector<Recorders::DeviceOutput> Recorders::devices_of(const Recorder& r, const std::vector<Recorder>& earlier) const {
  constexpr bool spikes = std::is_same_v<Recorder, SpikeRecorder>;
  std::vector<DeviceOutput> found;
  for (std::int64_t k = 0; k < r.size(); ++k) {
    const Gid gid = r.gid(k);
    const Population& p = populations_.of(gid, "nodes");
    if (p.model || populations_.rank_of(gid) != rank()) continue;
    const devices::Device& d = populations_.device(gid, p);
    const auto links = std::ranges::count_if(earlier, [&](const Recorder& e) { return e.target == r.target && e.has(gid); });
    const auto to = r.target == itself ? devices::ExtraTarget{gid, 0, d.created}
                                       : devices::ExtraTarget{r.target, static_cast<std::uint64_t>(links), step_};
    DeviceOutput made{static_cast<std::size_t>(k), &d, nullptr, step_ + 1};
    if constexpr (spikes) made.next = r.start;
    if (spikes || d.info->effect == devices::Effect::current) made.own = std::make_unique<devices::OwnTrain>(d, to, settings_.seed);
    found.push_back(std::move(made));
  }
  return found;
}
template std::vector<Recorders::DeviceOutput> Recorders::devices_of(const SpikeRecorder&, const std::vector<SpikeRecorder>&) const;
template std::vector<Recorders::DeviceOutput> Recorders::devices_of(const StateRecorder&, const std::vector<StateRecorder>&) const;

/// Appends the spikes that have stamps > after [steps].
static void append_since(const Emitted& from, Step after, Emitted& to) {
  if (after == record::from_the_start) return to.append(from);
  for (std::size_t i = 0; i < from.spikes.size(); ++i) {
    if (from.spikes[i].step + 1 <= after) continue;
    if (!from.offsets.empty()) to.offsets.resize(to.spikes.size()), to.offsets.push_back(from.offset(i));
    to.spikes.push_back(from.spikes[i]);
  }
}

/// Appends the spikes of the recorded devices.
void Recorders::add_devices(SpikeRecorder& r, Step after, Emitted& to) const {
  for (DeviceOutput& d : r.devices) {
    if (const Step until = std::min(step_, r.stop); d.next < until) d.own->emit(std::exchange(d.next, until), until, d.spikes);
    append_since(d.spikes, after, to);
  }
  if (!r.devices.empty()) record::sort(to);
}

/// A device has one quantity: all names are its.
void Recorders::copy_devices(StateRecorder& r, Samples& out, std::span<const std::size_t> place) const {
  const std::size_t names = r.names.size(), width = out.nodes.size() * names;
  for (DeviceOutput& d : r.devices) {
    for (; d.next <= step_; ++d.next)
      if (d.next > r.since && r.sampling.at(d.next))
        d.values.push_back(d.own ? d.own->sent(d.next - 1) : d.device->info->rate(*d.device, d.next - 1));
    for (std::size_t column = d.node * names; column < (d.node + 1) * names; ++column)
      for (std::size_t k = 0; k < out.stamps.size(); ++k) out.values[k * width + place[column]] = d.values[k];
  }
}

namespace {

/// Spikes of a device: their steps and offsets.
void visit_sent(Archive& a, Emitted& e, Gid gid) {
  std::vector<Step> steps;
  for (const Spike& s : e.spikes) steps.push_back(s.step);
  a("steps", steps), a("offsets", e.offsets);
  if (!a.loading()) return;
  e.spikes.clear();
  for (const Step step : steps) e.spikes.push_back({gid, step});
}

}  // namespace

/// @param target where the train goes, itself or an extra one
void Recorders::visit_device(Archive& a, DeviceOutput& d, Gid gid, Gid target) {
  bool has_own = d.own != nullptr;
  std::uint64_t seed = has_own ? d.own->target().seed : 0, link = has_own ? d.own->target().link : 0;
  Step since = has_own ? d.own->target().since : 0;
  a("own", has_own), a("seed", seed), a("next", d.next), a("values", d.values);
  if (!has_own) return;
  if (target != itself) a("link", link), a("since", since);
  if (a.loading()) {
    const devices::Device& device = populations_.device(gid, populations_.of(gid, "nodes"));
    const auto to = target == itself ? devices::ExtraTarget{gid, 0, device.created} : devices::ExtraTarget{target, link, since};
    d.own = std::make_unique<devices::OwnTrain>(device, to, seed);
  }
  a.in("train", [&] { d.own->visit(a); });
}

template <class Recorder>
void Recorders::visit_devices(Archive& a, const char* name, std::vector<Recorder>& recorders) {
  std::vector<std::pair<std::size_t, DeviceOutput*>> mine;
  for (std::size_t r = 0; r < recorders.size(); ++r)
    for (DeviceOutput& d : recorders[r].devices) mine.emplace_back(r, &d);
  std::uint64_t n = mine.size();
  const std::string count = std::string(name) + "s";
  if (a.has<std::uint64_t>(count.c_str())) a(count.c_str(), n);
  for (std::uint64_t k = 0; k < n; ++k)
    a.in(name, [&] {
      DeviceOutput none{};
      std::uint64_t recorder = a.loading() ? 0 : mine[k].first, node = a.loading() ? 0 : mine[k].second->node;
      a("recorder", recorder), a("node", node);
      if (recorder >= recorders.size() || node >= static_cast<std::uint64_t>(recorders[recorder].size()))
        throw BadCheckpoint("recorded devices that do not fit");
      DeviceOutput* d = a.loading() ? &none : mine[k].second;
      for (const auto& [r, known] : mine)
        if (a.loading() && r == recorder && known->node == node) d = known;
      const Gid gid = recorders[recorder].gid(static_cast<std::int64_t>(node));
      visit_device(a, *d, gid, recorders[recorder].target);
      if constexpr (std::is_same_v<Recorder, SpikeRecorder>) visit_sent(a, d->spikes, gid);
    });
}

void Recorders::visit_devices(Archive& a) {
  visit_devices(a, "sampled_device", state_recorders_);
  visit_devices(a, "sent_device", spike_recorders_);
}

}  // namespace npl::sim
