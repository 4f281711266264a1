// SPDX-License-Identifier: Apache-2.0
#include "sim/stored_devices.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace npl::sim {
namespace {

using checkpoint::Archive;

/// Part of a device in a slice that was saved; its targets by gid.
struct StoredPart {
  AttachedPart of{};
  devices::Targets targets;
  devices::PartState state;

  void visit(Archive& a) {
    a("device", of.device), a("receptor", of.receptor), a("current", of.current), a("link", of.link), a("lag", of.lag), a("turn", of.turn);
    a("until", of.until), a("gid", targets.gid), a("weight", targets.weight), a("delay", targets.delay), a("since", targets.since);
    a("count", targets.count), a("precise", targets.precise), a("by_sign", targets.by_sign), a("seed", targets.seed);
    a("common", state.common), a("width", state.width), a("each", state.each);
  }
  /// The same for all parts of one device of one link that act alike, on whichever slices they are.
  auto key() const { return std::tie(of.turn, targets.delay, of.receptor, targets.since, of.until, targets.seed); }
  /// The weight of a target.
  double weight(std::size_t k) const { return targets.weight[targets.weight.size() == 1 ? 0 : k]; }
};

StoredPart stored(const Slice& slice, const AttachedPart& p) {
  StoredPart s;
  s.of.receptor = p.receptor, s.of.current = p.current, s.of.link = p.link, s.of.lag = p.lag, s.of.device = p.device, s.of.turn = p.turn,
  s.of.until = p.until;
  s.targets = p.part->targets();
  s.targets.gid.clear();
  for (const Local local : s.targets.local) s.targets.gid.push_back(slice.nodes().gid(local));
  s.state = p.part->state();
  return s;
}

/// The targets of these parts, which act alike, in a slice.
struct Share {
  struct Target {
    Local local;
    const StoredPart* part;
    std::size_t at;
  };
  std::vector<Target> targets;

  void add(const Slice& slice, const StoredPart& part) {
    for (std::size_t k = 0; k < part.targets.gid.size(); ++k)
      if (const Local local = slice.nodes().local(part.targets.gid[k]); local != Residents::none) targets.push_back({local, &part, k});
  }
  AttachedPart attached(const devices::Device& device) {
    std::sort(targets.begin(), targets.end(), [](const Target& a, const Target& b) { return a.local < b.local; });
    const StoredPart& any = *targets[0].part;
    devices::Targets t = any.targets;
    t.local.clear(), t.gid.clear(), t.weight.clear();
    t.receptor = any.of.receptor, t.link = any.of.link;
    devices::PartState state{any.state.common, any.state.width, {}};
    for (const Target& x : targets) {
      t.local.push_back(x.local), t.gid.push_back(x.part->targets.gid[x.at]), t.weight.push_back(x.part->weight(x.at));
      const auto own = x.part->state.each.begin() + static_cast<std::ptrdiff_t>(x.at * state.width);
      state.each.insert(state.each.end(), own, own + static_cast<std::ptrdiff_t>(state.width));
    }
    if (std::adjacent_find(t.weight.begin(), t.weight.end(), std::not_equal_to<>()) == t.weight.end()) t.weight.resize(1);
    AttachedPart made{device.info->make_part(device, std::move(t)),
                      any.of.receptor,
                      any.of.current,
                      any.of.link,
                      any.of.lag,
                      device.gid,
                      any.of.turn,
                      any.of.until};
    made.part->resume(state);
    return made;
  }
};

void check(const StoredPart& p, const Population& device) {
  const std::size_t n = p.targets.gid.size();
  if (device.model || !device.devices->info().make_part || (p.targets.weight.size() != n && p.targets.weight.size() != 1) ||
      p.state.each.size() != n * p.state.width || p.of.receptor < 0 || p.of.receptor >= most_receptors)
    throw BadCheckpoint("connections of a device that do not fit");
}

void load_emitters(Slices& slices, const Populations& populations, const checkpoint::Shard& from) {
  Archive a(from);
  for (std::uint64_t k = 0; k < from.size<std::uint64_t>("slices/nodes"); ++k) {
    std::vector<Gid> emitters;
    a.each("emitters", emitters, [&](Gid& gid) {
      bool has_own = false;
      std::uint64_t seed = 0;
      a("gid", gid), a("own", has_own);
      if (!has_own) return;
      a("seed", seed);
      const Population& p = populations.of(gid, "gid");
      if (p.model || p.devices->info().effect != devices::Effect::spikes || !p.devices->info().make_part)
        throw BadCheckpoint("the train of a device that has none");
      auto own = std::make_unique<devices::OwnTrain>(populations.device(gid, p), seed);
      own->visit(a);
      for (auto& s : slices)
        for (Emitter& e : s->emitters())
          if (e.device->gid == gid) e.own = std::move(own);
    });
  }
}

}  // namespace

void save_devices(Slices& slices, checkpoint::Columns& to) {
  Archive a(to);
  std::vector<StoredPart> parts;
  for (auto& slice : slices) {
    for (const AttachedPart& p : slice->parts()) parts.push_back(stored(*slice, p));
    a.each("emitters", slice->emitters(), [&](Emitter& e) {
      Gid gid = e.device->gid;
      bool has_own = e.own != nullptr;
      a("gid", gid), a("own", has_own);
      if (!has_own) return;
      std::uint64_t seed = e.own->target().seed;
      a("seed", seed);
      e.own->visit(a);
    });
  }
  a.each("parts", parts, [&](StoredPart& p) { p.visit(a); });
  a.finish();
}

void load_devices(Slices& slices, const Populations& populations, std::span<const checkpoint::Shard> from) {
  std::vector<StoredPart> parts;
  for (const checkpoint::Shard& shard : from) {
    Archive a(shard);
    std::vector<StoredPart> some;
    a.each("parts", some, [&](StoredPart& p) {
      p.visit(a);
      check(p, populations.of(p.of.device, "gid"));
    });
    std::move(some.begin(), some.end(), std::back_inserter(parts));
    load_emitters(slices, populations, shard);
  }
  // In the order in which they were attached: currents are added in it.
  std::stable_sort(parts.begin(), parts.end(), [](const StoredPart& x, const StoredPart& y) { return x.key() < y.key(); });
  for (auto& slice : slices)
    for (std::size_t k = 0, end = 0; k < parts.size(); k = end) {
      Share share;
      for (end = k; end < parts.size() && parts[end].key() == parts[k].key(); ++end) share.add(*slice, parts[end]);
      const Gid device = parts[k].of.device;
      if (!share.targets.empty()) slice->adopt(share.attached(populations.device(device, populations.of(device, "gid"))));
    }
}

}  // namespace npl::sim
