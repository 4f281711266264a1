// SPDX-License-Identifier: Apache-2.0
#include "devices/device_set.hpp"

namespace npl::devices {

const Device& DeviceSet::look(Gid gid) const {
  const auto found = objects_.find(gid);
  return found == objects_.end() ? common_ : *found->second;
}

Device& DeviceSet::object(Gid gid) {
  const std::lock_guard lock(mutex_);
  if (const auto found = objects_.find(gid); found != objects_.end()) return *found->second;
  auto made = std::make_unique<Device>(common_);
  made->gid = gid;
  return *objects_.emplace(gid, std::move(made)).first->second;
}

std::vector<Device*> DeviceSet::different() {
  std::vector<Device*> found;
  for (auto& [gid, device] : objects_)
    if (device->tabled != common_.tabled || device->history != common_.history) found.push_back(device.get());
  return found;
}

}  // namespace npl::devices
