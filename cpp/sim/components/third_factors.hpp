// SPDX-License-Identifier: Apache-2.0
/// Third factors: concentrations of neuromodulators that synapses of the network read. Every slice keeps all of them, whether it has such
/// synapses or not: then all slices know the same spikes of transmitters.
#pragma once
#include <memory>
#include <vector>

#include "sim/component.hpp"
#include "synapses/volume.hpp"

namespace npl::sim {

class ThirdFactors : public Component {
 public:
  using Component::Component;
  static constexpr unsigned phases = bit(arrival) | bit(end_of_part);
  bool is_present() const { return !all_.empty(); }

  const std::vector<std::unique_ptr<synapses::Volume>>& all() const { return all_; }
  /// Made when there is none.
  synapses::Volume* volume(const synapses::Hearing& of);
  /// A transmitter has spiked.
  void hear(Gid transmitter, Step step);
  void arrive(const Emitted& spikes) override {
    for (const Spike& s : spikes.spikes) hear(s.gid, s.step);
  }
  /// Drops spikes of transmitters that no row needs any more, once there are many.
  void end(const PartSteps& part, SourcedSpikes& out) override;

  void lend(const tables::TableSpec& spec, pathways::Surroundings& around);
  void resemble(const ThirdFactors& other) {
    for (const auto& v : other.all_) all_.push_back(std::make_unique<synapses::Volume>(*v));
  }
  void add_bytes(SliceBytes& bytes) const {
    for (const auto& v : all_) bytes.traces += v->bytes();
  }

 private:
  std::vector<std::unique_ptr<synapses::Volume>> all_;
  std::size_t forget_at_ = std::size_t{1} << 16;  ///< number of spikes of a transmitter at which old ones are dropped
};

}  // namespace npl::sim
