// SPDX-License-Identifier: Apache-2.0
// Own trains: what one more target would get, whatever the pieces in which it is asked for and the step from which on.
#include <gtest/gtest.h>

#include <algorithm>

#include "devices/own_train.hpp"

namespace npl::devices::test_own_train {
namespace {

Device made(const std::string& name, const std::vector<double>& rest, std::vector<std::vector<double>> vectors = {}) {
  Device d;
  d.info = &find_device(name);
  d.gid = 5;
  Setting s;
  for (const Field& f : d.info->parameters) s.values.push_back(f.init);
  for (std::size_t k = 0; k < rest.size(); ++k) s.values[n_window + k] = rest[k];
  s.vectors = std::move(vectors);
  d.history.push_back(std::move(s));
  return d;
}

/// The train as a target of its own would get it, step by step.
Emitted as_target(const Device& d, Step until) {
  Targets t;
  t.local = {0}, t.gid = {d.gid}, t.weight = {1.0}, t.since = d.created, t.count = t.precise = true, t.seed = 7;
  const auto part = d.info->make_part(d, std::move(t));
  Emitted all;
  for (Step step = d.created; step < until; ++step) {
    Fixed count = 0;
    std::vector<PreciseEvent> events;
    part->apply(step + 1, {&count, 1.0, nullptr, &events});
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.offset > b.offset; });
    for (const PreciseEvent& e : events) all.offsets.push_back(e.offset);
    all.spikes.insert(all.spikes.end(), static_cast<std::size_t>(count) + events.size(), Spike{d.gid, step});
  }
  return all;
}

Emitted in_pieces(const Device& d, Step begin, Step until, Step piece) {
  OwnTrain own(d, 7);
  Emitted all;
  for (Step from = begin; from < until; from += piece) own.emit(from, std::min(from + piece, until), all);
  return all;
}

bool same(const Emitted& a, const Emitted& b) {
  return a.offsets == b.offsets && std::equal(a.spikes.begin(), a.spikes.end(), b.spikes.begin(), b.spikes.end(),
                                              [](const Spike& x, const Spike& y) { return x.gid == y.gid && x.step == y.step; });
}

Emitted from_on(Emitted e, Step begin) {
  std::size_t k = 0;
  while (k < e.spikes.size() && e.spikes[k].step < begin) ++k;
  e.spikes.erase(e.spikes.begin(), e.spikes.begin() + static_cast<std::ptrdiff_t>(k));
  if (!e.offsets.empty()) e.offsets.erase(e.offsets.begin(), e.offsets.begin() + static_cast<std::ptrdiff_t>(k));
  return e;
}

std::vector<Device> generators() {
  return {made("poisson_generator", {300.0}),
          made("poisson_generator_ps", {300.0, 1.0}),
          made("mip_generator", {300.0, 0.5}),
          made("gamma_sup_generator", {300.0}),
          made("sinusoidal_gamma_generator", {300.0}),
          made("sinusoidal_poisson_generator", {300.0}),
          made("weighted_spike_generator", {}, {{1.0, 2.5, 2.5, 90.0}, {1.0, -2.0, 3.0, 0.0}})};
}

TEST(OwnTrain, IsWhatATargetGets) {
  for (const Device& d : generators()) {
    const Emitted wanted = as_target(d, 1000);
    EXPECT_GT(wanted.spikes.size(), 3u) << d.info->name;
    for (const Step piece : {1, 7, 1000})
      EXPECT_TRUE(same(in_pieces(d, 0, 1000, piece), wanted)) << d.info->name << " in pieces of " << piece;
  }
}

TEST(OwnTrain, DoesNotDependOnWhenItIsFirstAskedFor) {
  for (const Device& d : generators()) EXPECT_TRUE(same(in_pieces(d, 500, 1000, 13), from_on(as_target(d, 1000), 500))) << d.info->name;
}

TEST(OwnTrain, SettingsMadeLaterWakeIt) {
  Device d = made("poisson_generator", {0.0});
  OwnTrain own(d, 7);
  Emitted all;
  EXPECT_GT(own.emit(0, 100, all), 1000);
  Setting s = d.history.back();
  s.from = 100, s.values[n_window] = 1000.0;
  d.history.push_back(s);
  own.emit(100, 400, all);
  EXPECT_TRUE(same(all, as_target(d, 400)));
  EXPECT_GT(all.spikes.size(), 10u);
  EXPECT_GE(all.spikes.front().step, 100);
}

TEST(OwnTrain, TellsTheCurrentThatIsSent) {
  const Device d = made("dc_generator", {40.0});
  OwnTrain own(d, 7);
  for (const Step step : {0, 1, 5, 5, 100}) EXPECT_EQ(own.sent(step), 40.0) << step;
}

TEST(OwnTrain, SpikesOfOneKindOnly) {
  EXPECT_TRUE(has_own_train(find_device("poisson_generator")));
  EXPECT_TRUE(has_own_train(find_device("mip_generator")));
  for (const char* name : {"weighted_spike_generator", "dc_generator", "spike_generator", "recorder"})
    EXPECT_FALSE(has_own_train(find_device(name))) << name;
}

}  // namespace
}  // namespace npl::devices::test_own_train
