// SPDX-License-Identifier: Apache-2.0
// Tables with short runs queue the events of a spike at once, or their rows by windows of some steps: compared
// with a list of arrivals, also when weights or the scale are set, or synapses are added and removed, while events are queued, so that the
// pathway changes between the ways of queueing.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

#include "driven.hpp"
#include "pathways/queueing.hpp"
#include "pathways/scatter_queue.hpp"

namespace npl::pathways::test_scatter {
namespace {

using namespace tables;

constexpr std::size_t targets = 300;
constexpr double to_fixed = 0x1p20;

/// Short runs: 20 synapses per source with 15 delays. Long runs: the same with two delays.
std::vector<Synapse> random_synapses(unsigned seed, bool short_runs, std::uint16_t first_target) {
  std::mt19937 random(seed);
  std::vector<Synapse> list;
  for (int i = 0; i < 240; ++i)
    list.push_back({1 + i % 12, static_cast<std::uint16_t>(first_target + random() % 150),
                    static_cast<Delay>(1 + random() % (short_runs ? 15 : 2)), 0.25 * (1 + static_cast<double>(random() % 64))});
  return list;
}

class Arriving {
 public:
  void send(const std::vector<Synapse>& list, Gid source, Step step, const TableSpec& spec) {
    for (const Synapse& s : list)
      if (s.source == source) {
        ++events_[step + s.delay];
        sums_[step + s.delay].resize(targets);
        sums_[step + s.delay][s.target] += spec.weights == Weights::uniform ? spec.uniform : s.weight;
      }
  }
  std::vector<Fixed> in(Step step, double scale = to_fixed) {
    std::vector<Fixed> fixed(targets);
    for (std::size_t k = 0; k < sums_[step].size(); ++k) fixed[k] = static_cast<Fixed>(sums_[step][k] * scale);
    return fixed;
  }
  std::uint64_t events_in(Step step) const { return events_.contains(step) ? events_.at(step) : 0; }

 private:
  std::map<Step, std::uint64_t> events_;
  std::map<Step, std::vector<double>> sums_;
};

class Scattered : public testing::TestWithParam<std::tuple<Layout, Weights, unsigned>> {
 protected:
  Layout layout() const { return std::get<0>(GetParam()); }
  std::unique_ptr<Pathway> pathway(EdgeTable table) const {
    const auto fixed = window() ? std::optional(Queueing{Queueing::By::windows, window()}) : std::nullopt;
    return make_static(std::make_unique<EdgeTable>(std::move(table)), {nodes_}, fixed);
  }
  unsigned window() const { return std::get<2>(GetParam()); }  ///< 0: events or runs
  TableSpec spec_ = spec_of(std::get<1>(GetParam()));
  Residents nodes_ = nodes_of_slice(targets);
};

TEST_P(Scattered, ArrivesInItsStep) {
  const auto list = random_synapses(1, true, 0);
  const auto pathway = this->pathway(table_of(spec_, list, layout()));
  ASSERT_EQ(queueing_of({240, 12, 150, targets}).by, Queueing::By::events);
  Arriving expected;
  std::mt19937 random(2);
  for (Step step = 0; step < 100; ++step) {
    const double scale = step < 40 ? to_fixed : to_fixed / 4;
    std::uint64_t events = 0;
    EXPECT_EQ(due(*pathway, step, targets, scale, &events), expected.in(step, scale)) << step;
    EXPECT_EQ(events, expected.events_in(step)) << step;
    for (int k = 0; k < 5; ++k) {
      const Gid source = 1 + static_cast<Gid>(random() % 13);  // 13 has no row
      spike(*pathway, source, step), expected.send(list, source, step, spec_);
    }
  }
}

/// An edit with a longer delay: entries of rows sent before it are removed later than their last event is due.
TEST_P(Scattered, DeliveredRowsAreNotInFlightAfterTheLongestDelayHasGrown) {
  constexpr Delay longer = 40;
  const auto list = random_synapses(1, true, 0);
  auto pathway = this->pathway(table_of(spec_, list, layout()));
  for (Gid source = 1; source <= 12; ++source) spike(*pathway, source, 0);
  Edits edits;
  edits.added = std::make_unique<EdgeTable>(table_of(spec_, {{13, 299, longer, 1.0}}, layout()));
  edits.layout = layout();
  apply(pathway, std::move(edits), 1);
  for (Step step = 1; step < 8 * longer; ++step) {
    std::set<Gid> flying;
    for (const Synapse& s : list)
      if (s.delay >= step) flying.insert(s.source);
    EXPECT_EQ(pathway->queued(step).size(), flying.size()) << step;
    if (pathway->due(step)) due(*pathway, step, targets, to_fixed);  // as slices do
  }
}

TEST_P(Scattered, SpikesInFlightTransmitWeightsSetSince) {
  auto list = random_synapses(3, true, 0);
  const auto pathway = this->pathway(table_of(spec_, list, layout()));
  for (Gid source = 1; source <= 12; ++source) spike(*pathway, source, 0);
  EdgeTable& t = pathway->table();
  for (std::uint32_t i = 0; i < t.n_synapses(); ++i) t.set_weight(i, 3.0);
  pathway->refresh();
  spike(*pathway, 2, 0);
  for (Synapse& s : list) s.weight = 3.0;
  Arriving expected;
  for (Gid source = 1; source <= 12; ++source) expected.send(list, source, 0, spec_);
  expected.send(list, 2, 0, spec_);
  for (Step step = 1; step < 20; ++step) EXPECT_EQ(due(*pathway, step, targets, to_fixed), expected.in(step)) << step;
}

TEST_P(Scattered, AddedSynapsesChangeTheWayOfQueueingAndNoArrival) {
  for (const bool short_first : {true, false}) {
    const auto list = random_synapses(4, short_first, 0);
    std::vector<Synapse> more = random_synapses(5, !short_first, 150);
    if (short_first)  // enough synapses of one delay that rows have long runs
      for (int k = 0; k < 12; ++k)
        for (const Synapse& s : random_synapses(6, false, 150)) more.push_back({s.source, s.target, 3, s.weight});
    auto pathway = this->pathway(table_of(spec_, list, layout()));
    Arriving expected;
    for (Step step = 0; step < 60; ++step) {
      if (step == 20) {
        Edits edits;
        edits.added = std::make_unique<EdgeTable>(table_of(spec_, more, layout()));
        edits.layout = layout();
        apply(pathway, std::move(edits), step);
      }
      if (step == 40) {  // and back
        Edits edits;
        for (const std::uint16_t target : pathway->table().target) edits.out.push_back(target >= 150);
        for (const Flight& f : pathway->in_flight(edits.out, step)) {
          EXPECT_GE(f.due, step);
          EXPECT_LT(f.stamp(), f.due + 1);
        }
        edits.layout = layout();
        apply(pathway, std::move(edits), step);
      }
      std::vector<Fixed> found = due(*pathway, step, targets, to_fixed), wanted = expected.in(step);
      if (step >= 40) found.resize(150), wanted.resize(150);
      EXPECT_EQ(found, wanted) << step;
      const Gid source = 1 + step % 12;
      spike(*pathway, source, step), expected.send(list, source, step, spec_);
      if (step >= 20 && step < 40) expected.send(more, source, step, spec_);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Scattered,
                         testing::Combine(testing::Values(Layout::runs, Layout::words),
                                          testing::Values(Weights::uniform, Weights::f32, Weights::f64, Weights::coded),
                                          testing::Values(0, 2, 8, 64)));

/// Rows of up to 2600 synapses, some runs longer than what is added at once.
TEST_P(Scattered, LongRows) {
  std::mt19937 random(7);
  std::vector<Synapse> list;
  const auto target = [&] { return static_cast<std::uint16_t>(random() % targets); };
  for (Gid source = 1; source <= 4; ++source)
    for (unsigned k = 0; k < 500 * static_cast<unsigned>(source); ++k)
      list.push_back({source, target(), static_cast<Delay>(k % 50 == 0 ? 17 : 1 + random() % 350), 0.5});
  for (int k = 0; k < 600; ++k) list.push_back({4, target(), 100, 0.25});
  const auto pathway = this->pathway(table_of(spec_, list, layout()));
  Arriving expected;
  for (Step step = 0; step < 700; ++step) {
    ASSERT_EQ(due(*pathway, step, targets, to_fixed), expected.in(step)) << step;
    if (step < 340 && step % 3 == 0) spike(*pathway, 1 + step % 4, step), expected.send(list, 1 + step % 4, step, spec_);
  }
}

/// Rows of 1 to 20 synapses of one delay. As events, those of a few equal synapses are copied at once; windows are shorter or longer.
class ScatteredRows : public testing::TestWithParam<unsigned> {};

TEST_P(ScatteredRows, OfOneDelay) {
  const Queueing way = GetParam() ? Queueing{Queueing::By::windows, GetParam()} : Queueing{Queueing::By::events};
  for (const Weights weights : {Weights::uniform, Weights::f32}) {
    const TableSpec spec = spec_of(weights);
    const Residents nodes = nodes_of_slice(targets);
    std::mt19937 random(8);
    std::vector<Synapse> list;
    for (Gid source = 1; source <= 20; ++source)
      for (Gid k = 0; k < source; ++k) list.push_back({source, static_cast<std::uint16_t>(random() % targets), 15, 0.5});
    auto table = std::make_unique<EdgeTable>(table_of(spec, list, Layout::single));
    const auto pathway = make_static(std::move(table), {nodes}, way);
    Arriving expected;
    for (Step step = 0; step < 300; ++step) {
      std::uint64_t events = 0;
      EXPECT_EQ(due(*pathway, step, targets, to_fixed, &events), expected.in(step)) << step;
      EXPECT_EQ(events, expected.events_in(step)) << step;
      for (int k = 0; k < 150; ++k) {
        const auto source = 1 + static_cast<Gid>(random() % 21);  // 21 has no row
        spike(*pathway, source, step), expected.send(list, source, step, spec);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Windows, ScatteredRows, testing::Values(0, 2, 8, 64));

/// Rows of two synapses on average are copied side by side; longer ones, up to 9, are not. The first and the last row are short or long.
TEST(ShortRows, OfManyDelays) {
  for (const Weights weights : {Weights::uniform, Weights::f32, Weights::f64, Weights::coded})
    for (const Gid sources : {1, 2, 3, 300})
      for (const Gid longest : {1, 3, 9}) {
        const TableSpec spec = spec_of(weights);
        const Residents nodes = nodes_of_slice(targets);
        std::mt19937 random(9);
        std::vector<Synapse> list;
        for (Gid source = 1; source <= sources; ++source)
          for (Gid k = 0, n = random() % 10 == 0 || source == sources ? longest : 1 + static_cast<Gid>(random() % 3); k < n; ++k)
            list.push_back({source, static_cast<std::uint16_t>(random() % targets), static_cast<Delay>(1 + random() % 15),
                            0.25 * (1 + static_cast<double>(random() % 64))});
        const auto pathway =
            make_static(std::make_unique<EdgeTable>(table_of(spec, list, Layout::words)), {nodes}, Queueing{Queueing::By::events});
        Arriving expected;
        for (Step step = 0; step < 80; ++step) {
          std::uint64_t events = 0;
          ASSERT_EQ(due(*pathway, step, targets, to_fixed, &events), expected.in(step)) << step;
          ASSERT_EQ(events, expected.events_in(step)) << step;
          Emitted emitted;
          for (Gid source = 1; source <= sources + 1; ++source)
            if (random() % 2) emitted.spikes.push_back({source, step}), expected.send(list, source, step, spec);
          pathway->schedule(emitted);
        }
      }
}

TEST(Queueing, LongRowsOfFewNodesByWindowsWhichFitTheCache) {
  EXPECT_EQ(queueing_of({1e6, 1e4, 5e4, 1e4}).by, Queueing::By::runs);      // 20 synapses per run
  EXPECT_EQ(queueing_of({1e6, 1e5, 2.5e5, 1e4}).by, Queueing::By::runs);    // few runs per row
  EXPECT_EQ(queueing_of({1e5, 5e4, 8e4, 1e4}).by, Queueing::By::runs);      // few runs per row, in cache
  EXPECT_EQ(queueing_of({1e6, 5e5, 8e5, 6e4}).by, Queueing::By::events);    // rows of two synapses, each a cache miss
  EXPECT_EQ(queueing_of({1e6, 1e4, 9.9e5, 6e4}).by, Queueing::By::events);  // hardly two synapses in a window
  EXPECT_EQ(queueing_of({1e5, 1e3, 1.5e4, 1e3}).by, Queueing::By::events);  // small enough for the cache
  for (const double nodes : {100.0, 1e3, 1e4, 3e4}) {
    const Queueing way = queueing_of({1e6, 1e4, 1.5e5, nodes});
    ASSERT_EQ(way.by, Queueing::By::windows);
    EXPECT_LE(way.window * nodes * 8, 704 * 1024);
    EXPECT_TRUE(std::has_single_bit(way.window));
  }
}

TEST(ScatterQueue, MemoryFollowsTheEventsInFlight) {
  ScatterQueue queue;
  queue.reset(30);
  std::size_t after_first_round = 0;
  std::uint64_t sum = 0, sent = 0;
  for (Step step = 0; step < 400; ++step) {
    queue.take<std::uint64_t>(step, [&](const std::uint64_t* e, std::size_t n) {
      for (std::size_t k = 0; k < n; ++k) sum += e[k];
    });
    if (step == 100) after_first_round = queue.bytes();
    if (step < 300)
      for (std::uint64_t k = 0; k < 2000; ++k)
        ScatterQueue::Writer<std::uint64_t>(queue).add(step + 1 + static_cast<Step>(k % 30)) = k, sent += k;
  }
  EXPECT_EQ(sum, sent);
  EXPECT_EQ(queue.bytes(), after_first_round);
  EXPECT_LT(queue.bytes(), 2 * 2000 * 16 * sizeof(std::uint64_t) + (1 << 20));
}

}  // namespace
}  // namespace npl::pathways::test_scatter
