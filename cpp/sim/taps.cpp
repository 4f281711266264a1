// SPDX-License-Identifier: Apache-2.0
/// Taps of stimulators. The output of a device is a function of device, step and target, so a tap computes it when it is read, on every
/// rank.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "sim/recorders.hpp"

namespace npl::sim {

int Recorders::tap(Gid device, Gid recorder, int repeat, bool rate) {
  const Population& p = populations_.of(device, "device");
  if (p.model) throw IllegalConnection("device: node " + std::to_string(device) + " is a " + p.model->name);
  const devices::Device& d = populations_.device(device, p);
  if (rate ? !d.info->rate : !d.info->make_part) throw IllegalConnection("device: a " + d.info->name + " has nothing to record");
  Tap l{&d, nullptr, step_ + 1, recorder, repeat};
  if (!rate) l.part = tapped(l, step_, settings_.seed);
  taps_.push_back(std::move(l));
  return static_cast<int>(taps_.size()) - 1;
}

std::unique_ptr<devices::Part> Recorders::tapped(const Tap& tap, Step since, std::uint64_t seed) const {
  devices::Targets t;
  t.local = {0}, t.gid = {tap.recorder}, t.weight = {1.0};
  t.since = since;
  t.count = t.precise = true;
  t.link = static_cast<std::uint64_t>(tap.repeat);
  t.seed = seed;
  return tap.device->info->make_part(*tap.device, std::move(t));
}

Received Recorders::received(int tap) {
  if (tap < 0 || static_cast<std::size_t>(tap) >= taps_.size()) throw BadParameter("tap", tap, "the number of an existing tap");
  Tap& l = taps_[static_cast<std::size_t>(tap)];
  const bool current = l.device->info->effect == devices::Effect::current;
  Received h{l.next, {}, {}};
  std::vector<PreciseEvent> events;
  for (; l.next <= step_; ++l.next) {
    Fixed count = 0;
    double amplitude = 0.0;
    if (l.part)
      l.part->apply(current ? l.next + 1 : l.next, {&count, 1.0, &amplitude, &events});  // with a delay of 1: a current acts one step later
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return canonical(a, b); });
    for (const PreciseEvent& e : events) h.offsets.push_back(e.offset);
    count += static_cast<Fixed>(events.size());
    events.clear();
    h.values.push_back(!l.part ? l.device->info->rate(*l.device, l.next - 1) : current ? amplitude : static_cast<double>(count));
  }
  return h;
}

}  // namespace npl::sim
