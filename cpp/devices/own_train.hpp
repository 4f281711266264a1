// SPDX-License-Identifier: Apache-2.0
/// The train or current of a generator itself: what one more target, with the gid of the device, would get from the device on from its
/// creation. It is what is recorded of a generator, and what it sends through tables of synapses, where all targets hear the same spikes.
/// A function of the device alone: neither of the time at which it is first asked for, nor of connections (law 1).
#pragma once
#include <memory>
#include <vector>

#include "base/precise_event.hpp"
#include "devices/device.hpp"

namespace npl::devices {

class OwnTrain {
 public:
  OwnTrain(const Device& device, std::uint64_t seed);

  /// Appends the spikes of steps [from, until), with sub-step offsets where a spike has one. Calls go forward in time. Returns a step from
  /// `until` on, before which nothing more is sent unless a setting changes.
  Step emit(Step from, Step until, Emitted& out);
  /// What is sent in a step: the current [pA], or the number of spikes. Calls go forward in time.
  double sent(Step step);
  std::uint64_t seed() const { return part_->targets().seed; }
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
