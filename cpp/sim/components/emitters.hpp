// SPDX-License-Identifier: Apache-2.0
/// Devices of a slice that emit spikes, of themselves or by their own train.
#pragma once
#include <memory>
#include <vector>

#include "devices/device.hpp"
#include "devices/own_train.hpp"
#include "sim/component.hpp"

namespace npl::sim {

struct Emitter {
  const devices::Device* device;
  Step silent_until = 0;  ///< it emits nothing before
  devices::EmitterMemory memory{};
  std::unique_ptr<devices::OwnTrain> own{};  ///< of a device whose other connections need no tables
};

class Emitters : public Component {
 public:
  using Component::Component;
  static constexpr unsigned phases = bit(end_of_part);
  bool is_present() const { return !all_.empty(); }

  /// @param seed of the network
  void add(const devices::Device* device, std::uint64_t seed);
  std::vector<Emitter>& all() { return all_; }
  void prepare();
  /// Appends the spikes of the part, of each source in order of time.
  void end(const PartSteps& part, SourcedSpikes& out) override;

 private:
  void complete(const devices::Device& d, const PartSteps& part, std::size_t first, SourcedSpikes& out) const;

  std::vector<Emitter> all_;
  Step silent_until_ = 0;  ///< the first of them
};

}  // namespace npl::sim
