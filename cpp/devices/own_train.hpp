// SPDX-License-Identifier: Apache-2.0
/// What a generator sends to one more target, which is not connected: its train of spikes or its current. The device's own train is that of
/// a target with the gid of the device, from the creation of the device on. It is what is recorded of a generator, and what the generator
/// sends through tables of synapses, where all targets get the same spikes. A train is a function of device and target: neither of the time
/// at which it is first asked for, nor of connections (law 1).
#pragma once
#include <memory>
#include <vector>

#include "base/precise_event.hpp"
#include "devices/device.hpp"

namespace npl::devices {

/// One more target of a device.
struct ExtraTarget {
  Gid gid;
  std::uint64_t link = 0;  ///< numbers the trains that the device sends to this target: they are independent
  Step since = 0;          ///< nothing that was sent earlier arrives
};

class OwnTrain {
 public:
  /// The device's own train.
  OwnTrain(const Device& device, std::uint64_t seed) : OwnTrain(device, {device.gid, 0, device.created}, seed) {}
  OwnTrain(const Device& device, const ExtraTarget& target, std::uint64_t seed);

  /// Appends the spikes of steps [from, until), with sub-step offsets where a spike has one. Calls go forward in time. Returns a step from
  /// `until` on, before which nothing more is sent unless a setting changes.
  Step emit(Step from, Step until, Emitted& out);
  /// What is sent in a step: the current [pA], or the number of spikes. Calls go forward in time.
  double sent(Step step);
  /// The extra target, and the seed.
  const Targets& target() const { return part_->targets(); }
  /// Of a checkpoint: what the train has come to. Loading follows the constructor.
  template <class Archive>
  void visit(Archive& a) {
    PartState s = part_->state();
    a("next", next_), a("applied", applied_), a("count", count_), a("current", current_);
    a("common", s.common), a("width", s.width), a("each", s.each);
    if (a.loading()) part_->resume(s);
  }

 private:
  Step wakes() const;
  void skip(Step until);
  void compute_next();

  const Device& device_;
  std::unique_ptr<Part> part_;
  Step next_;                           ///< the first step that has not been computed
  Step applied_;                        ///< the last one in which the part was asked
  double count_ = 0.0, current_ = 0.0;  ///< of the last step
  std::vector<PreciseEvent> events_;    ///< its spikes between grid points
};

/// Whether a generator has a train of its own that synapse tables can carry: its spikes are all alike.
inline bool has_own_train(const DeviceInfo& info) { return info.effect == Effect::spikes && info.make_part && !info.signed_factors; }

}  // namespace npl::devices
