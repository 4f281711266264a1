// SPDX-License-Identifier: Apache-2.0
// Only ports in use are computed: groups against the equations of all eight ports, one neuron at a time. Models have any number of ports.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "base/fixed.hpp"
#include "base/math.hpp"
#include "model/propagators.hpp"
#include "nodes/group.hpp"
#include "rng/philox.hpp"

namespace npl::nodes::test_ports {
namespace {

constexpr std::size_t ports = 8, n = 300;
constexpr double h = 0.1, tau_m = 10.0, C_m = 250.0;

std::size_t number(const std::vector<Field>& fields, const std::string& name) {
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].name == name) return k;
  throw std::out_of_range(name);
}
double tau(std::size_t p) { return 1.0 + 0.7 * static_cast<double>(p); }

/// iaf_psc_alpha_multisynapse without a threshold, as its equations say it.
struct Neuron {
  double V = -70.0, I_syn = 0.0, I[ports] = {}, rise[ports] = {};

  void step(const double* spikes) {
    double onto_V = 0.0, total = 0.0;
    for (std::size_t p = 0; p < ports; ++p) {
      const double P = math::exp(-h / tau(p)), P_rise = h * math::exp(-h / tau(p)), jump = 2.718281828459045235 / tau(p);
      const double term = I[p] * exp_propagator(tau(p), tau_m, C_m, h) + rise[p] * alpha_propagator(tau(p), tau_m, C_m, h);
      onto_V = p == 0 ? term : onto_V + term;
      I[p] = I[p] * P + rise[p] * P_rise;
      rise[p] = rise[p] * P + spikes[p] * jump;
      total = p == 0 ? I[p] : total + I[p];
    }
    V += (-70.0 - V) * -math::expm1(-h / tau_m) + onto_V;
    I_syn = total;
  }
};

class Ports : public testing::TestWithParam<bool> {
 protected:
  Group group{find_model("iaf_psc_alpha_multisynapse"), Members(1, 1, n), 0, h};
  std::vector<Neuron> neurons = std::vector<Neuron>(n);
  std::vector<std::vector<Fixed>> sums = std::vector<std::vector<Fixed>>(ports, std::vector<Fixed>(n));
  Step now = 0;

  Ports() {
    const auto& model = group.model();
    group.set_parameter_all(number(model.parameters, "V_th"), 1e9);
    for (std::size_t p = 0; p < ports; ++p) group.set_parameter_all(number(model.parameters, "tau_syn_" + std::to_string(p + 1)), tau(p));
    if (GetParam()) group.set_parameter(number(model.parameters, "t_ref"), 5, 3.0);  // derived values as columns
    group.prepare();
  }
  std::span<double> state(const std::string& name) { return group.state(number(group.model().state, name)); }

  /// One step in pieces of so many neurons; some get spikes of weight 1 at these ports.
  void step(const std::vector<std::size_t>& at, std::size_t piece = n) {
    std::vector<std::array<double, ports>> spikes(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t p : at)
        if (rng::draw({1, static_cast<std::uint32_t>(p)}, i, static_cast<std::uint64_t>(now))[0] % 5 == 0)
          sums[p][i] = 1, spikes[i][p] = 1.0;
    std::vector<Fixed*> columns;
    for (auto& s : sums) columns.push_back(s.data());
    const std::vector<double> scale(ports, 1.0);
    SourcedSpikes none;
    for (std::size_t begin = 0; begin < n; begin += piece)
      group.update({columns.data(), scale.data(), nullptr, now, 7, &none}, begin, std::min(piece, n - begin));
    for (std::size_t i = 0; i < n; ++i) neurons[i].step(spikes[i].data());
    ++now;
    for (const auto& s : sums)
      for (Fixed x : s) ASSERT_EQ(x, 0);
  }
  void expect_same() {
    const auto same = [](double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); };
    const auto V = state("V_m"), I = state("I_syn");
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_TRUE(same(V[i], neurons[i].V) && same(I[i], neurons[i].I_syn)) << now << ' ' << i << ' ' << V[i] << ' ' << neurons[i].V;
    for (std::size_t p = 0; p < ports; ++p) {
      const auto one = state("I_syn_" + std::to_string(p + 1)), rise = state("_dI_syn_" + std::to_string(p + 1));
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_TRUE(same(one[i], neurons[i].I[p]) && same(rise[i], neurons[i].rise[p])) << now << ' ' << i << " port " << p;
    }
  }
};

TEST_P(Ports, FirstInputOfAPortBringsItIntoUse) {
  for (std::size_t piece : {n, std::size_t{256}, std::size_t{64}})
    for (const std::vector<std::size_t>& at : {std::vector<std::size_t>{}, {0}, {0, 3}, {6}, {}, {0, 1, 2, 3, 4, 5, 6, 7}}) {
      for (int k = 0; k < 7; ++k) step(at, piece);
      expect_same();
    }
}

TEST_P(Ports, StateThatIsSetBringsItIntoUse) {
  for (int k = 0; k < 5; ++k) step({1});
  state("I_syn_6")[299] = neurons[299].I[5] = 40.0;
  state("I_syn_3")[2] = neurons[2].I[2] = -0.0;
  for (int k = 0; k < 5; ++k) {
    step({1});
    expect_same();
  }
}

TEST_P(Ports, TheSumOfAllPortsIsNegativeZeroWhereAllAre) {
  for (std::size_t p = 0; p < ports; ++p) {
    state("I_syn_" + std::to_string(p + 1))[7] = neurons[7].I[p] = -0.0;
    state("_dI_syn_" + std::to_string(p + 1))[7] = neurons[7].rise[p] = -0.0;
  }
  step({});
  expect_same();
}

INSTANTIATE_TEST_SUITE_P(Columns, Ports, testing::Bool());

/// A group whose neurons get spikes at the first eight ports.
struct Driven {
  Group group;
  std::vector<std::vector<Fixed>> sums;
  SourcedSpikes out;
  Step now = 0;

  Driven(const std::string& model, bool columns)
      : group(find_model(model), Members(1, 1, n), 0, h), sums(receptors(), std::vector<Fixed>(n)) {
    const auto& parameters = group.model().parameters;
    for (std::size_t p = 0; p < ports; ++p)
      for (const char* name : {"tau_syn_", "tau_rise_"})
        for (std::size_t k = 0; k < parameters.size(); ++k)
          if (parameters[k].name == name + std::to_string(p + 1)) group.set_parameter_all(k, tau(p));
    if (columns) group.set_parameter(number(parameters, "C_m"), 5, 90.0);
    group.prepare();
  }
  std::size_t receptors() const { return static_cast<std::size_t>(group.model().receptors); }

  void step(double weight) {
    std::vector<Fixed*> columns;
    for (auto& s : sums) columns.push_back(s.data());
    for (std::size_t p = 0; p < ports; ++p)
      for (std::size_t i = 0; i < n; ++i)
        if (const auto words = rng::draw({3, static_cast<std::uint32_t>(p)}, i, static_cast<std::uint64_t>(now)); words[0] % 50 == 0)
          sums[p][i] = round_to_fixed(weight * rng::uniform(words[1]) * 0x1p30);
    const std::vector<double> scale(receptors(), 0x1p-30), current(n, 300.0);
    group.update({columns.data(), scale.data(), current.data(), now++, 7, &out});
  }
};

TEST(PortModels, MorePortsChangeNothing) {
  const std::map<std::string, double> weights{{"iaf_psc_exp_multisynapse", 300.0}, {"iaf_psc_alpha_multisynapse", 300.0},
                                              {"gif_psc_exp_multisynapse", 30.0},  {"glif_psc", 60.0},
                                              {"glif_psc_double_alpha", 60.0},     {"glif_cond", 2.0},
                                              {"gif_cond_exp_multisynapse", 2.0},  {"aeif_cond_alpha_multisynapse", 8.0},
                                              {"aeif_cond_beta_multisynapse", 2.0}};
  for (const auto& [name, weight] : weights)
    for (const bool columns : {false, true}) {
      Driven eight(name, columns), more(name + "[13]", columns);
      for (int k = 0; k < 400; ++k) eight.step(weight), more.step(weight);
      EXPECT_GT(eight.out.spikes.size(), 20u) << name;
      ASSERT_EQ(eight.out.spikes.size(), more.out.spikes.size()) << name;
      const auto& state = eight.group.model().state;
      for (std::size_t k = 0; k < state.size(); ++k) {
        const auto a = eight.group.state(k), b = more.group.state(number(more.group.model().state, state[k].name));
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << name << ' ' << state[k].name << ' ' << i;
      }
    }
}

}  // namespace
}  // namespace npl::nodes::test_ports
