// SPDX-License-Identifier: Apache-2.0
// Synapses are removed from and added to a table in use: remaining synapses receive the same spikes as before, added ones only later
// spikes. Compared with a list of expected arrivals.
#include <gtest/gtest.h>

#include <random>

#include "driven.hpp"

namespace npl::pathways::test_edits {
namespace {

using namespace tables;

using Arrival = std::pair<Step, std::uint16_t>;
using Arrivals = std::multimap<Arrival, double>;

/// Synapses with distinct weights, so that each can be identified in the input.
std::vector<Synapse> synapses_of(Layout layout) {
  std::mt19937 random(11);
  std::vector<Synapse> list;
  for (int i = 0; i < 300; ++i)
    list.push_back({1 + static_cast<Gid>(random() % 12), static_cast<std::uint16_t>(i),
                    static_cast<Delay>(layout == Layout::single ? 7 : 1 + random() % 15), 1.0 + i});
  return list;
}

/// Everything that a pathway delivers in steps [from, until).
void take(Pathway& p, Step from, Step until, Arrivals& found) {
  for (Step step = from; step < until; ++step) {
    const std::vector<Fixed> sums = due(p, step, 600, 1.0);
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (sums[k]) found.insert({{step, static_cast<std::uint16_t>(k)}, static_cast<double>(sums[k])});
  }
}

class Editing : public testing::TestWithParam<Layout> {};

constexpr Step now = 12, end = 60;

/// Spikes of sources 1 to 12, one in each step, before and after the change.
void expect_arrivals(const std::vector<Synapse>& list, bool before, bool after, Arrivals& expected) {
  for (const Synapse& s : list)
    for (const Step sent : {Step{s.source - 1}, Step{s.source - 1 + now}})
      if (sent < now ? before : after) expected.insert({{sent + s.delay, s.target}, s.weight});
}

TEST_P(Editing, WhatStaysGoesOnAndWhatComesHearsWhatIsSentLater) {
  const TableSpec spec = spec_of(Weights::f64);
  const auto list = synapses_of(GetParam());
  std::vector<Synapse> more = synapses_of(GetParam());
  for (Synapse& s : more) s.target = static_cast<std::uint16_t>(s.target + 300);
  auto pathway = pathway_of(table_of(spec, list, GetParam()));
  Arrivals found, expected;
  for (Step step = 0; step < now; ++step) {
    take(*pathway, step, step + 1, found);
    spike(*pathway, 1 + step, step);
  }
  const EdgeTable& before = pathway->table();
  Edits edits;
  for (std::uint32_t i = 0; i < before.n_synapses(); ++i)
    edits.out.push_back(before.sources.row(4) == before.row_of(i) || before.target[i] % 3 == 0);
  std::vector<Synapse> stay, go;
  for (const Synapse& s : list) (s.source == 4 || s.target % 3 == 0 ? go : stay).push_back(s);
  for (const Flight& f : pathway->in_flight(edits.out, now)) {
    EXPECT_GE(f.due, now);
    found.insert({{f.due, before.target[f.at]}, before.weight(f.at)});
  }
  edits.added = std::make_unique<EdgeTable>(table_of(spec, more, GetParam()));
  const std::vector<std::uint16_t> targets(edits.added->target.begin(), edits.added->target.end());
  edits.layout = GetParam();
  const Places places = apply(pathway, std::move(edits), now).added;
  EXPECT_EQ(pathway->table().n_synapses(), stay.size() + more.size());
  for (std::uint32_t i = 0; i < targets.size(); ++i) EXPECT_EQ(pathway->table().target[places(i)], targets[i]);
  for (Step step = now; step < end; ++step) {
    take(*pathway, step, step + 1, found);
    if (step < 2 * now) spike(*pathway, 1 + step - now, step);
  }
  expect_arrivals(stay, true, true, expected);
  expect_arrivals(go, true, false, expected);
  expect_arrivals(more, false, true, expected);
  EXPECT_EQ(found, expected);
}

TEST_P(Editing, TwoPathwaysBecomeOne) {
  const TableSpec spec = spec_of(Weights::f64);
  const auto list = synapses_of(GetParam());
  std::vector<Synapse> parts[2];
  for (const Synapse& s : list) parts[s.target % 2].push_back(s);
  auto one = pathway_of(table_of(spec, parts[0], GetParam())), other = pathway_of(table_of(spec, parts[1], GetParam()));
  Arrivals found, expected;
  for (Step step = 0; step < now; ++step)
    for (auto* p : {one.get(), other.get()}) take(*p, step, step + 1, found), spike(*p, 1 + step, step);
  one = one->united(*other, {}, now);
  for (Step step = now; step < end; ++step) {
    take(*one, step, step + 1, found);
    if (step < 2 * now) spike(*one, 1 + step - now, step);
  }
  expect_arrivals(list, true, true, expected);
  EXPECT_EQ(found, expected);
}

TEST_P(Editing, NothingIsLeft) {
  const TableSpec spec = spec_of(Weights::f64);
  auto pathway = pathway_of(table_of(spec, synapses_of(GetParam()), GetParam()));
  spike(*pathway, 1, 0);
  apply(pathway, {.out = std::vector<char>(300, 1)}, 1);
  EXPECT_EQ(pathway->table().n_synapses(), 0u);
  EXPECT_EQ(pathway->table().n_rows(), 0u);
  EXPECT_EQ(pathway->table().sources.row(1), SourceIndex::none);
  Arrivals none;
  take(*pathway, 1, 20, none);
  EXPECT_TRUE(none.empty());
}

INSTANTIATE_TEST_SUITE_P(Layouts, Editing, testing::Values(Layout::runs, Layout::words, Layout::single));

}  // namespace
}  // namespace npl::pathways::test_edits
