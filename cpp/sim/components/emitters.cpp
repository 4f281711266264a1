// SPDX-License-Identifier: Apache-2.0
#include "sim/components/emitters.hpp"

#include <algorithm>

namespace npl::sim {

void Emitters::add(const devices::Device* device, std::uint64_t seed) {
  const bool of_itself = device->info->effect == devices::Effect::emits;
  all_.push_back({.device = device, .own = of_itself ? nullptr : std::make_unique<devices::OwnTrain>(*device, seed)});
  silent_until_ = 0;
}

void Emitters::prepare() {
  silent_until_ = 0;
  for (Emitter& e : all_) e.silent_until = 0;
}

void Emitters::end(const PartSteps& part, SourcedSpikes& out) {
  if (part.until <= silent_until_) return;
  silent_until_ = INT64_MAX;
  for (auto& [e, silent_until, memory, own] : all_) {
    if (part.until > silent_until) {
      const std::size_t first = out.spikes.size();
      silent_until = own ? own->emit(part.from, part.until, out) : e->info->emit(*e, part.from, part.until, memory, out.spikes);
      if (out.spikes.size() > first) complete(*e, part, first, out);
    }
    silent_until_ = std::min(silent_until_, silent_until);
  }
}

/// Adds sources and offsets of the spikes that a device has emitted, those from index `first` on.
void Emitters::complete(const devices::Device& d, const PartSteps& part, std::size_t first, SourcedSpikes& out) const {
  out.sources.resize(out.spikes.size(), host_.nodes.local(d.gid));
  if (!d.info->offsets) return;
  const std::size_t known = out.offsets.size();
  out.offsets.resize(first);
  if (!d.info->offsets(d, part.from, part.until, out.offsets)) out.offsets.resize(std::min(known, first));
}

}  // namespace npl::sim
