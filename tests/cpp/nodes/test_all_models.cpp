// SPDX-License-Identifier: Apache-2.0
// What every neuron model has to keep, over all registered models.
#include <cstdlib>
#include <set>

#include "../every_case.hpp"
#include "../levels.hpp"
#include "base/error.hpp"
#include "harness.hpp"

namespace npl::nodes::test_all_models {
namespace {

class AllModels : public testing::TestWithParam<const ModelInfo*> {
 protected:
  const ModelInfo& model = *GetParam();
  const Stimulus stimulus{model};
};

/// All but iaf_bw_2001_exact: its neurons take as many substeps as the resolution of their group asks for.
class IndependentModels : public AllModels {};

/// Runs a group for `steps` steps under the stimulus; returns all spikes as (step, gid).
std::vector<std::pair<Step, Gid>> run(TestGroup& g, const Stimulus& stimulus, int steps, bool with_current = true, std::size_t piece = 0) {
  std::vector<std::pair<Step, Gid>> spikes;
  for (int k = 0; k < steps; ++k) {
    stimulus.apply(g);
    const Step now = g.now();
    for (Gid gid : g.step(with_current, piece)) spikes.emplace_back(now, gid);
  }
  return spikes;
}

TEST_P(AllModels, DescriptionIsComplete) {
  EXPECT_FALSE(model.doc.empty());
  EXPECT_GE(model.receptors, 1);
  std::set<std::string> names;
  for (const auto* fields : {&model.parameters, &model.state})
    for (const Field& f : *fields) {
      EXPECT_TRUE(names.insert(f.name).second) << f.name << " twice";
      EXPECT_NO_THROW(check_value(f, f.init)) << f.name;
      EXPECT_STRNE(f.doc, "") << f.name;
    }
  EXPECT_EQ(&find_model(model.name), &model);
}

TEST_P(AllModels, DefaultsPassCheckAndGiveFiniteDerived) {
  std::vector<double> parameters;
  for (const Field& f : model.parameters) parameters.push_back(f.init);
  EXPECT_NO_THROW(model.check(parameters.data()));
  for (double h : {0.001, 0.0125, 0.1, 1.0}) {
    std::vector<double> derived(model.n_derived + 1, std::nan(""));
    model.derive(parameters.data(), h, derived.data());
    for (std::size_t k = 0; k < model.n_derived; ++k) EXPECT_TRUE(std::isfinite(derived[k])) << k;
  }
}

TEST_P(AllModels, StimulusMakesItSpike) {
  const std::set<std::string> silent{"astrocyte_lr_1994", "eprop_readout",
                                     "eprop_readout_bsshslm_2020"};  // they take spikes, and send values
  TestGroup g(model, 20);
  const auto spikes = run(g, stimulus, 1500);
  if (!model.spikes() || silent.contains(model.name))
    EXPECT_TRUE(spikes.empty());
  else
    EXPECT_GE(spikes.size(), 20u) << "the other tests would test nothing";
}

TEST_P(AllModels, SpikesComeInOrderOfNeurons) {
  TestGroup g(model, 700);
  for (int k = 0; k < 300; ++k) {
    stimulus.apply(g);
    const auto gids = g.step(true);
    EXPECT_TRUE(std::is_sorted(gids.begin(), gids.end()));
  }
}

TEST_P(AllModels, NeuronDoesNotDependOnItsNeighbours) {
  constexpr int steps = 100;
  TestGroup all(model, 300);
  const auto expected = run(all, stimulus, steps);
  for (std::size_t piece : every_case() ? std::vector<std::size_t>{1, 3, 29, 256, 257} : std::vector<std::size_t>{1, 29, 257}) {
    TestGroup g(model, 300);
    EXPECT_EQ(run(g, stimulus, steps, true, piece), expected) << piece;
    EXPECT_EQ(g.bits(), all.bits()) << piece;
  }
}

TEST_P(AllModels, GroupSizeDoesNotMatter) {
  constexpr int steps = 60;
  TestGroup largest(model, 600);
  run(largest, stimulus, steps);
  for (std::size_t n = 1; n < 600; n += n < (every_case() ? 40 : 18) ? 1 : every_case() ? 37 : 93) {  // two vectors are 16 neurons
    TestGroup g(model, n);
    run(g, stimulus, steps);
    for (std::size_t k = 0; k < model.state.size(); ++k)
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(g.state_at(k, i)), std::bit_cast<std::uint64_t>(largest.state_at(k, i)))
            << model.state[k].name << ' ' << n << ' ' << i;
  }
}

TEST_P(AllModels, EmptyGroupIsAllowed) {
  TestGroup g(model, 0);
  EXPECT_TRUE(g.step().empty());
}

TEST_P(AllModels, SameBitsOnEveryLevel) {
  const Isa first = isa();
  for (bool columns : {false, true})
    for (bool current : {false, true}) {
      if (!every_case() && columns == current) continue;  // each level meets each value of either
      TestGroup best(model, 263, 0.1, {}, columns);
      const auto expected = run(best, stimulus, 150, current);
      at_every_level([&](Isa level) {
        if (level == first) return;
        TestGroup g(model, 263, 0.1, {}, columns);
        EXPECT_EQ(run(g, stimulus, 150, current), expected) << isa_name(level);
        EXPECT_EQ(g.bits(), best.bits()) << isa_name(level);
      });
    }
}

TEST_P(AllModels, ColumnsOfEqualParametersChangeNothing) {
  for (bool current : {false, true}) {
    TestGroup shared(model, 300, 0.1, {}, false), columns(model, 300, 0.1, {}, true);
    EXPECT_EQ(run(shared, stimulus, 200, current), run(columns, stimulus, 200, current));
    EXPECT_EQ(shared.bits(), columns.bits());
  }
}

TEST_P(AllModels, NoCurrentIsACurrentOfZero) {
  TestGroup without(model, 100), zero(model, 100);
  for (int k = 0; k < 500; ++k) {
    stimulus.apply(without);
    stimulus.apply(zero);
    for (std::size_t i = 0; i < 100; ++i) zero.current(i) = 0.0;
    EXPECT_EQ(without.step(false), zero.step(true));
  }
  EXPECT_EQ(without.bits(), zero.bits());
}

TEST_P(IndependentModels, ParametersOfOneNeuronDoNotTouchOthers) {
  TestGroup plain(model, 300, 0.1, {}, true), mixed(model, 300, 0.1, {}, true), other(model, 300, 0.05, {}, true);
  for (std::size_t k = 0; k < model.n_derived; ++k)
    for (std::size_t i = 1; i < 300; i += 2) mixed.derived(k, i) = other.derived(k, i);
  run(plain, stimulus, 300);
  run(mixed, stimulus, 300);
  run(other, stimulus, 300);
  for (const Field& f : model.state)
    for (std::size_t i = 0; i < 300; ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(mixed.state(f.name, i)),
                std::bit_cast<std::uint64_t>((i % 2 ? other : plain).state(f.name, i)))
          << f.name << ' ' << i;
}

TEST_P(AllModels, RestoredStateContinuesIdentically) {
  TestGroup first(model, 300), second(model, 300);
  run(first, stimulus, 333);
  second.restore(first);
  EXPECT_EQ(run(first, stimulus, 333), run(second, stimulus, 333));
  EXPECT_EQ(first.bits(), second.bits());
}

TEST_P(AllModels, InputIsTakenOnceAndOnlyOnce) {
  TestGroup g(model, 100);
  stimulus.apply(g);
  g.step();
  stimulus.apply(g);
  g.step(true);
  const auto bits = g.bits();
  const std::size_t sums = static_cast<std::size_t>(model.receptors) * 100;
  EXPECT_TRUE(std::all_of(bits.end() - static_cast<std::ptrdiff_t>(sums), bits.end(), [](auto b) { return b == 0; }));
}

TEST_P(AllModels, AnyStateEnds) {
  for (double value : {0.0, -1e300, 1e300, 1e6, 1e-310, std::numeric_limits<double>::infinity(), std::nan("")})
    for (const Field& f : model.state) {
      if (f.name[0] == '_') continue;
      TestGroup g(model, 9);
      g.state(f.name, 4) = value;
      TestGroup untouched(model, 9);
      for (int k = 0; k < 10; ++k) {
        const auto gids = g.step(), others = untouched.step();
        EXPECT_LT(gids.size(), 100000u);
        const auto without_5 = [](std::vector<Gid> v) { return std::erase(v, 5), v; };
        EXPECT_EQ(without_5(gids), without_5(others)) << f.name << " = " << value << " disturbs a neighbour";
      }
      for (std::size_t k = 0; k < model.state.size(); ++k)
        for (std::size_t i = 0; i < 9; ++i)
          if (i != 4) {
            ASSERT_EQ(std::bit_cast<std::uint64_t>(g.state_at(k, i)), std::bit_cast<std::uint64_t>(untouched.state_at(k, i)));
          }
    }
}

std::vector<const ModelInfo*> independent() {
  std::vector<const ModelInfo*> found = with_receptors();
  std::erase_if(found, [](const ModelInfo* m) { return family_of(m->name) == "iaf_bw_2001_exact"; });
  return found;
}

INSTANTIATE_TEST_SUITE_P(Nodes, IndependentModels, testing::ValuesIn(independent()),
                         [](const auto& info) { return family_of(info.param->name); });
INSTANTIATE_TEST_SUITE_P(Nodes, AllModels, testing::ValuesIn(with_receptors()),
                         [](const auto& info) { return family_of(info.param->name); });

TEST(Models, AreSortedAndFoundByName) {
  const auto all = models();
  EXPECT_GE(all.size(), 10u);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](auto* a, auto* b) { return a->name < b->name; }));
  try {
    find_model("iaf_psc_ex");
    FAIL();
  } catch (const UnknownName& e) {
    EXPECT_EQ(e.near.front(), "iaf_psc_exp");
  }
}

}  // namespace
}  // namespace npl::nodes::test_all_models
