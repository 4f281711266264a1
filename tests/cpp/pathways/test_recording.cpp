// SPDX-License-Identifier: Apache-2.0
// What recorded pathways note: every arrival once, with the weight that was sent; its synapse, wherever it went.
#include <gtest/gtest.h>

#include <set>

#include "driven.hpp"

namespace npl::pathways::test_recording {
namespace {

using namespace tables;

constexpr Step now = 12, end = 60;
constexpr std::size_t targets = 80;
constexpr double to_fixed = 0x1p30;

/// Targets are unique, so that they name synapses.
std::vector<Synapse> some_synapses(Layout layout, std::size_t first_target, std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(first_target + 1));
  std::vector<Synapse> list;
  for (std::size_t i = 0; i < n; ++i) {
    const auto delay = static_cast<Delay>(layout == Layout::single ? 7 : 1 + random() % 15);
    list.push_back({1 + static_cast<Gid>(random() % 12), static_cast<std::uint16_t>(first_target + i), delay,
                    1.0 + static_cast<double>(first_target + i)});
  }
  return list;
}

struct Kind {
  const char* model;
  Weights weights;
  std::map<std::string, double> changed = {};
};

TableSpec recorded(const Kind& kind) {
  TableSpec spec = spec_with(kind.weights, kind.model, kind.changed);
  spec.recorder = 0;
  return spec;
}

using Case = std::tuple<Kind, Layout>;

class Recorded : public testing::TestWithParam<Case> {
 protected:
  const TableSpec spec = recorded(std::get<0>(GetParam()));
  const Layout layout = std::get<1>(GetParam());
  Posts posts{spec, targets};

  std::unique_ptr<Pathway> made(const std::vector<Synapse>& list) {
    return pathway_of(table_of(spec, list, layout), posts.pair(), posts.triplet());
  }

  /// One step of pathways with the same sources: what is due, spikes of source step % 12 + 1; returns sums of each.
  std::vector<std::vector<Fixed>> step(Step now, std::initializer_list<Pathway*> pathways) {
    std::vector<std::vector<Fixed>> sums;
    for (Pathway* p : pathways) sums.push_back(due(*p, now, targets, to_fixed));
    posts.spike(now);
    for (Pathway* p : pathways) spike(*p, 1 + now % 12, now);
    return sums;
  }
};

/// (stamp, source, target, delay) of what reaches synapses in steps [0, until), and is sent in steps [from, to).
using Arrivals = std::multiset<std::tuple<std::int32_t, Gid, Gid, Delay>>;

void add_arrivals(const std::vector<Synapse>& list, Step from, Step to, Step until, Arrivals& all) {
  for (const Synapse& s : list)
    for (Step sent = s.source - 1; sent < to; sent += 12)
      if (sent >= from && sent + s.delay < until) all.emplace(static_cast<std::int32_t>(sent + 1), s.source, s.target + 1, s.delay);
}

Arrivals noted(const Pathway& p) {
  Arrivals all;
  for (const WeightEvent& e : events_of(p)) all.emplace(e.stamp, e.source, e.target, e.delay);
  return all;
}

/// Positions are those of the synapse that sent, or `gone` where it went.
void expect_positions(const Pathway& p, const std::set<Gid>& gone = {}) {
  const EdgeTable& t = p.table();
  for (const WeightEvent& e : events_of(p)) {
    ASSERT_EQ(e.position == Places::gone, gone.contains(e.target));
    if (e.position == Places::gone) continue;
    const std::uint32_t row = t.row_of(e.position);
    EXPECT_EQ(std::tuple(t.row_source[row], Gid{t.target[e.position]} + 1, t.delay_of(row, e.position)),
              std::tuple(e.source, e.target, e.delay));
  }
}

/// A synapse sends nothing where its rule says so: those events are not noted, and only those.
bool always_sends(const TableSpec& spec) { return !spec.plasticity || !spec.plasticity->draws(); }

TEST_P(Recorded, EveryArrivalOnceWithTheWeightThatWasSent) {
  const auto list = some_synapses(layout, 0, targets);
  const auto p = made(list);
  std::size_t known = 0;
  for (Step s = 0; s < end; ++s) {
    const auto sums = step(s, {p.get()});
    std::vector<double> sent(targets);
    for (const auto events = events_of(*p); known < events.size(); ++known) {
      const WeightEvent& e = events[known];
      EXPECT_EQ(e.stamp - 1 + e.delay, s);
      sent[static_cast<std::size_t>(e.target - 1)] += e.weight;
    }
    for (std::size_t k = 0; k < targets; ++k) EXPECT_NEAR(static_cast<double>(sums[0][k]), sent[k] * to_fixed, 1.0) << s;
  }
  EXPECT_GT(known, 100u);
  Arrivals expected;
  add_arrivals(list, 0, end, end, expected);
  if (always_sends(spec)) {
    EXPECT_EQ(noted(*p), expected);
  } else {
    const Arrivals found = noted(*p);
    EXPECT_TRUE(std::includes(expected.begin(), expected.end(), found.begin(), found.end()));
    EXPECT_LT(found.size(), expected.size());
  }
  expect_positions(*p);
}

TEST_P(Recorded, OnlyChosenRowsAndTargets) {
  const auto list = some_synapses(layout, 0, targets);
  const auto all = made(list), some = made(list);
  for (std::uint32_t row = 0; row < some->table().n_rows(); ++row) some->log()->rows.push_back(row % 2 == 0);
  for (std::size_t k = 0; k < targets / 2; ++k) some->log()->targets.push_back(k % 3 != 0);  // later targets: not chosen
  for (Step s = 0; s < end; ++s) {
    const auto sums = step(s, {all.get(), some.get()});
    EXPECT_EQ(sums[0], sums[1]);
  }
  Arrivals expected;
  for (const WeightEvent& e : events_of(*all))
    if (all->table().row_of(e.position) % 2 == 0 && e.target <= static_cast<Gid>(targets / 2) && (e.target - 1) % 3 != 0)
      expected.emplace(e.stamp, e.source, e.target, e.delay);
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(noted(*some), expected);
}

TEST_P(Recorded, RecordingChangesNothing) {
  const auto list = some_synapses(layout, 0, targets);
  TableSpec other = spec;
  other.recorder = -1;
  const auto p = made(list), quiet = pathway_of(table_of(other, list, layout), posts.pair(), posts.triplet());
  EXPECT_EQ(quiet->log(), nullptr);
  for (Step s = 0; s < end; ++s) {
    const auto sums = step(s, {p.get(), quiet.get()});
    EXPECT_EQ(sums[0], sums[1]);
  }
  for (std::uint32_t i = 0; i < p->table().n_synapses(); ++i) EXPECT_EQ(p->table().weight(i), quiet->table().weight(i));
}

TEST_P(Recorded, PositionsFollowEdits) {
  const auto list = some_synapses(layout, 0, targets / 2), more = some_synapses(layout, targets / 2, targets / 2);
  auto p = made(list);
  for (Step s = 0; s < now; ++s) step(s, {p.get()});
  Edits edits;
  std::set<Gid> gone;
  std::vector<Synapse> stay, go;
  for (const Synapse& s : list) (s.target % 3 == 0 ? go : stay).push_back(s);
  for (const Synapse& s : go) gone.insert(s.target + 1);
  for (const std::uint16_t target : p->table().target) edits.out.push_back(target % 3 == 0);
  edits.added = std::make_unique<EdgeTable>(table_of(spec, more, layout));
  edits.layout = layout;
  const Arrivals before = noted(*p);
  apply(p, std::move(edits), now);
  EXPECT_EQ(noted(*p), before);
  expect_positions(*p, gone);
  for (Step s = now; s < end; ++s) step(s, {p.get()});
  expect_positions(*p, gone);
  if (!always_sends(spec)) return;
  Arrivals expected;
  add_arrivals(stay, 0, end, end, expected);
  add_arrivals(go, 0, now, now, expected);
  add_arrivals(more, now, end, end, expected);
  EXPECT_EQ(noted(*p), expected);
}

TEST_P(Recorded, WhatBothPathwaysHaveNotedStaysWhenTheyBecomeOne) {
  const auto list = some_synapses(layout, 0, targets / 2), more = some_synapses(layout, targets / 2, targets / 2);
  auto one = made(list), other = made(more);
  for (Step s = 0; s < now; ++s) step(s, {one.get(), other.get()});
  Arrivals before = noted(*one);
  before.merge(noted(*other));
  EXPECT_FALSE(noted(*other).empty());
  one = one->united(*other, {}, now);
  EXPECT_EQ(noted(*one), before);
  expect_positions(*one);
  for (Step s = now; s < end; ++s) step(s, {one.get()});
  expect_positions(*one);
  if (!always_sends(spec)) return;
  Arrivals expected;
  for (const auto& part : {list, more}) add_arrivals(part, 0, end, end, expected);
  EXPECT_EQ(noted(*one), expected);
}

const std::vector<Kind> kinds{{"static_synapse", Weights::f64},
                              {"static_synapse", Weights::uniform},
                              {"stdp_synapse", Weights::f64},
                              {"tsodyks2_synapse", Weights::f64},
                              {"stdp_triplet_synapse", Weights::f64},
                              {"quantal_stp_synapse", Weights::f64, {{"n", 4}, {"a", 4}}},
                              {"bernoulli_synapse", Weights::uniform, {{"p_transmit", 0.5}}}};

INSTANTIATE_TEST_SUITE_P(All, Recorded,
                         testing::Combine(testing::ValuesIn(kinds), testing::Values(Layout::runs, Layout::words, Layout::single)),
                         [](const auto& info) {
                           const Kind& kind = std::get<0>(info.param);
                           return kind.model + std::to_string(static_cast<int>(kind.weights)) + "_" +
                                  std::to_string(static_cast<int>(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace npl::pathways::test_recording
