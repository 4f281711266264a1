// SPDX-License-Identifier: Apache-2.0
// Released shares of the short-term plasticity models, compared with small-step integration of the equations and with closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "synapses/row_rule.hpp"

namespace npl::synapses::test_short_term {
namespace {

constexpr double dt = 0.1;
const std::vector<Step> train{3, 50, 51, 90, 91, 300, 301, 302, 1500};

/// Shares released by a model at the spikes of `train`.
std::vector<double> released(const std::string& model, const std::vector<double>& parameters) {
  const auto plasticity = find_synapse(model).prepare(parameters.data(), dt);
  std::vector<double> values(static_cast<std::size_t>(plasticity->row_values())), shares;
  std::int32_t last = 0;
  for (Step stamp : train) shares.push_back(plasticity->as<RowRule>().spike(stamp, last, values.data()).trace);
  EXPECT_EQ(last, train.back());
  return shares;
}

/// The same by Euler steps of 1e-4 ms: `flow` for a time, `jump` at a spike gives the share.
std::vector<double> integrated(std::vector<double> y, const std::function<void(std::vector<double>&, double)>& flow,
                               const std::function<double(std::vector<double>&)>& jump) {
  constexpr int parts = 1000;
  std::vector<double> shares;
  Step now = 0;
  for (Step stamp : train) {
    for (; now < stamp; ++now)
      for (int k = 0; k < parts; ++k) flow(y, dt / parts);
    shares.push_back(jump(y));
  }
  return shares;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "spike " << i;
}

TEST(ShortTerm, TsodyksFollowsTheEquationsOfItsThreePools) {
  for (double tau_fac : {0.0, 60.0}) {
    const double U = 0.3, psc = 3.0, rec = 40.0, x0 = 0.6, y0 = 0.1, u0 = 0.2;
    const auto flow = [&](std::vector<double>& s, double h) {
      const double z = 1 - s[0] - s[1], dx = z / rec, dy = -s[1] / psc, du = tau_fac > 0 ? -s[2] / tau_fac : 0;
      s[0] += h * dx, s[1] += h * dy, s[2] += h * du;
    };
    const auto jump = [&](std::vector<double>& s) {
      if (tau_fac == 0) s[2] = 0;
      s[2] += U * (1 - s[2]);
      const double share = s[2] * s[0];
      s[0] -= share, s[1] += share;
      return share;
    };
    expect_near(released("tsodyks_synapse", {U, psc, tau_fac, rec, x0, y0, u0}), integrated({x0, y0, u0}, flow, jump), 2e-5);
  }
}

TEST(ShortTerm, NmdaGatingJumpsToWhatItsEquationsReach) {
  const double decay = 100.0, rise = 2.0, alpha = 0.7;
  const auto reached = [&](double s) {  // s' = alpha x (1 - s) - s / decay, x' = -x / rise, x(0) = 1: until x is gone, decay taken back
    double x = 1.0;
    for (int k = 0; k < 400000; ++k) s += 1e-4 * (alpha * x * (1 - s) - s / decay), x *= 1 - 1e-4 / rise;
    return s * std::exp(40.0 / decay);
  };
  const auto shares = released("nmda_synapse", {decay, rise, alpha});
  EXPECT_NEAR(shares[0], reached(0.0), 1e-4);
  EXPECT_NEAR(shares[1], std::exp(-alpha * rise) * shares[0] * std::exp(-4.7 / decay) + shares[0] - shares[0] * std::exp(-4.7 / decay),
              1e-12);
  EXPECT_LT(shares[2], 0.5 * shares[1]) << "it saturates";
}

TEST(ShortTerm, StateChangesAreOneSpikeOrTwo) {
  const auto plasticity = find_synapse("state_change_synapse").prepare(nullptr, dt);
  std::int32_t last = 0;
  double value = 0.0, state = 0.0;
  for (const auto& [stamp, after] : std::vector<std::pair<Step, double>>{{4, -1}, {4, 1}, {9, 0}, {10, -1}, {10, 1}, {11, 0}}) {
    state += plasticity->as<RowRule>().spike(stamp, last, &value).trace;
    EXPECT_EQ(state, after) << stamp;
  }
}

TEST(ShortTerm, VesiclesRecoverAndAreUsed) {
  const auto flow = [](std::vector<double>& s, double h) { s[0] += h * (1 - s[0]) / 30.0; };
  const auto jump = [](std::vector<double>& s) {
    const double share = s[0];
    s[0] *= 1 - 0.4;
    return share;
  };
  expect_near(released("ht_synapse", {0.5, 30.0, 0.4}), integrated({0.5}, flow, jump), 2e-5);
}

TEST(ShortTerm, Tsodyks2IteratesFromSpikeToSpike) {
  const double U = 0.2, u0 = 0.7, x0 = 0.4, rec = 50.0, fac = 100.0;
  double u = u0, x = x0;
  Step last = 0;
  std::vector<double> expected;
  for (Step stamp : train) {
    const double ms = static_cast<double>(stamp - last) * dt;
    if (last > 0) {  // the initial values are those at the first spike
      x = 1 - (1 - x * (1 - u)) * std::exp(-ms / rec);
      u = U + u * (1 - U) * std::exp(-ms / fac);
    }
    expected.push_back(u * x);
    last = stamp;
  }
  expect_near(released("tsodyks2_synapse", {U, u0, x0, rec, fac}), expected, 1e-14);
}

TEST(ShortTerm, DeliversItsShareOfEachWeight) {
  const auto plasticity = find_synapse("ht_synapse").prepare(std::vector<double>{1.0, 500.0, 0.125}.data(), dt);
  const std::vector<std::uint16_t> target{3, 3, 1};
  std::vector<float> weight{1.0f, 2.0f, -4.0f};
  for (bool counts : {false, true}) {
    std::vector<Fixed> sums(5);
    double largest = 0;
    plasticity->as<RowRule>().process(
        {3, target.data(), weight.data(), 900, {300, 0.25}, 10, nullptr, sums.data(), 0x1p30, &largest, counts});
    EXPECT_EQ(sums, (counts ? std::vector<Fixed>{0, 1, 0, 2, 0} : std::vector<Fixed>{0, -(1 << 30), 0, 3 << 28, 0}));
  }
  EXPECT_EQ(weight, (std::vector<float>{1.0f, 2.0f, -4.0f}));
}

TEST(ShortTerm, RefusesWhatMakesNoSense) {
  const std::vector<double> equal{0.5, 3.0, 0.0, 3.0, 1.0, 0.0, 0.0}, too_much{0.5, 3.0, 0.0, 800.0, 0.8, 0.3, 0.0}, pool{1.5, 500.0, 0.1};
  EXPECT_THROW(find_synapse("tsodyks_synapse").prepare(equal.data(), dt), BadParameter);
  EXPECT_THROW(find_synapse("tsodyks_synapse").prepare(too_much.data(), dt), BadParameter);
  EXPECT_THROW(find_synapse("ht_synapse").prepare(pool.data(), dt), BadParameter);
}

}  // namespace
}  // namespace npl::synapses::test_short_term
