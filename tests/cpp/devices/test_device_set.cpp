// SPDX-License-Identifier: Apache-2.0
#include "devices/device_set.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace npl::devices::test_device_set {
namespace {

DeviceSet generators() {
  const DeviceInfo& info = find_device("poisson_generator");
  Setting s;
  for (const Field& f : info.parameters) s.values.push_back(f.init);
  return DeviceSet(Device{&info, 10, 3, 0.1, {s}, false});
}

TEST(DeviceSet, ADeviceIsAnObjectOnceItIsAskedFor) {
  DeviceSet set = generators();
  EXPECT_EQ(set.look(12).history, set.common().history);
  Device& third = set.object(12);
  EXPECT_EQ(third.gid, 12);
  EXPECT_EQ(third.created, 3);
  EXPECT_EQ(&set.object(12), &third);
  EXPECT_EQ(&set.look(12), &third);
  EXPECT_EQ(set.look(13).gid, 10);
}

TEST(DeviceSet, OnlyThoseWithOtherValuesDiffer) {
  DeviceSet set = generators();
  for (const Gid gid : {20, 12, 14}) set.object(gid);
  EXPECT_TRUE(set.different().empty());
  set.for_all([](Device& d) { d.history.back().values[n_window] = 7.0; });
  EXPECT_TRUE(set.different().empty());
  EXPECT_EQ(set.look(13).history.back().values[n_window], 7.0);
  EXPECT_EQ(set.look(14).history.back().values[n_window], 7.0);
  set.object(20).history.back().frozen = true, set.object(14).tabled = true;
  std::vector<Gid> different;
  for (const Device* d : set.different()) different.push_back(d->gid);
  EXPECT_EQ(different, (std::vector<Gid>{14, 20}));
}

TEST(DeviceSet, WhatIsKeptOfARange) {
  DeviceSet set = generators();
  for (const Gid gid : {10, 12, 14, 20}) set.object(gid);
  std::vector<Gid> met;
  set.for_kept(12, 19, [&](const Device& d) { met.push_back(d.gid); });
  EXPECT_EQ(met, (std::vector<Gid>{10, 12, 14}));  // what is common, too
}

TEST(DeviceSet, ThreadsMayAskAtOnce) {
  DeviceSet set = generators();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (Gid gid = 10; gid < 500; ++gid) EXPECT_EQ(set.object(gid).gid, gid);
    });
  for (auto& t : threads) t.join();
}

}  // namespace
}  // namespace npl::devices::test_device_set
