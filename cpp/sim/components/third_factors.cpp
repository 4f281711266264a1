// SPDX-License-Identifier: Apache-2.0
#include "sim/components/third_factors.hpp"

#include <algorithm>

namespace npl::sim {

synapses::Volume* ThirdFactors::volume(const synapses::Hearing& of) {
  for (auto& v : all_)
    if (v->of() == of) return v.get();
  all_.push_back(std::make_unique<synapses::Volume>(of, host_.dt));
  return all_.back().get();
}

void ThirdFactors::lend(const tables::TableSpec& spec, pathways::Surroundings& around) {
  if (spec.plasticity && spec.plasticity->hears().transmitter) around.volume = volume(spec.plasticity->hears());
}

void ThirdFactors::hear(Gid transmitter, Step step) {
  for (auto& v : all_)
    if (v->of().transmitter == transmitter) v->hear(static_cast<std::int32_t>(step + 1));
}

void ThirdFactors::end(const PartSteps& part, SourcedSpikes&) {
  std::size_t most = 0;
  for (const auto& v : all_) most = std::max(most, v->stamps().size());
  if (most < forget_at_) return;
  Step oldest = part.settled;
  for (const auto& p : host_.pathways) oldest = std::min(oldest, p->oldest_heard(part.settled));
  most = 0;
  for (auto& v : all_) v->forget(oldest), most = std::max(most, v->stamps().size());
  forget_at_ = std::max(forget_at_, 2 * most);
}

}  // namespace npl::sim
