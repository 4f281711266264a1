// SPDX-License-Identifier: Apache-2.0
// Group::diverged: what is found, in which order, and what must not be taken for a divergence.
#include "../levels.hpp"
#include "harness.hpp"
#include "nodes/group.hpp"

namespace npl::nodes::test_divergence {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

Group group_of(const char* model, std::size_t n) { return {find_model(model), Members(1, 1, static_cast<std::int64_t>(n)), 0, 0.1}; }

/// Runs with silent input; parameters are prepared first.
void run(Group& g, int steps) {
  std::vector<std::vector<Fixed>> sums(static_cast<std::size_t>(g.model().receptors), std::vector<Fixed>(g.size()));
  std::vector<Fixed*> pointers;
  for (auto& s : sums) pointers.push_back(s.data());
  const std::vector<double> scale(sums.size(), 1.0);
  SourcedSpikes out;
  g.prepare();
  for (Step step = 0; step < steps; ++step) g.update({pointers.data(), scale.data(), nullptr, step, 1, &out});
}

std::size_t state_of(const Group& g, const char* name) { return index_of(g.model().state, name); }

TEST(Divergence, EveryNeuronAndEveryVariableIsSeen) {
  at_every_level([&](Isa) {
    for (std::size_t n : {1u, 3u, 8u, 67u})
      for (double value : {inf, -inf, nan})
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < 4; ++k) {
            Group g = group_of("iaf_psc_exp", n);
            ASSERT_FALSE(g.diverged());
            g.state(k)[i] = value;
            const auto found = g.diverged();
            ASSERT_TRUE(found) << n << ' ' << i << ' ' << k;
            EXPECT_EQ(found->index, i);
            EXPECT_STREQ(found->state, g.model().state[k].name);
            EXPECT_EQ(std::bit_cast<std::uint64_t>(found->value), std::bit_cast<std::uint64_t>(value));
          }
  });
}

TEST(Divergence, FirstNeuronThenFirstVariable) {
  Group g = group_of("iaf_psc_exp", 100);
  g.state(0)[70] = nan;
  g.state(1)[70] = inf;
  EXPECT_EQ(g.diverged()->index, 70u);
  EXPECT_STREQ(g.diverged()->state, "V_m");
  g.state(2)[12] = inf, g.state(1)[13] = inf;
  EXPECT_EQ(g.diverged()->index, 12u);
  EXPECT_STREQ(g.diverged()->state, "I_syn_in");
  g.state(1)[12] = -inf;
  EXPECT_STREQ(g.diverged()->state, "I_syn_ex");
}

TEST(Divergence, HugeValuesOfExactModelsAreSane) {
  for (const char* model : {"iaf_psc_exp", "iaf_psc_delta", "mat2_psc_exp", "iaf_psc_alpha", "gif_psc_exp", "pp_psc_delta"}) {
    Group g = group_of(model, 5);
    for (std::size_t k = 0; k < g.model().state.size(); ++k) g.state(k)[3] = k % 2 ? 1e200 : -1e200;
    EXPECT_FALSE(g.diverged()) << model;
  }
}

TEST(Divergence, AeifHasTheRangesOfNest) {
  for (const char* model : {"aeif_cond_exp", "aeif_cond_alpha", "aeif_psc_exp", "aeif_psc_alpha", "aeif_psc_delta",
                            "aeif_cond_alpha_multisynapse", "aeif_cond_beta_multisynapse"}) {
    Group g = group_of(model, 9);
    const std::size_t V = state_of(g, "V_m"), w = state_of(g, "w");
    g.state(V)[4] = -1000.0, g.state(w)[5] = 1e6, g.state(w)[6] = -1e6;
    EXPECT_FALSE(g.diverged()) << model;
    g.state(V)[4] = std::nextafter(-1000.0, -inf);
    ASSERT_TRUE(g.diverged()) << model;
    EXPECT_EQ(g.diverged()->index, 4u);
    g.state(V)[4] = 0.0;
    for (std::size_t i : {5u, 6u}) {
      Group h = group_of(model, 9);
      h.state(w)[i] = i == 5 ? std::nextafter(1e6, inf) : std::nextafter(-1e6, -inf);
      ASSERT_TRUE(h.diverged()) << model;
      EXPECT_STREQ(h.diverged()->state, "w");
    }
  }
}

TEST(Divergence, PotentialsOfSolvedModelsAreBounded) {
  for (const char* model : {"hh_psc_alpha", "hh_cond_exp_traub", "izhikevich", "gif_cond_exp", "glif_cond", "ht_neuron", "iaf_cond_exp"}) {
    for (double value : {2e6, -2e6}) {
      Group g = group_of(model, 2);
      g.state(0)[1] = value;
      ASSERT_TRUE(g.diverged()) << model;
      EXPECT_EQ(g.diverged()->value, value);
    }
    Group g = group_of(model, 2);
    g.state(0)[1] = -9e5;
    EXPECT_FALSE(g.diverged()) << model;
  }
}

TEST(Divergence, AdaptationThatFeedsItselfIsFound) {  // b < 0: every spike excites, with t_ref = 0 without end
  Group g = group_of("aeif_cond_exp", 3);
  g.set_parameter(index_of(g.model().parameters, "b"), 1, -500.0);
  g.set_parameter(index_of(g.model().parameters, "I_e"), 1, 2000.0);
  run(g, 1000);
  const auto found = g.diverged();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->index, 1u);
  EXPECT_STREQ(found->state, "w");
  EXPECT_LT(found->value, -1e6);
}

TEST(Divergence, RatesThatOverflowAreFound) {  // far from rest the rates of the gates overflow
  for (const char* model : {"hh_psc_alpha", "hh_cond_exp_traub"}) {
    Group g = group_of(model, 4);
    g.state(0)[2] = -1e5;
    EXPECT_FALSE(g.diverged());
    run(g, 3);
    ASSERT_TRUE(g.diverged()) << model;
    EXPECT_EQ(g.diverged()->index, 2u);
    EXPECT_TRUE(std::isnan(g.diverged()->value));
  }
}

class SaneModels : public testing::TestWithParam<const ModelInfo*> {};

TEST_P(SaneModels, DefaultsAndStimulatedNeuronsAreSane) {
  const ModelInfo& model = *GetParam();
  ASSERT_EQ(model.sane.size(), model.state.size());
  Group fresh(model, Members(1, 1, 33), 0, 0.1);
  EXPECT_FALSE(fresh.diverged());
  TestGroup g(model, 20);
  const Stimulus stimulus(model);
  for (int k = 0; k < 1000; ++k) {
    stimulus.apply(g);
    g.step(true);
    for (std::size_t f = 0; f < model.state.size(); ++f)
      for (std::size_t i = 0; i < g.size(); ++i) {
        const double x = g.state_at(f, i);
        ASSERT_TRUE(x >= model.sane[f].low && x <= model.sane[f].high) << model.state[f].name << ' ' << x;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SaneModels, testing::ValuesIn(with_receptors()),
                         [](const auto& info) { return family_of(info.param->name); });

}  // namespace
}  // namespace npl::nodes::test_divergence
