// SPDX-License-Identifier: Apache-2.0
// Devices: when they act, that changes hold from the step of the change, that draws do not depend on how targets are grouped.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "devices/device.hpp"
#include "devices/spike_part.hpp"
#include "rng/poisson.hpp"

namespace npl::devices::test_devices {
namespace {

constexpr double h = 0.1;

std::size_t field(const DeviceInfo& info, const std::string& name) {
  for (std::size_t k = 0; k < info.parameters.size(); ++k)
    if (info.parameters[k].name == name) return k;
  throw std::out_of_range(name);
}

/// A device with its defaults and some other values.
struct Made {
  Device device;

  Made(const std::string& name, const std::vector<std::pair<std::string, double>>& values, std::vector<std::vector<double>> vectors = {}) {
    device.info = &find_device(name);
    device.gid = 5;
    device.resolution = h;
    Setting s;
    for (const Field& f : device.info->parameters) s.values.push_back(f.init);
    vectors.resize(device.info->vectors.size());
    s.vectors = std::move(vectors);
    device.history.push_back(s);
    change(0, values);
  }
  /// From what is sent in step `from` on.
  void change(Step from, const std::vector<std::pair<std::string, double>>& values) {
    Setting s = device.history.back();
    s.from = from;
    for (const auto& [name, value] : values) s.values[field(*device.info, name)] = value;
    device.info->check(device, s);
    if (device.history.back().from == from) device.history.pop_back();
    device.history.push_back(std::move(s));
  }
};

Targets targets_of(const std::vector<Gid>& gids, Delay delay, std::vector<double> weight = {1.0}) {
  Targets t;
  t.gid = gids;
  for (std::size_t i = 0; i < gids.size(); ++i) t.local.push_back(static_cast<Local>(i));
  t.weight = std::move(weight);
  t.delay = delay;
  t.seed = 3;
  t.link = 1;
  return t;
}

/// What arrives in steps [0, steps): spikes as sums, or currents, [step][target].
std::vector<std::vector<double>> arrivals(const Device& d, Targets t, Step steps, double to_fixed = 1.0) {
  const std::size_t n = t.local.empty() ? 0 : t.local.back() + 1u;
  const auto part = d.info->make_part(d, std::move(t));
  std::vector<std::vector<double>> out;
  for (Step step = 0; step < steps; ++step) {
    std::vector<Fixed> sums(n);
    std::vector<double> current(n);
    part->apply(step, {sums.data(), to_fixed, current.data()});
    for (std::size_t i = 0; i < n; ++i) current[i] += static_cast<double>(sums[i]) / to_fixed;
    out.push_back(current);
  }
  return out;
}

/// The same of a part that is called only from the step on that it names.
std::vector<std::vector<double>> arrivals_when_awake(const Device& d, Targets t, Step steps, std::size_t* calls) {
  const std::size_t n = t.local.size();
  const auto part = d.info->make_part(d, std::move(t));
  std::vector<std::vector<double>> out;
  *calls = 0;
  for (Step step = 0; step < steps; ++step) {
    std::vector<Fixed> sums(n);
    std::vector<double> current(n);
    if (step >= part->wakes()) part->apply(step, {sums.data(), 1.0, current.data()}), ++*calls;
    for (std::size_t i = 0; i < n; ++i) current[i] += static_cast<double>(sums[i]);
    out.push_back(current);
  }
  return out;
}

/// Steps in which target 0 gets something.
std::vector<Step> active_steps(const Device& d, Delay delay, Step steps) {
  std::vector<Step> active;
  const auto a = arrivals(d, targets_of({1}, delay), steps);
  for (Step step = 0; step < steps; ++step)
    if (a[static_cast<std::size_t>(step)][0] != 0) active.push_back(step);
  return active;
}

std::vector<Step> range(Step first, Step last) {
  std::vector<Step> r;
  for (Step s = first; s <= last; ++s) r.push_back(s);
  return r;
}

TEST(Parts, NothingArrivesWhileTheySleep) {
  for (const DeviceInfo* info : devices()) {
    if (!info->make_part) continue;
    for (double rate : {0.0, 300.0, 4e3})
      for (Delay delay : {1, 12}) {
        Made m(info->name, {{"start", 1.7}, {"stop", 80.0}});
        const bool has_rate = info->parameters.size() > n_window && std::string(info->parameters[n_window].name) == "rate";
        if (has_rate) m.change(100, {{"rate", rate}}), m.change(403, {{"rate", 0.0}}), m.change(600, {{"rate", 2 * rate}});
        Targets t = targets_of({1, 2, 9}, delay);
        t.since = 40;
        std::size_t calls;
        EXPECT_EQ(arrivals_when_awake(m.device, t, 1000, &calls), arrivals(m.device, t, 1000)) << info->name;
        EXPECT_LE(calls, 1000u);
      }
  }
}

TEST(Parts, AQuietPoissonGeneratorIsCalledOncePerBlock) {
  const Made quiet("poisson_generator", {{"rate", 1.0}});
  std::size_t calls;
  arrivals_when_awake(quiet.device, targets_of({1}, 1), 8000, &calls);
  EXPECT_LT(calls, 1100u);
  const Made silent("poisson_generator", {});
  arrivals_when_awake(silent.device, targets_of({1}, 1), 8000, &calls);
  EXPECT_LE(calls, 3u);
}

// Sent in step n, a current acts in step n + delay + 1; a window (start, stop] in time is the steps start - 1 ... stop - 2 of sending.
TEST(CurrentWindow, ActsFromStartToStopPlusDelay) {
  for (Delay delay : {1, 2, 17}) {
    const Made dc("dc_generator", {{"amplitude", 7.0}, {"start", 2.0}, {"stop", 3.0}});
    EXPECT_EQ(active_steps(dc.device, delay, 100), range(20 + delay, 29 + delay)) << delay;
    const Made shifted("dc_generator", {{"amplitude", 7.0}, {"start", 1.0}, {"stop", 2.0}, {"origin", 1.0}});
    EXPECT_EQ(active_steps(shifted.device, delay, 100), range(20 + delay, 29 + delay)) << delay;
    const Made always("dc_generator", {{"amplitude", 7.0}});
    EXPECT_EQ(active_steps(always.device, delay, 100), range(delay + 1, 99)) << delay;
    const Made never("dc_generator", {{"amplitude", 7.0}, {"start", 5.0}, {"stop", 5.0}});
    EXPECT_EQ(active_steps(never.device, delay, 100), std::vector<Step>{}) << delay;
  }
}

TEST(PoissonWindow, ActsFromStartToStopPlusDelay) {
  for (Delay delay : {1, 2, 17}) {
    const Made poisson("poisson_generator", {{"rate", 3e5}, {"start", 2.0}, {"stop", 3.0}});  // 30 spikes per step: never none
    EXPECT_EQ(active_steps(poisson.device, delay, 100), range(21 + delay, 30 + delay)) << delay;
  }
}

TEST(Parts, NothingArrivesFromBeforeTheConnection) {
  for (const char* name : {"dc_generator", "poisson_generator", "noise_generator"}) {
    Made m(name, {});
    m.change(0, {{name == std::string("dc_generator") ? "amplitude" : name == std::string("poisson_generator") ? "rate" : "mean", 3e5}});
    Targets t = targets_of({1}, 10);
    t.since = 50;
    const auto a = arrivals(m.device, t, 100);
    for (Step step = 0; step < 60; ++step) EXPECT_EQ(a[static_cast<std::size_t>(step)][0], 0.0) << name << " " << step;
    EXPECT_NE(a[70][0], 0.0);
  }
}

TEST(History, AChangeHoldsForWhatIsSentFromThenOn) {
  Made dc("dc_generator", {{"amplitude", 1.0}});
  dc.change(30, {{"amplitude", 2.0}});
  dc.change(60, {{"amplitude", -1.0}, {"stop", 8.0}});
  const auto a = arrivals(dc.device, targets_of({1}, 5), 120);
  for (Step step = 0; step < 120; ++step) {
    const Step sent = step - 6;
    const double expected = sent < 0 ? 0.0 : sent < 30 ? 1.0 : sent < 60 ? 2.0 : sent <= 78 ? -1.0 : 0.0;
    EXPECT_EQ(a[static_cast<std::size_t>(step)][0], expected) << step;
  }
}

TEST(History, StepCurrentsFollowTheirTimes) {
  Made steps("step_current_generator", {}, {{1.0, 2.0, 4.0}, {10.0, -20.0, 5.0}});
  const auto a = arrivals(steps.device, targets_of({1}, 3), 80);
  for (Step step = 0; step < 80; ++step) {
    const Step stamp = step - 4 + 1;  // of what acts now
    const double expected = stamp < 10 ? 0.0 : stamp < 20 ? 10.0 : stamp < 40 ? -20.0 : 5.0;
    EXPECT_EQ(a[static_cast<std::size_t>(step)][0], expected) << step;
  }
}

TEST(Poisson, ARateThatChangesIsDrawnAsIfItHadAlwaysBeenSo) {
  const std::vector<Gid> gids{3, 4, 5, 9, 11};
  Made changing("poisson_generator", {{"rate", 2e4}}), low("poisson_generator", {{"rate", 2e4}}),
      high("poisson_generator", {{"rate", 9e4}});
  changing.change(30, {{"rate", 9e4}});
  changing.change(41, {{"rate", 0.0}});
  changing.change(43, {{"rate", 2e4}});
  const auto c = arrivals(changing.device, targets_of(gids, 2), 100), l = arrivals(low.device, targets_of(gids, 2), 100),
             u = arrivals(high.device, targets_of(gids, 2), 100);
  for (std::size_t step = 0; step < 100; ++step) {
    const Step sent = static_cast<Step>(step) - 2;
    const auto& expected = sent < 30 ? l[step] : sent < 41 ? u[step] : sent < 43 ? std::vector<double>(gids.size()) : l[step];
    EXPECT_EQ(c[step], expected) << step;
  }
}

TEST(Poisson, CountsOfATargetDoNotDependOnItsCompany) {
  const Made poisson("poisson_generator", {{"rate", 3e4}});
  std::vector<Gid> all;
  for (Gid g = 1; g <= 700; ++g) all.push_back(g);
  const auto together = arrivals(poisson.device, targets_of(all, 1), 20);
  for (Gid stride : {1, 2, 7, 350}) {  // as slices deal them
    for (Gid first = 1; first <= stride; first += 3) {
      std::vector<Gid> some;
      for (Gid g = first; g <= 700; g += stride) some.push_back(g);
      const auto apart = arrivals(poisson.device, targets_of(some, 1), 20);
      for (std::size_t step = 0; step < 20; ++step)
        for (std::size_t i = 0; i < some.size(); ++i)
          ASSERT_EQ(apart[step][i], together[step][static_cast<std::size_t>(some[i] - 1)]) << stride << " " << some[i];
    }
  }
  const std::vector<Gid> irregular{1, 2, 3, 5, 8, 13, 21, 400, 401, 403};
  const auto apart = arrivals(poisson.device, targets_of(irregular, 1), 20);
  for (std::size_t step = 0; step < 20; ++step)
    for (std::size_t i = 0; i < irregular.size(); ++i)
      ASSERT_EQ(apart[step][i], together[step][static_cast<std::size_t>(irregular[i] - 1)]);
}

// The whole word of 32 bits, made of two blocks, decides: the short cut by 16 bits must not show.
TEST(Poisson, CountsInvertTheCumulativeDistributionAtAWord) {
  constexpr std::size_t n = 3000, steps = 60;
  std::vector<Gid> gids;
  for (std::size_t i = 0; i < n; ++i) gids.push_back(static_cast<Gid>(3 * i + 2));
  for (const double rate : {200.0, 1.28e4, 2e5, 4e7}) {
    const Made poisson("poisson_generator", {{"rate", rate}});
    const auto a = arrivals(poisson.device, targets_of(gids, 1), steps);
    const rng::PoissonTable table(rate * h * 1e-3);
    const auto key = rng::Key::of(3, rng::Purpose::poisson, (std::uint64_t{5} << 24) ^ 1);
    const auto half = [&](std::size_t target, std::uint64_t b, std::size_t in_block) {
      return rng::draw(key, static_cast<std::uint64_t>(gids[target]), b)[in_block / 2] >> (16 * (in_block % 2)) & 0xffffu;
    };
    for (std::size_t sent = 1; sent + 1 < steps; ++sent)
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t word = half(i, sent / 8, sent % 8) << 16 | half(i, sent / 8 + (std::uint64_t{1} << 63), sent % 8);
        std::uint16_t count;
        table.counts(&word, &count, 1);
        ASSERT_EQ(a[sent + 1][i], count) << rate << " " << sent << " " << i;
      }
  }
}

// With counts in bytes and, at the highest rate, in 16 bits; a change of the rate within a block of steps; steps without calls.
TEST(Poisson, PieceByPieceTheSameArrives) {
  constexpr std::size_t n = 3001, before = 5;
  std::vector<Gid> gids;
  for (std::size_t i = 0; i < n; ++i) gids.push_back(static_cast<Gid>(i < 700 ? 2 * i + 1 : 3 * i));
  Made poisson("poisson_generator", {{"rate", 1.6e4}, {"start", 0.4}, {"stop", 6.0}});
  poisson.change(20, {{"rate", 4e6}});
  poisson.change(41, {{"rate", 1.6e4}});
  Targets targets = targets_of(gids, 2, {-87.8});
  for (Local& l : targets.local) l += before;
  const auto whole = poisson.device.info->make_part(poisson.device, targets),
             pieces = poisson.device.info->make_part(poisson.device, targets);
  const Stretch all = pieces->stretch();
  ASSERT_EQ(all.from, before);
  ASSERT_EQ(all.until, before + n);
  for (Step step = 0; step < 80; ++step) {
    std::vector<Fixed> expected(before + n), sums(before + n);
    whole->apply(step, {expected.data(), 0x1p30, nullptr});
    const PartInput in{sums.data(), 0x1p30, nullptr};
    const Local piece = step % 3 ? 256 : 1000;
    if (step % 5 == 4)
      pieces->apply(step, in);
    else if (pieces->begin(step))
      for (Local from = 0; from < all.until; from += piece) {
        const Stretch here = all.within({from, from + piece});
        if (!here.empty()) pieces->add(here, in);
      }
    ASSERT_EQ(sums, expected) << step;
  }
}

TEST(Poisson, FewOrScatteredTargetsAreServedAtOnce) {
  const Made poisson("poisson_generator", {{"rate", 1e4}});
  const auto stretch = [&](Targets t) { return poisson.device.info->make_part(poisson.device, std::move(t))->stretch(); };
  EXPECT_TRUE(stretch(targets_of({}, 1)).empty());
  EXPECT_TRUE(stretch(targets_of({1, 2, 3}, 1)).empty());
  Targets scattered = targets_of(std::vector<Gid>(3000, 1), 1);
  EXPECT_FALSE(stretch(scattered).empty());
  scattered.local.back() += 1;
  EXPECT_TRUE(stretch(scattered).empty());
}

TEST(Poisson, WeightsMultiplyCounts) {
  const Made poisson("poisson_generator", {{"rate", 3e4}});
  const std::vector<Gid> gids{1, 2, 3, 4, 5, 6, 7};
  const double scale = 0x1p30;
  const auto ones = arrivals(poisson.device, targets_of(gids, 1), 50);
  const auto same = arrivals(poisson.device, targets_of(gids, 1, {-87.8}), 50, scale);
  const auto each = arrivals(poisson.device, targets_of(gids, 1, {1, -2, 3, 0.5, 0, 2.25, 1e3}), 50, scale);
  const std::vector<double> weight{1, -2, 3, 0.5, 0, 2.25, 1e3};
  Targets counting = targets_of(gids, 1, {-87.8});
  counting.count = true;
  const auto counts = arrivals(poisson.device, counting, 50);
  double sum = 0;
  for (std::size_t step = 0; step < 50; ++step)
    for (std::size_t i = 0; i < gids.size(); ++i) {
      EXPECT_NEAR(same[step][i], -87.8 * ones[step][i], 1e-6);
      EXPECT_NEAR(each[step][i], weight[i] * ones[step][i], 1e-6);
      EXPECT_EQ(counts[step][i], ones[step][i]);
      sum += ones[step][i];
    }
  EXPECT_NEAR(sum / (48 * 7), 3.0, 5 * std::sqrt(3.0 / (48 * 7)));
}

TEST(Poisson, MeanAndVarianceAreTheRate) {
  for (double rate : {100.0, 5e3, 8e4}) {
    const Made poisson("poisson_generator", {{"rate", rate}});
    std::vector<Gid> gids(1000);
    for (std::size_t i = 0; i < gids.size(); ++i) gids[i] = static_cast<Gid>(i + 1);
    const auto a = arrivals(poisson.device, targets_of(gids, 1), 202);
    const double n = 200e3, mean = rate * h * 1e-3;
    double sum = 0, squares = 0;
    for (std::size_t step = 2; step < 202; ++step)
      for (double x : a[step]) sum += x, squares += (x - mean) * (x - mean);
    EXPECT_NEAR(sum / n, mean, 5 * std::sqrt(mean / n)) << rate;
    EXPECT_NEAR(squares / n, mean, 5 * std::sqrt((mean + 2 * mean * mean) / n)) << rate;  // fourth central moment: mean + 3 mean^2
  }
}

TEST(Noise, NewValuesEveryDtIndependentOfTheCompany) {
  const Made noise("noise_generator", {{"mean", 10.0}, {"std", 100.0}, {"dt", 0.5}});
  const auto together = arrivals(noise.device, targets_of({1, 2, 3, 4, 5, 6}, 1), 300),
             apart = arrivals(noise.device, targets_of({2, 5}, 1), 300);
  double sum = 0, squares = 0;
  for (std::size_t step = 2; step < 300; ++step) {
    EXPECT_EQ(apart[step][0], together[step][1]);
    EXPECT_EQ(apart[step][1], together[step][4]);
    if (step > 2) {
      EXPECT_EQ(together[step] == together[step - 1], (step - 2) % 5 != 0) << step;
    }
    for (double x : together[step]) sum += (x - 10) / 100, squares += (x - 10) * (x - 10) / 1e4;
  }
  EXPECT_NEAR(sum / (298 * 6), 0.0, 5 / std::sqrt(60 * 6));
  EXPECT_NEAR(squares / (298 * 6), 1.0, 5 * std::sqrt(2.0 / (60 * 6)));
}

std::vector<Step> emitted(const Device& d, Step from, Step until, Step interval) {
  std::vector<Spike> spikes;
  EmitterMemory memory;
  Step silent_until = from;
  for (Step step = from; step < until; step += interval) {
    const Step end = std::min(step + interval, until);
    const std::size_t before = spikes.size();
    const Step silent = d.info->emit(d, step, end, memory, spikes);
    EXPECT_TRUE(end > silent_until || spikes.size() == before) << "steps that were said to be silent";
    EXPECT_GE(silent, end);
    silent_until = silent;
  }
  std::vector<Step> stamps;
  for (const Spike& s : spikes) stamps.push_back(s.step + 1);
  return stamps;
}

TEST(SpikeGenerator, SendsWhatItWasGivenInAnyIntervals) {
  const Made all("spike_generator", {}, {{0.1, 0.2, 0.2, 1.0, 5.0, 5.1, 9.9}, {1, 2, 0, 3, 1, 1, 1}});
  for (Step interval : {1, 3, 7, 100})
    EXPECT_EQ(emitted(all.device, 0, 99, interval), (std::vector<Step>{1, 2, 2, 10, 10, 10, 50, 51, 99})) << interval;
  EXPECT_EQ(emitted(all.device, 2, 50, 1), (std::vector<Step>{10, 10, 10, 50}));
  const Made window("spike_generator", {{"start", 1.0}, {"stop", 5.0}}, {{0.9, 1.0, 1.1, 5.0, 5.1}, {}});
  EXPECT_EQ(emitted(window.device, 0, 99, 4), (std::vector<Step>{11, 50}));
  const Made shifted("spike_generator", {{"origin", 2.0}}, {{0.1, 1.0}, {}});
  EXPECT_EQ(emitted(shifted.device, 0, 99, 4), (std::vector<Step>{21, 30}));
}

TEST(WeightedSpikeGenerator, EachSpikeMultipliesTheWeights) {
  Made d("weighted_spike_generator", {}, {{0.2, 0.5, 0.5}, {2.0, -1.0, 0.25}});
  const auto got = arrivals(d.device, targets_of({1, 2}, 3, {1.0, 4.0}), 10, 1024.0);
  for (std::size_t n = 0; n < got.size(); ++n)
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(got[n][i], (i ? 4.0 : 1.0) * (n == 4 ? 2.0 : n == 7 ? -0.75 : 0.0)) << n;
}

TEST(Window, AFrozenDeviceSendsNothing) {
  Made d("dc_generator", {{"amplitude", 5.0}});
  d.device.history.back().frozen = true;
  for (const auto& row : arrivals(d.device, targets_of({1}, 1), 10)) EXPECT_EQ(row[0], 0.0);
}

TEST(Checks, BadSettingsAreRefused) {
  const auto set = [](const char* name, std::vector<std::pair<std::string, double>> values) { Made(name, values); };
  EXPECT_THROW(set("poisson_generator", {{"rate", 1e12}}), BadParameter);
  EXPECT_THROW(set("noise_generator", {{"dt", 0.25}}), BadParameter);
  EXPECT_THROW(set("noise_generator", {{"dt", 0.05}}), BadParameter);
  EXPECT_THROW(set("noise_generator", {{"std_mod", 2.0}}), BadParameter);
  const auto times = [](const char* name, std::vector<std::vector<double>> vectors) {
    Made m(name, {});
    Setting s = m.device.history.back();
    s.vectors = std::move(vectors);
    m.device.info->check(m.device, s);
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (double bad : {nan, inf, -inf, -1.0, 0.0, 0.15}) {
    EXPECT_THROW(times("spike_generator", {{bad}, {}}), BadParameter) << bad;
    EXPECT_THROW(times("step_current_generator", {{bad}, {1.0}}), BadParameter) << bad;
  }
  EXPECT_THROW(times("spike_generator", {{2.0, 1.0}, {}}), BadParameter);
  EXPECT_THROW(times("step_current_generator", {{1.0, 1.0}, {1.0, 1.0}}), BadParameter);
  EXPECT_THROW(times("spike_generator", {{1.0}, {1.0, 2.0}}), BadLength);
  EXPECT_THROW(times("spike_generator", {{1.0}, {0.5}}), BadParameter);
  EXPECT_THROW(times("step_current_generator", {{1.0}, {nan}}), BadParameter);
  EXPECT_THROW(find_device("poisson_generators"), UnknownName);
  times("spike_generator", {{1e15}, {}});  // far away is allowed
}

TEST(Wave, IsTheSineOfTheAngleAsRounded) {
  for (double frequency : {0.0, 0.5, 7.3, 1000.0, 1e6})
    for (double time : {0.0, 0.1, 12.7, 1e3, 1e9})
      for (double phase : {0.0, 90.0, -33.3, 720.0}) {
        const double angle = 2e-3 * std::numbers::pi * frequency * time + phase * (std::numbers::pi / 180.0);
        const auto exact = static_cast<double>(sinl(angle));
        EXPECT_NEAR(wave(frequency, time, phase), exact, 2.3e-16 * std::abs(exact)) << frequency << ' ' << time << ' ' << phase;
      }
}

/// The current of step n acts in step n + delay + 1 and is that of the end of step n.
TEST(Wave, AlternatingCurrentFollowsIt) {
  Made ac("ac_generator", {{"amplitude", 100.0}, {"frequency", 40.0}, {"phase", 30.0}, {"offset", 5.0}});
  const auto part = ac.device.info->make_part(ac.device, targets_of({1}, 1));
  for (Step step = 0; step < 500; ++step) {
    Fixed sums = 0;
    double current = 0;
    part->apply(step, {&sums, 1.0, &current});
    const double t = static_cast<double>(step - 1) * h;
    if (step >= 2) {
      EXPECT_NEAR(current, 5.0 + 100.0 * std::sin(2 * std::numbers::pi * 40.0 * t * 1e-3 + std::numbers::pi / 6), 1e-11) << step;
    }
  }
}

TEST(Window, FarTimesDoNotOverflow) {
  const Made never("dc_generator", {{"start", 1e300}, {"stop", 1e300}, {"origin", 1e300}, {"amplitude", 1.0}});
  EXPECT_EQ(active_steps(never.device, 1, 20), std::vector<Step>{});
  const Made always("dc_generator", {{"start", -1e300}, {"stop", 1e300}, {"origin", -1e200}, {"amplitude", 1.0}});
  EXPECT_EQ(active_steps(always.device, 1, 20), range(2, 19));
}

}  // namespace
}  // namespace npl::devices::test_devices
