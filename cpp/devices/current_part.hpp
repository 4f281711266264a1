// SPDX-License-Identifier: Apache-2.0
/// Part of a device that sends the same current to all targets. A current sent in step n acts in step n + delay + 1.
#pragma once
#include <utility>

#include "devices/device.hpp"

namespace npl::devices {

/// Amplitude(device, n) gives the current [pA] sent in step n.
template <double (*Amplitude)(const Device&, Step)>
class CurrentPart final : public Part {
 public:
  CurrentPart(const Device& device, Targets targets) : device_(device), targets_(std::move(targets)) {}
  void apply(Step step, const PartInput& in) override {
    const Step sent = step - targets_.delay - 1;
    if (sent < targets_.since || !Window::of(device_, device_.at(sent)).current(sent)) return;
    const double amplitude = Amplitude(device_, sent);
    const bool one_weight = targets_.weight.size() == 1;
    for (std::size_t i = 0; i < targets_.local.size(); ++i)
      in.current[targets_.local[i]] += amplitude * targets_.weight[one_weight ? 0 : i];
  }
  std::size_t bytes() const override {
    return targets_.local.size() * sizeof(Local) + targets_.gid.size() * sizeof(Gid) + targets_.weight.size() * sizeof(double);
  }
  const Targets& targets() const override { return targets_; }

 private:
  const Device& device_;
  Targets targets_;
};

}  // namespace npl::devices
