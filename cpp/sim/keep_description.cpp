// SPDX-License-Identifier: Apache-2.0
/// Table specs and device links in checkpoints. Everything that was described is built when a checkpoint is made.
#include "sim/archive_values.hpp"
#include "sim/edge_values.hpp"

namespace npl::sim {

void Description::visit(checkpoint::Archive& a) {
  a("min_delay", min_delay_), a("max_delay", max_delay_), a("turns", turns_);
  a.in("tables", [&] { tables_.visit(a); });
  a.each("links", links_, [&](std::unique_ptr<DeviceLink>& link) {
    if (a.loading()) link = std::make_unique<DeviceLink>();
    DeviceLink& l = *link;
    std::vector<Gid> devices;
    for (const devices::Device* d : l.devices) devices.push_back(d->gid);
    ConnectCall values;
    values.weight = l.values.weight, values.delay = l.values.delay;
    a("devices", devices), sim::visit(a, "targets", l.targets), a("pairs", l.pairs), sim::visit(a, "weight", values.weight);
    sim::visit(a, "delay", values.delay), sim::visit(a, "key", l.key), a("receptor", l.receptor), a("count", l.count);
    a("precise", l.precise), a("number", l.number);
    if (!a.loading()) return;
    for (const Gid gid : devices) {
      const Population& p = populations_.of(gid, "gid");
      if (p.model) throw BadCheckpoint("a device link of a neuron");
      l.devices.push_back(&populations_.device(gid, p));
    }
    const std::int64_t n = l.targets.size();
    take_values(l.values, values, l.pairs ? n : n * static_cast<std::int64_t>(devices.size()), settings_.resolution, samplers_);
  });
  if (a.loading()) n_links_attached_ = links_.size();
}

}  // namespace npl::sim
