// SPDX-License-Identifier: Apache-2.0
// Tables of every kind of pathway change while spikes are on their way: what stays, what joins and what moves delivers what untouched
// pathways deliver. Off-grid pathways also against a list of arrivals.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "driven.hpp"
#include "tables/listed.hpp"

namespace npl::pathways::test_in_flight {
namespace {

using namespace tables;

constexpr Step now = 20, end = 80;
constexpr std::size_t targets = 90;
constexpr double to_fixed = 0x1p30, h = 0.125, sub_step = 0.03125;  // sums of times are exact

struct Kind {
  const char* name;
  const char* model;
  Weights weights = Weights::f64;
  bool off_grid = false;  ///< targets take times of spikes
  double sub_step_delay = 0.0;
  std::map<std::string, double> changed = {};
};

/// What a pathway delivers in one step.
struct Delivered {
  std::vector<Fixed> sums = std::vector<Fixed>(targets);
  std::vector<std::tuple<Local, double, double>> events = {};  ///< target, offset, weight; sorted
  bool operator==(const Delivered&) const = default;

  Delivered& operator+=(const Delivered& more) {
    for (std::size_t k = 0; k < targets; ++k) sums[k] += more.sums[k];
    events.insert(events.end(), more.events.begin(), more.events.end());
    std::sort(events.begin(), events.end());
    return *this;
  }
};

Delivered delivered(Pathway& p, Step step) {
  Delivered d;
  if (!p.due(step)) return d;  // slices do not ask it then
  double largest = 0.0;
  std::vector<PreciseEvent> events;
  p.deliver(step, {d.sums.data(), to_fixed, &largest, &events});
  for (const PreciseEvent& e : events) d.events.emplace_back(e.target, e.offset, e.weight);
  std::sort(d.events.begin(), d.events.end());
  return d;
}

/// Spikes of a step: each source every fourth step, so that several of its spikes are in flight; one of them twice in a step.
Emitted emitted_in(Step step) {
  Emitted e;
  for (Gid source = 1; source <= 9; ++source)
    for (int k = 0; k < ((step + source) % 4 == 0) + (step % 8 == 4 && source == 4); ++k) {
      e.spikes.push_back({source, step});
      e.offsets.push_back(static_cast<double>((5 * source + 3 * step + k) % 16) / 128.0);
    }
  return e;
}

/// Targets are unique, so that they name synapses.
std::vector<Synapse> some_synapses(Layout layout, std::size_t from, std::size_t until) {
  std::mt19937 random(5);
  std::vector<Synapse> list;
  for (std::size_t i = 0; i < until; ++i) {
    const auto delay = static_cast<Delay>(layout == Layout::single ? 7 : 2 + random() % 14);
    list.push_back({1 + static_cast<Gid>(random() % 9), static_cast<std::uint16_t>(i), delay, 1.0 + static_cast<double>(i)});
  }
  return {list.begin() + static_cast<std::ptrdiff_t>(from), list.end()};
}

using Case = std::tuple<Kind, Layout>;

class InFlightRows : public testing::TestWithParam<Case> {
 protected:
  const Layout layout = std::get<1>(GetParam());
  const TableSpec spec = [] {
    const Kind& kind = std::get<0>(GetParam());
    TableSpec s = spec_with(kind.weights, kind.model, kind.changed);
    s.off_grid = kind.off_grid, s.sub_step_delay = kind.sub_step_delay, s.resolution = h;
    return s;
  }();
  Posts posts{spec, targets};

  std::unique_ptr<Pathway> made(EdgeTable table) { return pathway_of(std::move(table), posts.pair(), posts.triplet()); }
  std::unique_ptr<Pathway> made(const std::vector<Synapse>& list) { return made(table_of(spec, list, layout)); }

  std::vector<Delivered> step(Step s, std::initializer_list<Pathway*> pathways, bool spiking = true) {
    std::vector<Delivered> all;
    for (Pathway* p : pathways) all.push_back(delivered(*p, s));
    posts.spike(s);
    for (Pathway* p : pathways)
      if (spiking) p->schedule(emitted_in(s));
    return all;
  }
};

/// Weight, and state of row and synapse, by target.
std::map<std::uint16_t, std::vector<double>> states_of(const EdgeTable& t) {
  std::map<std::uint16_t, std::vector<double>> states;
  const std::size_t own = Columns::values_per_synapse(*t.spec), of_row = Columns::values_per_row(*t.spec);
  for (std::uint32_t i = 0; i < t.n_synapses(); ++i) {
    std::vector<double>& s = states[t.target[i]];
    s = {t.weight(i)};
    for (std::size_t k = 0; k < own; ++k) s.push_back(t.synapse_values[i * own + k]);
    for (std::size_t k = 0; k < of_row; ++k) s.push_back(t.pre_values[t.row_of(i) * of_row + k]);
    if (of_row) s.push_back(t.pre_last[t.row_of(i)]);
  }
  return states;
}

TEST_P(InFlightRows, WhatStaysAndWhatJoinsDoesNotMeetWhatGoes) {
  std::vector<Synapse> stay, go;
  for (const Synapse& s : some_synapses(layout, 0, targets / 2)) (s.source == 4 || s.target % 3 == 0 ? go : stay).push_back(s);
  const auto more = some_synapses(layout, targets / 2, targets);
  std::vector<Synapse> both = stay;
  both.insert(both.end(), go.begin(), go.end());
  auto edited = made(both), old = made(stay), fresh = made(more);
  for (Step s = 0; s < now; ++s) {
    for (Pathway* p : {edited.get(), old.get()}) delivered(*p, s), p->schedule(emitted_in(s));
    posts.spike(s);
  }
  Edits edits;
  for (const std::uint16_t target : edited->table().target) edits.out.push_back(std::ranges::count(go, target, &Synapse::target));
  edits.added = std::make_unique<EdgeTable>(table_of(spec, more, layout));
  edits.layout = layout;
  apply(edited, std::move(edits), now);
  bool some = false;
  for (Step s = now; s < end; ++s) {
    auto found = step(s, {edited.get(), old.get(), fresh.get()});
    found[1] += found[2];
    ASSERT_EQ(found[0], found[1]) << s;
    some |= found[0] != Delivered();
  }
  EXPECT_TRUE(some);
  auto expected = states_of(old->table());
  expected.merge(states_of(fresh->table()));
  EXPECT_EQ(states_of(edited->table()), expected);
}

/// One of them may rest while the other one has spikes on their way.
TEST_P(InFlightRows, TwoPathwaysBecomeOne) {
  const auto list = some_synapses(layout, 0, targets);
  for (const bool by_delay : {false, true})
    for (const bool spiking : {false, true}) {
      std::vector<Synapse> parts[2];
      for (const Synapse& s : list) parts[by_delay ? s.delay > 4 : s.target % 2].push_back(s);
      if (parts[0].empty()) continue;
      auto whole = made(list), one = made(parts[0]), other = made(parts[1]);
      posts = Posts(spec, targets);
      for (Step s = 0; s < now; ++s) step(s, {whole.get(), one.get(), other.get()});
      one = one->united(*other, {.layout = layout}, now);
      for (Step s = now; s < end; ++s) {
        const auto found = step(s, {whole.get(), one.get()}, spiking);
        ASSERT_EQ(found[0], found[1]) << s;
      }
      EXPECT_EQ(states_of(one->table()), states_of(whole->table()));
    }
}

/// Spikes were sent when only the synapses of the other one were there.
TEST_P(InFlightRows, SynapsesGetNoSpikeThatWasSentBeforeThem) {
  std::vector<Synapse> parts[2];
  for (const Synapse& s : some_synapses(layout, 0, targets)) parts[s.target % 2].push_back(s);
  for (const bool takes : {false, true}) {
    posts = Posts(spec, targets);  // time begins anew
    const auto old = made(parts[0]), same = made(parts[0]), late = made(parts[1]);
    for (Step s = 0; s < now; ++s) step(s, {old.get(), same.get()});
    const auto one = takes ? late->united(*old, {.layout = layout}, now) : old->united(*late, {.layout = layout}, now);
    for (Step s = now; s < end; ++s) {
      const auto found = step(s, {one.get(), same.get()}, false);
      ASSERT_EQ(found[0], found[1]) << s;
    }
  }
}

/// Synapses of a pathway as a table of their own, with their state and the spikes on their way to them: as an edit does that moves them.
Edits moving(const Pathway& p, const std::vector<char>& out, Layout layout) {
  const EdgeTable& t = p.table();
  std::map<std::uint32_t, std::vector<Flight>> flying;
  for (const Flight& f : p.in_flight(out, now)) flying[f.at].push_back(f);
  using State = std::pair<std::uint32_t, std::vector<std::tuple<Step, Step, std::array<double, 2>>>>;  // row and spikes
  std::map<State, std::uint32_t> numbers;
  std::vector<Origin> states;
  std::vector<std::vector<Flight>> spikes;  // by state
  std::vector<ListedSynapse> list;
  std::vector<Gid> sources(t.n_rows());
  t.sources.for_each([&](std::uint32_t row, Gid gid) { sources[row] = gid; });
  for (std::uint32_t i = 0; i < t.n_synapses(); ++i) {
    if (!out[i]) continue;
    const std::uint32_t row = t.row_of(i);
    State state{row, {}};
    for (const Flight& f : flying[i]) state.second.emplace_back(f.stamp(), f.before.last, f.before.value);
    const auto [at, is_new] = numbers.try_emplace(state, static_cast<std::uint32_t>(states.size()));
    if (is_new) states.push_back({&t, row}), spikes.push_back(flying[i]);
    list.push_back({sources[row], at->second, t.delay_of(row, i), t.target[i], t.weight(i), {&t, i}});
  }
  Listed made = table_of(*t.spec, list, states, layout);
  Edits edits{.out = out, .layout = layout};
  std::set<std::uint32_t> rows;
  for (std::size_t j = 0; j < list.size(); ++j) {
    const std::uint32_t row = made.table->row_of(made.position[j]);
    if (rows.insert(row).second)
      for (Flight f : spikes[list[j].row]) f.at = row, edits.requeued.push_back(f);
  }
  std::stable_sort(edits.requeued.begin(), edits.requeued.end(),
                   [](const Flight& a, const Flight& b) { return a.emitted() < b.emitted(); });
  EXPECT_GT(edits.requeued.size(), 5u);
  edits.added = std::move(made.table);
  return edits;
}

TEST_P(InFlightRows, SynapsesThatMoveTakeTheirSpikesAlong) {
  const auto list = some_synapses(layout, 0, targets);
  auto whole = made(list), edited = made(list);
  for (Step s = 0; s < now; ++s) step(s, {whole.get(), edited.get()});
  std::vector<char> out;
  for (const std::uint16_t target : edited->table().target) out.push_back(target % 3 != 0);
  apply(edited, moving(*edited, out, layout), now);
  EXPECT_GT(edited->table().n_rows(), whole->table().n_rows());
  for (Step s = now; s < end; ++s) {
    const auto found = step(s, {whole.get(), edited.get()});
    ASSERT_EQ(found[0], found[1]) << s;
  }
  EXPECT_EQ(states_of(edited->table()), states_of(whole->table()));
  apply(edited, {.layout = layout}, end);  // rows with spikes in flight stay apart
  for (Step s = end; s < end + 20; ++s) EXPECT_EQ(delivered(*whole, s), delivered(*edited, s));
  apply(edited, {.layout = layout}, end + 20);  // all have arrived
  EXPECT_EQ(edited->table().n_rows(), whole->table().n_rows());
  EXPECT_EQ(states_of(edited->table()), states_of(whole->table()));
}

TEST_P(InFlightRows, SynapsesThatMoveToAnotherPathwayTakeTheirSpikesAlong) {
  const auto list = some_synapses(layout, 0, targets);
  for (const bool spiking : {false, true}) {
    auto whole = made(list), edited = made(list);
    posts = Posts(spec, targets);
    for (Step s = 0; s < now; ++s) step(s, {whole.get(), edited.get()});
    std::vector<char> out;
    for (const std::uint16_t target : edited->table().target) out.push_back(target % 3 != 0);
    Edits edits = moving(*edited, out, layout);
    const auto other = made(std::move(*edits.added));
    for (const Flight& f : edits.requeued) other->requeue(f, now);
    apply(edited, {.out = out, .layout = layout}, now);
    for (Step s = now; s < end; ++s) {
      auto found = step(s, {whole.get(), edited.get(), other.get()}, spiking);
      found[1] += found[2];
      ASSERT_EQ(found[0], found[1]) << s;
    }
    auto states = states_of(edited->table());
    states.merge(states_of(other->table()));
    EXPECT_EQ(states, states_of(whole->table()));
  }
}

const std::vector<Kind> kinds{{"static", "static_synapse"},
                              {"off_grid", "static_synapse", Weights::f64, true},
                              {"off_grid_uniform", "static_synapse", Weights::uniform, true},
                              {"off_grid_late", "static_synapse", Weights::f64, true, sub_step},
                              {"late", "static_synapse", Weights::f64, false, sub_step},
                              {"stdp", "stdp_synapse"},
                              {"stdp_f32", "stdp_synapse", Weights::f32},
                              {"tsodyks2", "tsodyks2_synapse"},
                              {"triplet", "stdp_triplet_synapse"},
                              {"quantal", "quantal_stp_synapse", Weights::f64, false, 0.0, {{"n", 4}, {"a", 4}, {"tau_rec", 5.0}}},
                              {"bernoulli", "bernoulli_synapse", Weights::uniform, false, 0.0, {{"p_transmit", 0.5}}}};

INSTANTIATE_TEST_SUITE_P(All, InFlightRows,
                         testing::Combine(testing::ValuesIn(kinds), testing::Values(Layout::runs, Layout::words, Layout::single)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + std::string("_") +
                                  std::to_string(static_cast<int>(std::get<1>(info.param)));
                         });

/// (time of arrival [ms], target, weight)
using Arrivals = std::multiset<std::tuple<double, Local, double>>;

class OffGridPathway : public testing::TestWithParam<std::tuple<Layout, double>> {};

/// Times are those of the spikes plus delays, whatever the steps are; removed synapses are told what they would have got.
TEST_P(OffGridPathway, ArrivalsAreThoseOfAList) {
  const auto [layout, earlier] = GetParam();
  TableSpec spec = spec_of(Weights::f64);
  spec.off_grid = true, spec.sub_step_delay = earlier, spec.resolution = h;
  const auto list = some_synapses(layout, 0, targets);
  auto p = pathway_of(table_of(spec, list, layout));
  Arrivals found, expected;
  const auto take = [&](Step s) {
    for (const auto& [target, offset, weight] : delivered(*p, s).events) {
      EXPECT_TRUE(offset >= 0.0 && offset < h);
      found.emplace(static_cast<double>(s + 1) * h - offset, target, weight);
    }
    p->schedule(emitted_in(s));
  };
  for (Step s = 0; s < now; ++s) take(s);
  std::vector<char> out;
  for (const std::uint16_t target : p->table().target) out.push_back(target % 4 == 0);
  for (const Flight& f : p->in_flight(out, now))
    found.emplace(static_cast<double>(f.due + 1) * h - f.offset, p->table().target[f.at], p->table().weight(f.at));
  apply(p, {.out = out, .layout = layout}, now);
  for (Step s = now; s < end + 20; ++s) take(s);
  for (Step s = 0; s < end + 20; ++s) {
    const Emitted e = emitted_in(s);
    for (std::size_t i = 0; i < e.spikes.size(); ++i)
      for (const Synapse& x : list) {
        const double time = static_cast<double>(s + 1 + x.delay) * h - e.offset(i) - earlier;
        if (x.source == e.spikes[i].gid && (x.target % 4 != 0 || s < now) && time <= static_cast<double>(end + 20) * h)
          expected.emplace(time, x.target, x.weight);
      }
  }
  EXPECT_GT(expected.size(), 500u);
  EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(All, OffGridPathway,
                         testing::Combine(testing::Values(Layout::runs, Layout::words, Layout::single), testing::Values(0.0, sub_step)));

}  // namespace
}  // namespace npl::pathways::test_in_flight
