// SPDX-License-Identifier: Apache-2.0
/// Calcium of the neurons of a slice whose synaptic elements grow: it follows their spikes.
#pragma once
#include <utility>
#include <vector>

#include "growth/cell.hpp"
#include "sim/component.hpp"

namespace npl::sim {

class Calcium : public Component {
 public:
  using Component::Component;
  static constexpr unsigned phases = bit(after_stretch);
  bool is_present() const { return !by_local_.empty(); }

  /// @param by_local [nodes] cells, which stay where they are; null: none @param kinds of their elements
  void follow(std::vector<growth::Cell*> by_local, const std::vector<growth::Kind>* kinds) {
    by_local_ = std::move(by_local), kinds_ = kinds;
  }
  void after(Step, const SourcedSpikes& out, std::size_t first) override {
    for (std::size_t i = first, end = first; i < out.spikes.size(); i = end) {
      while (end < out.spikes.size() && out.spikes[end] == out.spikes[i] && out.offset(end) == out.offset(i))
        ++end;  // relays repeat spikes
      const Local local = out.sources[i];
      if (local < by_local_.size() && by_local_[local])
        by_local_[local]->spike(static_cast<double>(out.spikes[i].step + 1) * host_.dt - out.offset(i), *kinds_, decay_, end - i);
    }
  }

 private:
  std::vector<growth::Cell*> by_local_;
  const std::vector<growth::Kind>* kinds_ = nullptr;
  growth::Decay decay_;
};

}  // namespace npl::sim
