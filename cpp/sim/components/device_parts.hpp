// SPDX-License-Identifier: Apache-2.0
/// Parts of devices in a slice. They add to the input of steps; the slice calls them between the delivery of spikes and the update.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "devices/device.hpp"
#include "sim/component.hpp"

namespace npl::sim {

/// Part of a device in a slice, and the input to which it adds.
struct AttachedPart {
  std::unique_ptr<devices::Part> part;
  int receptor;
  bool current;
  std::uint64_t link;  ///< number of the device link
  Step lag;            ///< from emission to effect [steps]
  Gid device = 0;
  std::uint64_t turn = 0;      ///< links and their devices in the order in which they were attached; the same on all ranks
  Step until = INT64_MAX;      ///< no effect from this step on
  devices::Stretch stretch{};  ///< of the part
  bool sends = false;          ///< (with a stretch) something may arrive in this step
};

/// Called by name in a run, not through a phase.
class DeviceParts : public Component {
 public:
  using Component::Component;
  static constexpr unsigned phases = 0;
  bool is_present() const { return !all_.empty(); }

  const std::vector<AttachedPart>& all() const { return all_; }
  /// Adds a part; it starts where ended parts of the same link stop.
  void add(AttachedPart part);
  /// Of a checkpoint.
  void adopt(AttachedPart part);
  /// Ends the parts of a link: no output from step `now` on.
  void end_link(std::uint64_t link, Step now);
  /// Whether some part sends a current.
  bool sends_current() const;
  /// The largest port to which some part sends a current; 0: the first.
  int largest_port() const;

  /// Before the steps of a part of a run.
  void begin() {
    if (feeds_.size() != host_.groups.size()) list_feeds();
  }
  /// Adds what is sent in a step. @param row where its input begins @param at_once parts with a stretch, too, add what they send
  void apply(Step step, std::size_t row, bool at_once);
  /// Parts with a stretch that have targets in a group.
  const std::vector<AttachedPart*>& feeds(std::size_t group) const { return feeds_[group]; }
  /// Adds what such a part sends to the targets within, just before these are updated.
  void feed(const AttachedPart& part, const devices::Stretch& within);

  void prepare() { rouse(); }
  void add_bytes(SliceBytes& bytes) const {
    for (const auto& p : all_) bytes.devices += p.part->bytes();
  }
  using Kept = std::size_t;  ///< a number: more are added at the end
  Kept keep() const { return all_.size(); }
  void restore(Kept& kept) noexcept;

 private:
  devices::PartInput input_of(const AttachedPart& p, std::size_t row) { return host_.input.of_part(p.receptor, p.current, row); }
  /// Settings may have changed: all parts act again.
  void rouse();
  void list_feeds();

  std::vector<AttachedPart> all_;
  std::vector<Step> wakes_;                        ///< [parts] first step in which the part may do something again
  std::vector<std::vector<AttachedPart*>> feeds_;  ///< [groups] see feeds(); empty: not listed yet
};

}  // namespace npl::sim
