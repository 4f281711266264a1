// SPDX-License-Identifier: Apache-2.0
// The reference kernel is an oracle because it is plain; still: against closed forms and sums by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "reference/simulation.hpp"

namespace npl::reference::test_reference {
namespace {

constexpr double h = 0.1;

TEST(Exponential, OfMatricesWithKnownExponentials) {
  const Matrix<2> rotation{{{0, -1}, {1, 0}}};
  const auto turned = exponential(rotation, 2.0L);
  EXPECT_NEAR(static_cast<double>(turned[0][0]), std::cos(2.0), 1e-17);
  EXPECT_NEAR(static_cast<double>(turned[1][0]), std::sin(2.0), 1e-17);
  const Matrix<2> jordan{{{-3, 1}, {0, -3}}};
  const auto e = exponential(jordan, 0.5L);
  EXPECT_NEAR(static_cast<double>(e[0][1]), 0.5 * std::exp(-1.5), 1e-17);
  EXPECT_EQ(e[1][0], 0);
  const Matrix<1> stiff{{{-1000}}};
  EXPECT_NEAR(static_cast<double>(exponential(stiff, 0.1L)[0][0]), std::exp(-100.0), 1e-14 * std::exp(-100.0));
}

/// V after one spike of weight w, from its arrival on.
std::vector<double> response(const std::string& model, double w, Values values = {}) {
  Simulation s(h);
  s.add_neuron(2, model, values);
  s.add_edges({{1, 2, w, 3, w < 0}}, "static_synapse", {});
  s.add_spike(1, 1);  // emitted in step 0, arrives at the end of step 3, time 4 h
  s.record(2, "V_m");
  s.run(300);
  return {s.trace(0).begin() + 3, s.trace(0).end()};
}

TEST(Neuron, PostsynapticPotentialsAreTheClosedForms) {
  const double C = 250, tau_m = 10, tau_s = 2;
  const auto delta = response("iaf_psc_delta", 3.0), exponential = response("iaf_psc_exp", 100.0),
             alpha = response("iaf_psc_alpha", -100.0);
  for (std::size_t n = 0; n < delta.size(); ++n) {
    const double t = static_cast<double>(n) * h, m = std::exp(-t / tau_m), s = std::exp(-t / tau_s);
    EXPECT_NEAR(delta[n], -70 + 3.0 * m, 1e-12);
    EXPECT_NEAR(exponential[n], -70 + 100 / C * tau_m * tau_s / (tau_s - tau_m) * (s - m), 1e-12);
    const double b = 1 / tau_s - 1 / tau_m;  // V' = -V / tau_m + (e / tau_s) t exp(-t / tau_s) / C
    EXPECT_NEAR(alpha[n], -70 - 100 * std::exp(1.0) / tau_s / C * (m - s * (1 + b * t)) / (b * b), 1e-11);
  }
}

TEST(Neuron, ThresholdResetAndRefractoriness) {
  Simulation s(h);
  s.add_neuron(1, "iaf_psc_delta", {{"I_e", 500.0}, {"t_ref", 3.0}});
  s.record(1, "V_m");
  s.run(1000);
  // V = -70 + 20 (1 - exp(-t / 10)) reaches -55 at 10 ln 4 = 13.863 ms: in the step that ends at 13.9 ms.
  ASSERT_GE(s.spikes().size(), 5u);
  for (std::size_t k = 0; k < s.spikes().size(); ++k) EXPECT_EQ(s.spikes()[k].step + 1, 139 + static_cast<Step>(k) * (139 + 30));
  for (std::size_t n = 138; n < 138 + 31; ++n) EXPECT_EQ(s.trace(0)[n], -70.0);
  EXPECT_GT(s.trace(0)[138 + 31], -70.0);
}

TEST(Neuron, ParrotsRepeatWhatArrives) {
  Simulation s(h);
  s.add_neuron(5, "parrot_neuron", {});
  s.add_edges({{1, 5, -3.0, 2, 0}, {1, 5, 0.0, 2, 0}}, "static_synapse", {});
  s.add_spike(1, 4);
  s.run(20);
  EXPECT_EQ(s.spikes(), (std::vector<Spike>{{5, 5}, {5, 5}}));
}

TEST(Simulation, CurrentsActInTheirSteps) {
  Simulation s(h);
  s.add_neuron(1, "iaf_psc_exp", {});
  s.add_current(1, 10, 19, 100.0);
  s.record(1, "V_m");
  s.run(30);
  EXPECT_EQ(s.trace(0)[9], -70.0);
  EXPECT_NEAR(s.trace(0)[10], -70 + 4 * -std::expm1(-0.01), 1e-13);
  EXPECT_NEAR(s.trace(0)[19], -70 + 4 * -std::expm1(-0.1), 1e-13);
  EXPECT_NEAR(s.trace(0)[29], -70 + 4 * -std::expm1(-0.1) * std::exp(-0.1), 1e-13);
}

TEST(Synapse, PairsByHand) {
  const double tau = 20.0;
  const Synapse additive("stdp_synapse", {{"lambda", 0.1}, {"mu_plus", 0.0}, {"mu_minus", 0.0}, {"Wmax", 10.0}}, h);
  // First spike: nothing to pair with, depression by the spike that has arrived (stamp 40, delay 10: at 50).
  EXPECT_NEAR(additive.updated(5.0, {100}, 0, {40, 95}, 10), 5.0 - std::exp(-5.0 / tau), 1e-13);
  // Second spike: pairs with 95 (at 105), depression by both.
  const double paired = 5.0 + std::exp(-0.5 / tau);
  EXPECT_NEAR(additive.updated(5.0, {100, 200}, 1, {40, 95}, 10), paired - std::exp(-15.0 / tau) - std::exp(-9.5 / tau), 1e-13);
  // At the very same time: potentiation, no depression.
  EXPECT_NEAR(additive.updated(5.0, {100, 200}, 1, {190}, 10), 5.0 + std::exp(-10.0 / tau), 1e-13);
  EXPECT_EQ(additive.updated(9.99, {100, 101}, 1, {91}, 10), 10.0);
  const Synapse power("stdp_pl_synapse_hom", {{"lambda", 0.1}, {"alpha", 0.5}, {"mu", 0.5}}, h);
  EXPECT_NEAR(power.updated(4.0, {100, 200}, 1, {190}, 10), 4.0 + 0.1 * 2 * std::exp(-10.0 / tau), 1e-13);
  EXPECT_NEAR(power.updated(4.0, {100}, 0, {80}, 10), 4.0 - 0.05 * 4.0 * std::exp(-1.0 / tau), 1e-13);
}

TEST(Simulation, RefusesWhatItDoesNotKnow) {
  Simulation s(h);
  EXPECT_THROW(s.add_neuron(1, "hh_psc_alpha", {}), UnknownName);
  EXPECT_THROW(s.add_neuron(1, "iaf_psc_exp", {{"tau", 1.0}}), UnknownName);
  s.add_neuron(1, "iaf_psc_exp", {});
  EXPECT_THROW(s.add_edges({{1, 2, 1.0, 1, 0}}, "static_synapse", {}), BadParameter);
  EXPECT_THROW(s.add_edges({{1, 1, 1.0, 0, 0}}, "static_synapse", {}), BadParameter);
  EXPECT_THROW(s.add_edges({{1, 1, 1.0, 1, 0}}, "tsodyks", {}), UnknownName);
  EXPECT_THROW(s.add_edges({{1, 1, 1.0, 1, 0}}, "stdp_synapse", {{"mu", 1.0}}), UnknownName);
  EXPECT_THROW(s.record(1, "w"), UnknownName);
}

}  // namespace
}  // namespace npl::reference::test_reference
