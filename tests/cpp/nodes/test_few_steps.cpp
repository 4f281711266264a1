// SPDX-License-Identifier: Apache-2.0
// Groups of few neurons that take several steps in one call, against the same groups step by step: all models, all bits.
#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "../every_case.hpp"
#include "base/fixed.hpp"
#include "nodes/group.hpp"
#include "rng/philox.hpp"

namespace npl::nodes::test_few_steps {
namespace {

struct Few {
  Group group;
  SourcedSpikes out;
  std::vector<std::vector<Fixed>> sums;
  std::vector<double> current;
  std::size_t n, stride;
  Step now = 0;

  Few(const ModelInfo& model, std::size_t size, bool columns, bool frozen)
      : group(model, Members(3, 2, static_cast<Gid>(size)), 0, 0.1), n(size), stride(size + 3) {
    const auto set = [&](const char* name, double value) {
      for (std::size_t k = 0; k < model.parameters.size(); ++k)
        if (model.parameters[k].name == std::string_view(name))
          for (std::size_t i = 0; i < n; ++i) group.set_parameter(k, i, value * (columns ? 1.0 + 0.1 * static_cast<double>(i) : 1.0));
    };
    set("I_e", 400.0), set("rate", 100.0), set("t_ref", 1.5);
    if (frozen) group.freeze(n - 1, true);
    group.prepare();
  }

  /// Input by neuron and step, whatever the calls.
  void run(std::size_t steps, bool with_current) {
    const ModelInfo& model = group.model();
    sums.assign(static_cast<std::size_t>(model.receptors), std::vector<Fixed>(steps * stride));
    current.assign(steps * stride, 0.0);
    std::vector<Fixed*> in;
    const std::vector<double> scale(sums.size(), model.input == SpikeInput::count ? 1.0 : 0x1p-30);
    for (std::size_t r = 0; r < sums.size(); ++r) in.push_back(sums[r].data());
    for (std::size_t k = 0; k < steps; ++k)
      for (std::size_t i = 0; i < n; ++i) {
        const auto w = rng::draw({5, 6}, i, static_cast<std::uint64_t>(now) + k);
        const double weight = w[0] % 8 == 0 ? 30.0 * static_cast<double>(w[1] % 32) : 0.0;
        if (!sums.empty())
          sums[w[2] % sums.size()][k * stride + i] = model.input == SpikeInput::count ? w[1] % 3 : round_to_fixed(weight * 0x1p30);
        current[k * stride + i] = static_cast<double>(w[3] % 1000) - 300.0;
      }
    GroupInput given{in.data(), scale.data(), with_current ? current.data() : nullptr, now, 1, &out};
    given.steps = steps, given.stride = stride;
    group.update(given);
    now += static_cast<Step>(steps);
    for (const auto& s : sums)
      for (const Fixed left : s) ASSERT_EQ(left, 0);
  }
};

void expect_equal(Few& a, Few& b, const std::string& what) {
  ASSERT_EQ(a.out.spikes.size(), b.out.spikes.size()) << what;
  for (std::size_t i = 0; i < a.out.spikes.size(); ++i)
    ASSERT_TRUE(a.out.spikes[i].gid == b.out.spikes[i].gid && a.out.spikes[i].step == b.out.spikes[i].step) << what;
  for (std::size_t k = 0; k < a.group.model().state.size(); ++k)
    for (std::size_t i = 0; i < a.n; ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(a.group.state(k)[i]), std::bit_cast<std::uint64_t>(b.group.state(k)[i])) << what;
}

TEST(FewSteps, AreTheSameStepsInAnyCalls) {
  std::size_t spikes = 0;
  for (const ModelInfo* model : models()) {
    if (model->precise) continue;
    for (const std::size_t n : {1, 2, 8, 13})
      for (const unsigned how : {0u, 1u, 2u, 5u}) {  // bits: with current, values that differ, a frozen neuron
        if (!every_case() && (n == 2 || n == 13) != (how == 0 || how == 5)) continue;
        const std::string what = model->name + " " + std::to_string(n) + " " + std::to_string(how);
        Few one(*model, n, how & 2, how & 4), few(*model, n, how & 2, how & 4);
        for (std::size_t k = 0; few.now < 200; ++k) few.run(1 + k % 13, how & 1);
        while (one.now < few.now) one.run(1, how & 1);
        expect_equal(one, few, what);
        spikes += one.out.spikes.size();
      }
  }
  EXPECT_GT(spikes, 5000u);
}

TEST(FewSteps, MoreNeuronsThanABlockTakeThemOneByOne) {
  Few one(find_model("iaf_psc_exp"), 300, false, false), few(find_model("iaf_psc_exp"), 300, false, false);
  while (few.now < 200) few.run(10, true);
  while (one.now < 200) one.run(1, true);
  expect_equal(one, few, "300");
}

}  // namespace
}  // namespace npl::nodes::test_few_steps
