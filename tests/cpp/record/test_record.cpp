// SPDX-License-Identifier: Apache-2.0
// Recorders' shares of a slice, and how shares are put together.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "record/spike_recorder.hpp"
#include "record/state_recorder.hpp"

namespace npl::record::test_record {
namespace {

/// Slice `id` of `slices` slices that share 3000 nodes in turn.
Residents dealt(Gid id, Gid slices) {
  Residents r;
  r.add(1, Members(id + 1, slices, 3000 / slices));
  return r;
}

std::vector<Spike> kept(const SpikeTrack& track) {
  std::vector<Spike> all;
  for (std::size_t i = 0; i < track.spikes().size(); ++i) all.push_back(track.spikes()[i]);
  return all;
}

/// Hands spikes of a slice to its track.
void take(SpikeTrack& track, const std::vector<Spike>& spikes, const Residents& slice) {
  std::vector<Local> sources;
  for (const Spike& s : spikes) sources.push_back(slice.local(s.gid));
  track.take({spikes, {}}, sources);
}

TEST(SpikeTrack, KeepsRecordedNodesWithinTheWindow) {
  SpikeTrack track(10, 20);  // stamps 11..20; of 3 slices: gid = local * 3 + id + 1
  track.add_node(0);
  track.add_node(7);
  const std::vector<Spike> spikes{{1, 9}, {1, 10}, {4, 12}, {22, 15}, {22, 19}, {22, 20}, {25, 15}, {2998, 15}};
  take(track, spikes, dealt(0, 3));
  EXPECT_EQ(kept(track), (std::vector<Spike>{{1, 10}, {22, 15}, {22, 19}}));
  track.clear();
  EXPECT_TRUE(kept(track).empty());
  take(track, {{1, 11}}, dealt(0, 3));
  EXPECT_EQ(track.spikes().size(), 1u);
}

/// Steps have fewer than 32 bits always, gids mostly.
TEST(SpikeTrack, KeepsLargeGidsAndTakesLessForOthers) {
  constexpr Gid most = UINT32_MAX;
  for (const Gid last : {most, most + 1}) {
    SpikeTrack track(0, INT32_MAX, last);
    track.add_node(0), track.add_node(1);
    track.take({{{last, 5}, {last - 1, INT32_MAX - 1}}, {}}, std::vector<Local>{0, 1});
    track.keep({last, 6}, 0.0, false);
    track.restore({{{last, 7}}, {0.25}});
    EXPECT_EQ(kept(track), (std::vector<Spike>{{last, 5}, {last - 1, INT32_MAX - 1}, {last, 6}, {last, 7}}));
    EXPECT_EQ(track.offsets(), (std::vector<double>{0.0, 0.0, 0.0, 0.25}));
  }
  SpikeTrack small(0, 100, most), large(0, 100, most + 1);
  for (auto* track : {&small, &large}) {
    track->add_node(0);
    track->take({std::vector<Spike>(100, {1, 1}), {}}, std::vector<Local>(100));
  }
  EXPECT_EQ(large.bytes() - small.bytes(), 100 * (RecordedSpikes::bytes_each(most + 1) - RecordedSpikes::bytes_each(most)));
}

TEST(SpikeTrack, TakesBytesForTheSpanOfItsNodesInAnyOrder) {
  SpikeTrack track(0, 100), one(0, 100);
  for (const Local node : {50007u, 50003u, 50005u}) track.add_node(node);
  one.add_node(60000);
  EXPECT_LT(track.bytes(), 100u);
  EXPECT_LT(one.bytes(), 100u);
  EXPECT_EQ(track.first_node(), 50003u);
  EXPECT_EQ(track.end_of_nodes(), 50008u);
  for (Local node = 49990; node < 50020; ++node) EXPECT_EQ(track.records(node), node == 50003 || node == 50005 || node == 50007) << node;
  EXPECT_FALSE(track.records(0));
  EXPECT_FALSE(SpikeTrack(0, 1).records(0));
}

TEST(SpikeTrack, OfNoNodesKeepsNothing) {
  SpikeTrack track(0, 100);
  take(track, {{1, 1}, {2, 2}}, dealt(0, 1));
  EXPECT_TRUE(kept(track).empty());
}

TEST(SpikeTrack, TracksAreMergedByTimeThenGid) {
  SpikeTrack a(0, 100), b(0, 100), none(0, 100);
  for (Local n = 0; n < 5; ++n) a.add_node(n), b.add_node(n);
  take(a, {{3, 5}, {1, 5}, {1, 9}}, dealt(0, 2));
  take(b, {{2, 5}, {2, 5}, {4, 4}}, dealt(1, 2));
  const SpikeTrack* tracks[] = {&a, &none, &b};
  EXPECT_EQ(merged(tracks).spikes, (std::vector<Spike>{{4, 4}, {1, 5}, {2, 5}, {2, 5}, {3, 5}, {1, 9}}));
}

/// Spikes of a part come in any order: those of the first neurons, then those of the next ones.
TEST(SpikeTrack, TheLastSpikesAreFoundFromTheEnd) {
  constexpr Step part = 5;
  SpikeTrack track(0, 1000);
  for (Local n = 0; n < 3; ++n) track.add_node(n);
  std::vector<Spike> all;
  for (Step from = 0; from < 50; from += part) {
    std::vector<Spike> made;
    for (Gid gid = 1; gid <= 3; ++gid)
      for (Step step = from; step < from + part; ++step)
        if ((step * 7 + gid * 3) % 4 == 0) made.push_back({gid, step});
    take(track, made, dealt(0, 1));
    all.insert(all.end(), made.begin(), made.end());
  }
  const SpikeTrack* tracks[] = {&track};
  for (Step after = -2; after < 55; ++after) {
    std::vector<Spike> late;
    for (const Spike& s : all)
      if (s.step + 1 > after) late.push_back(s);
    std::sort(late.begin(), late.end(), canonical);
    EXPECT_EQ(merged(tracks, after, part).spikes, late) << after;
  }
}

/// Slices that have such neurons, too, store offsets of 0 for neurons on the grid: what is read is the same in any slices.
TEST(SpikeTrack, MergedSpikesHaveOffsetsOnlyIfSomeAreOffTheGrid) {
  SpikeTrack with(0, 100), without(0, 100);
  with.add_node(0), without.add_node(0);
  with.take({{{1, 5}, {1, 7}}, {0.0, 0.0}}, std::vector<Local>{0, 0});
  without.take({{{2, 6}}, {}}, std::vector<Local>{0});
  const SpikeTrack* tracks[] = {&with, &without};
  EXPECT_EQ(merged(tracks).spikes, (std::vector<Spike>{{1, 5}, {2, 6}, {1, 7}}));
  EXPECT_TRUE(merged(tracks).offsets.empty());
  with.take({{{1, 9}}, {0.25}}, std::vector<Local>{0});
  EXPECT_EQ(merged(tracks).offsets, (std::vector<double>{0.0, 0.0, 0.0, 0.25}));
}

TEST(TrackIndex, GivesEachTrackWhatItWouldTakeItself) {
  const Residents slice = dealt(0, 1);
  TrackIndex::Tracks tracks, alone;
  for (auto* all : {&tracks, &alone})
    for (const auto& [from, to, stop] : {std::tuple<Local, Local, Step>{0, 10, 100}, {5, 20, 100}, {40, 41, 12}, {7, 8, 100}}) {
      all->push_back(std::make_unique<SpikeTrack>(3, stop));
      for (Local n = from; n < to; ++n) all->back()->add_node(n);
    }
  tracks.push_back(std::make_unique<SpikeTrack>(0, 100)), alone.push_back(std::make_unique<SpikeTrack>(0, 100));  // of no nodes
  TrackIndex index;
  index.make(tracks, 50);
  for (Step step = 0; step < 30; ++step) {
    Emitted emitted;
    std::vector<Local> sources;
    for (Local n = static_cast<Local>(step) % 3; n < 60; n += 3) {
      emitted.spikes.push_back({slice.gid(n), step}), sources.push_back(n);
      if (step % 4 == 1) emitted.offsets.push_back(0.01 * n);
    }
    index.take(tracks, emitted, sources);
    for (auto& t : alone) t->take(emitted, sources);
  }
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    EXPECT_EQ(kept(*tracks[t]), kept(*alone[t])) << t;
    const std::size_t n = alone[t]->spikes().size();
    std::vector<double> offsets = tracks[t]->offsets(), expected = alone[t]->offsets();
    offsets.resize(n), expected.resize(n);
    EXPECT_EQ(offsets, expected);
  }
}

TEST(Sampling, AtMultiplesOfTheIntervalPlusOffset) {
  const Sampling s{5, 2};
  std::vector<Step> at;
  for (Step stamp = 1; stamp <= 20; ++stamp)
    if (s.at(stamp)) at.push_back(stamp);
  EXPECT_EQ(at, (std::vector<Step>{2, 7, 12, 17}));
  EXPECT_FALSE((Sampling{5, 100}).at(95));
}

TEST(StateTrack, PutsSamplesIntoTheColumnsOfTheRecorder) {
  double x = 1, y = 10;
  StateTrack here({2, 0}), elsewhere({2, 0});
  here.add(&x, 2);
  here.add(&y, 0);
  for (Step stamp = 1; stamp <= 6; ++stamp) {
    x += 1, y += 10;
    here.sample(stamp);
    elsewhere.sample(stamp);
  }
  std::vector<double> table(9, -1.0);
  here.copy_to(table.data(), 3);
  elsewhere.copy_to(table.data(), 3);
  EXPECT_EQ(table, (std::vector<double>{30, -1, 3, 50, -1, 5, 70, -1, 7}));
  here.clear();
  here.sample(8);
  here.copy_to(table.data(), 3);
  EXPECT_EQ(table[0], 70);
  EXPECT_GE(here.bytes(), 4 * sizeof(double));
}

}  // namespace
}  // namespace npl::record::test_record
