// SPDX-License-Identifier: Apache-2.0
// Short rows that are due in one step are updated together, each as if it were alone.
#include <gtest/gtest.h>

#include "driven.hpp"

namespace npl::pathways::test_due_rows {
namespace {

using namespace tables;

constexpr Gid sources = 150;
constexpr std::size_t targets = 30;
constexpr Step end = 90;

/// Rows of a few synapses, five of many.
std::vector<Synapse> some_synapses(Layout layout) {
  std::mt19937 random(8);
  std::vector<Synapse> list;
  for (Gid k = 0; k < 3 * sources; ++k) {
    const Gid source = k < 2 * sources ? 1 + k / 2 : 1 + k % 5;
    const auto delay = static_cast<Delay>(layout == Layout::single ? 5 : 1 + random() % 9);
    list.push_back({source, static_cast<std::uint16_t>(random() % targets), delay, 1.0 + static_cast<double>(random() % 100)});
  }
  return list;
}

struct Kind {
  const char* model;
  std::map<std::string, double> changed = {};
};
using Case = std::tuple<Kind, Weights, Layout>;

class DueTogether : public testing::TestWithParam<Case> {
 protected:
  TableSpec spec() const {
    const auto& [kind, weights, layout] = GetParam();
    TableSpec spec = spec_with(weights, kind.model, kind.changed);
    spec.recorder = 0;
    return spec;
  }
};

/// Spikes of a step: some sources spike twice.
Emitted random_spikes(std::mt19937& random, Step step) {
  Emitted spikes;
  for (Gid source = 1; source <= sources; ++source)
    for (unsigned n = random() % 4; n < 3 && n > 0; --n) spikes.spikes.push_back({source, step});
  return spikes;
}

auto key_of(const WeightEvent& e) { return std::tuple(e.stamp, e.source, e.target, e.delay, e.weight); }

TEST_P(DueTogether, RowsAreUpdatedAsIfAlone) {
  const TableSpec spec = this->spec();
  const Layout layout = std::get<2>(GetParam());
  const std::vector<Synapse> list = some_synapses(layout);
  Posts posts{spec, targets};
  const auto made = [&](const std::vector<Synapse>& of) { return pathway_of(table_of(spec, of, layout), posts.pair(), posts.triplet()); };
  const auto together = made(list);
  std::vector<std::unique_ptr<Pathway>> alone;
  for (Gid source = 1; source <= sources; ++source) {
    std::vector<Synapse> own;
    std::copy_if(list.begin(), list.end(), std::back_inserter(own), [&](const Synapse& s) { return s.source == source; });
    alone.push_back(made(own));
  }
  std::mt19937 random(2);
  for (Step step = 0; step < end; ++step) {
    std::vector<Fixed> sums(targets);
    for (auto& p : alone) {
      const auto more = due(*p, step, targets, 0x1p30);
      std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(), std::plus<>());
    }
    ASSERT_EQ(due(*together, step, targets, 0x1p30), sums) << step;
    posts.spike(step);
    const Emitted spikes = step < end - 10 ? random_spikes(random, step) : Emitted{};
    together->schedule(spikes);
    for (auto& p : alone) p->schedule(spikes);
  }
  std::multiset<decltype(key_of({}))> noted, expected;
  for (const WeightEvent& e : events_of(*together)) noted.insert(key_of(e));
  for (Gid source = 1; source <= sources; ++source) {
    Pathway& p = *alone[static_cast<std::size_t>(source - 1)];
    for (const WeightEvent& e : events_of(p)) expected.insert(key_of(e));
    std::uint32_t own = 0;
    together->table().sources.for_rows(source, [&](std::uint32_t row) {
      together->table().for_row(row, [&](std::uint32_t i, Delay) { EXPECT_EQ(together->table().weight(i), p.table().weight(own++)); });
    });
  }
  EXPECT_EQ(noted, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, DueTogether,
    testing::Combine(testing::Values(Kind{"stdp_synapse"}, Kind{"stdp_synapse", {{"Kplus", 1.3}}}, Kind{"stdp_pl_synapse_hom"},
                                     Kind{"stdp_nn_symm_synapse"}, Kind{"stdp_nn_restr_synapse"}, Kind{"stdp_triplet_synapse"},
                                     Kind{"tsodyks2_synapse"}, Kind{"tsodyks_synapse"}, Kind{"bernoulli_synapse", {{"p_transmit", 0.5}}}),
                     testing::Values(Weights::f32, Weights::f64), testing::Values(Layout::runs, Layout::words, Layout::single)));

}  // namespace
}  // namespace npl::pathways::test_due_rows
