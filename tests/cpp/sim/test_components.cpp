// SPDX-License-Identifier: Apache-2.0
// Components of a slice: those without data are not called in a run, edits that fail put back data and calls, new slices resemble others.
#include <gtest/gtest.h>

#include "sim/slice.hpp"

namespace npl::sim::test_components {
namespace {

constexpr Local n = 5;

/// Components of a slice of five neurons.
struct Given {
  Residents nodes;
  Groups groups;
  Pathways pathways;
  SliceInput input;
  Host host{nodes, groups, pathways, input, 0.1};
  Components all{host};

  Given() {
    const Members members(1, 1, n);
    groups.push_back(std::make_unique<nodes::Group>(nodes::find_model("iaf_psc_exp"), members, 0, 0.1));
    nodes.add(1, members);
    input.make(groups, {n, 1, false, false, 0});
    all.prepare();
  }
  std::vector<std::size_t> called() const {
    std::vector<std::size_t> counts;
    for (unsigned p = 0; p < n_phases; ++p) {
      const auto in = all.in(static_cast<Phase>(p));
      counts.push_back(static_cast<std::size_t>(in.last - in.first));
    }
    return counts;
  }
  std::uint64_t before(Step step) {
    std::uint64_t events = 0;
    for (Component* c : all.in(before_step)) events += c->before(step, 0);
    return events;
  }
};

using Counts = std::vector<std::size_t>;  ///< before, after, sampling, end, arrival
const Counts none{0, 0, 0, 0, 0};

static_assert(noexcept(std::declval<Components&>().restore(std::declval<Components::Kept&>())));  // law 6

TEST(Components, WithoutDataAreNotCalled) { EXPECT_EQ(Given().called(), none); }

TEST(Components, AreCalledInTheirPhasesFromTheMomentAtWhichTheyHaveData) {
  Given g;
  g.all.get<SpikeTracks>().all().push_back(std::make_unique<record::SpikeTrack>(0, 100));
  g.all.get<StateTracks>().all().push_back(std::make_unique<record::StateTrack>(record::Sampling{1, 0}));
  g.all.get<ThirdFactors>().volume({7, 20.0});
  g.all.get<LateInput>().add({3, 2, 0, false, 1.5, false, 0.0});
  g.all.list();
  EXPECT_EQ(g.called(), (Counts{1, 0, 1, 2, 1}));
}

TEST(Components, LateInputArrivesAtItsTimeAndIsThenNotCalled) {
  Given g;
  g.all.get<LateInput>().replace({{3, 2, 0, false, 1.5, false, 0.0}, {4, 0, 1, true, 9.0, false, 0.0}, {4, 1, 0, false, -2.0, true, 0.05}});
  g.all.list();
  EXPECT_EQ(g.before(2), 0u);
  EXPECT_EQ(g.input.sums(0, 0)[2], 0);
  EXPECT_EQ(g.before(3), 1u);
  EXPECT_EQ(g.input.sums(0, 0)[2], round_to_fixed(1.5 * g.input.scale(0).to_fixed));
  EXPECT_EQ(g.before(4), 2u);
  EXPECT_EQ(g.input.sums(1, 0)[0], 1);  // the target counts
  ASSERT_EQ(g.input.precise_events().size(), 1u);
  EXPECT_EQ(g.input.precise_events()[0].weight, -2.0);
  g.all.prepare();
  EXPECT_EQ(g.called(), none);
}

TEST(Components, AreAsBeforeAfterAnEditThatFails) {
  Given g;
  g.all.get<LateInput>().replace({{9, 2, 0, false, 1.5, false, 0.0}});
  Components::Kept kept = g.all.keep();
  g.all.get<LateInput>().replace({});
  g.all.get<SpikeTracks>().all().push_back(std::make_unique<record::SpikeTrack>(0, 100));
  g.all.get<StateTracks>().all().push_back(std::make_unique<record::StateTrack>(record::Sampling{1, 0}));
  g.all.prepare();
  EXPECT_EQ(g.called(), (Counts{0, 0, 1, 1, 0}));
  g.all.restore(kept);
  EXPECT_EQ(g.called(), (Counts{1, 0, 0, 0, 0}));
  ASSERT_EQ(g.all.get<LateInput>().all().size(), 1u);
  EXPECT_EQ(g.all.get<LateInput>().all()[0].due, 9);
}

TEST(Components, OfANewSliceAreThoseOfTheOthersWithoutNodes) {
  Given g;
  g.all.get<StateTracks>().all().push_back(std::make_unique<record::StateTrack>(record::Sampling{7, 3}));
  g.all.get<ThirdFactors>().volume({7, 20.0})->hear(11);
  g.all.get<LateInput>().replace({{9, 2, 0, false, 1.5, false, 0.0}});
  Given fresh;
  fresh.all.resemble(g.all);
  fresh.all.prepare();
  EXPECT_EQ(fresh.called(), (Counts{0, 0, 1, 1, 1}));  // late input is of nodes that it has not
  EXPECT_EQ(fresh.all.get<StateTracks>().all()[0]->sampling().interval, 7);
  EXPECT_EQ(fresh.all.get<ThirdFactors>().all()[0]->stamps(), std::vector<std::int32_t>{11});
}

/// One group advances the whole stretch before the other, as in Slice::update.
TEST(Components, SamplesOfAStretchAreInTimeOrderWhicheverGroupComesFirst) {
  Given g;
  const Members more(6, 1, 2);
  g.groups.push_back(std::make_unique<nodes::Group>(nodes::find_model("iaf_psc_exp"), more, n, 0.1));
  const auto of = [&](std::size_t group, std::size_t i) { return &g.groups[group]->state(0)[i]; };
  StateTracks& tracks = g.all.get<StateTracks>();
  for (const record::Sampling sampling : {record::Sampling{7, 3}, record::Sampling{1, 12}, record::Sampling{100, 50}})
    tracks.all().push_back(std::make_unique<record::StateTrack>(sampling));
  const double* const first[] = {of(0, 4), of(1, 1), of(0, 2)};
  for (std::size_t k = 0; k < 3; ++k) tracks.all()[0]->add(first[k], k);
  tracks.all()[1]->add(of(1, 0), 0);
  tracks.begin(10, 20);
  for (const std::size_t group : {1u, 0u})
    for (Step stamp = 11; stamp <= 20; ++stamp) {
      for (std::size_t i = 0; i < g.groups[group]->size(); ++i) *of(group, i) = static_cast<double>(100 * stamp + 10 * group + i);
      if (nodes::Sampler* sampler = tracks.sampler(group)) sampler->take(stamp);
    }
  EXPECT_EQ(tracks.all()[0]->values(), (std::vector<double>{1704, 1711, 1702}));
  EXPECT_EQ(tracks.all()[1]->values(), (std::vector<double>{1210, 1310, 1410, 1510, 1610, 1710, 1810, 1910, 2010}));
  EXPECT_TRUE(tracks.all()[2]->values().empty());
  tracks.begin(20, 24);
  ASSERT_NE(tracks.sampler(0), nullptr);
  EXPECT_EQ(tracks.sampler(0)->next(), 24);
  tracks.begin(24, 30);
  EXPECT_EQ(tracks.sampler(0), nullptr);
  EXPECT_EQ(tracks.sampler(1)->next(), 25);
}

connect::NodeSet some(Gid first, std::int64_t count) { return connect::NodeSet(std::vector<connect::Range>{{first, count, 1}}); }

/// A spike of each of the five neurons in step 7.
void spike(Given& g) {
  SourcedSpikes out;
  for (Local k = 0; k < n; ++k) out.spikes.push_back({1 + Gid{k}, 7}), out.sources.push_back(k);
  for (Component* c : g.all.in(end_of_part)) c->end({0, 10, 0}, out);
}

TEST(Components, BinsOfRecordersThatFailAreForgotten) {
  Given g;
  SpikeCounts& counts = g.all.get<SpikeCounts>();
  counts.add(some(1, 3), 2, 0);
  Components::Kept kept = g.all.keep();
  counts.add(some(1, 3), 2, 0);  // the same group
  counts.add(some(2, 1), 2, 0);  // splits it
  g.all.restore(kept);
  ASSERT_EQ(counts.all().size(), 1u);
  counts.add(some(1, 2), 4, 1);
  counts.add(some(2, 4), 3, 3);
  g.all.prepare();
  spike(g);
  using Sums = std::vector<std::int64_t>;
  EXPECT_EQ(counts.all()[0].sums, (Sums{0, 0, 0, 3}));
  EXPECT_EQ(counts.all()[1].sums, (Sums{2}));
  EXPECT_EQ(counts.all()[2].sums, Sums{});  // step 7 is in bin 2
  counts.all()[0].forget(2);
  EXPECT_EQ(counts.all()[0].first, 2);
  EXPECT_EQ(counts.all()[0].sums, (Sums{0, 3}));
  counts.all()[0].forget(9);
  EXPECT_EQ(counts.all()[0].first, 9);
  EXPECT_EQ(counts.all()[0].sums, Sums{});
}

TEST(Components, BinsOfANewSliceAreThoseOfTheOthersWithoutNodes) {
  Given g;
  g.all.get<SpikeCounts>().add(some(1, 3), 2, 4);
  Given fresh;
  fresh.all.resemble(g.all);
  fresh.all.prepare();
  spike(fresh);
  ASSERT_EQ(fresh.all.get<SpikeCounts>().all().size(), 1u);
  EXPECT_EQ(fresh.all.get<SpikeCounts>().all()[0].first, 4);
  EXPECT_TRUE(fresh.all.get<SpikeCounts>().all()[0].sums.empty());
  EXPECT_EQ(fresh.all.binned("rate"), &fresh.all.get<SpikeCounts>());
  EXPECT_EQ(fresh.all.binned("rates"), nullptr);
  EXPECT_EQ(Components::binned_kinds(), std::vector<std::string>{"rate"});
}

TEST(StateChecks, BeginAtMultiplesOfAMillisecondFromTimeZero) {
  EXPECT_EQ(StateChecks(0.1).first_from(0), 9);
  EXPECT_EQ(StateChecks(0.1).first_from(9), 9);
  EXPECT_EQ(StateChecks(0.1).first_from(10), 19);
  EXPECT_EQ(StateChecks(2.0).first_from(5), 5);  // each step
}

}  // namespace
}  // namespace npl::sim::test_components
