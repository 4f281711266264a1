// SPDX-License-Identifier: Apache-2.0
/// The devices that one call created. What they have in common stands once: a device is an object of its own only where it was given other
/// values, or where this rank uses it. So memory does not grow with the devices of other ranks (law 3).
#pragma once
#include <map>
#include <mutex>
#include <vector>

#include "devices/device.hpp"

namespace npl::devices {

class DeviceSet {
 public:
  /// @param common what all devices are; its gid is that of the first
  explicit DeviceSet(Device common) : common_(std::move(common)) {}

  const DeviceInfo& info() const { return *common_.info; }
  /// Of a device: all that holds for it but its gid.
  const Device& look(Gid gid) const;
  /// The device as an object, which stays where it is. Several threads may ask at once.
  Device& object(Gid gid);
  /// Calls f(device) for what is common and for all objects: a change for all devices.
  template <class F>
  void for_all(F&& f) {
    f(common_);
    for (auto& [gid, device] : objects_) f(*device);
  }
  /// Calls f(device) for the objects from gid `first` to `last`, in order of gid, and for what is common.
  template <class F>
  void for_kept(Gid first, Gid last, F&& f) const {
    f(common_);
    for (auto at = objects_.lower_bound(first); at != objects_.end() && at->first <= last; ++at) f(*at->second);
  }
  /// Objects that are not what all devices are, in order of gid: the same on all ranks.
  std::vector<Device*> different();
  Device& common() { return common_; }

 private:
  Device common_;
  std::map<Gid, std::unique_ptr<Device>> objects_;
  std::mutex mutex_;  ///< of objects_
};

}  // namespace npl::devices
