// SPDX-License-Identifier: Apache-2.0
// Regions and spacing: what the definition says, on random overlaps.
#include "circuit/boutons.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "base/error.hpp"
#include "circuit/mail.hpp"
#include "circuit/pieces.hpp"
#include "circuit/tree.hpp"

namespace npl::circuit::test_boutons {
namespace {

const Spacing spacing{5, 7, 4};

Draws draws(Gid post = 1) { return Draws(Draws::key(1, 2), post, 3); }

TEST(Space, EveryStepIsWithinItsBoundsAndTheFirstIsHalf) {
  double sum = 0;
  std::size_t n = 0;
  for (Gid post = 0; post < 200; ++post) {
    Draws d = draws(post);
    std::vector<double> places;
    space(100, 100 + static_cast<double>(post), spacing, d, places);
    ASSERT_FALSE(places.empty());
    EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
    EXPECT_GE(places.front(), 100);
    EXPECT_LE(places.back(), 100 + static_cast<double>(post));
    if (post < 5) {
      EXPECT_EQ(places, std::vector<double>{100 + 0.5 * static_cast<double>(post)});
    }
    if (post > 7) {
      EXPECT_TRUE(places.front() >= 102.5 && places.front() <= 103.5) << places.front();
      EXPECT_GT(places.back() + spacing.max, 100 + static_cast<double>(post));
    }
    for (std::size_t k = 1; k < places.size(); ++k, ++n) {
      EXPECT_GE(places[k] - places[k - 1], spacing.min - 1e-12);
      EXPECT_LE(places[k] - places[k - 1], spacing.max + 1e-12);
      sum += places[k] - places[k - 1];
    }
  }
  EXPECT_NEAR(sum / static_cast<double>(n), 6, 5 * 2 / std::sqrt(12.0 * static_cast<double>(n)));
}

Overlap piece_of(double start, double end, Gid post, std::int32_t number = 0, double clearance = -1) {
  return {start, end, clearance, post, 1, number, static_cast<std::int32_t>(start), 0, 0, static_cast<std::uint32_t>(number)};
}

TEST(Place, OneRegionPerRunOfOverlapsWithSmallGaps) {
  std::vector<Overlap> overlaps{piece_of(0, 1, 7), piece_of(4.9, 5, 7, 1), piece_of(9, 9.5, 7, 2), piece_of(2, 3, 8)};
  std::vector<Bouton> boutons;
  place(overlaps, 2, 3, 1, spacing, boutons);
  ASSERT_EQ(boutons.size(), 3u);   // 0 .. 5 of cell 7 is shorter than a step, or as long; 9 .. 9.5 is 4 um away, not below the gap
  EXPECT_EQ(boutons[0].place, 1);  // the middle, 2.5, is nearer to 1 than to 4.9
  EXPECT_EQ(boutons[1].place, 9.25);
  EXPECT_EQ(boutons[2].place, 2.5);
  EXPECT_EQ(boutons[2].overlap->post_gid, 8);
}

TEST(Place, TheDeepestOverlapTakesThePlace) {
  std::vector<Overlap> overlaps{piece_of(0, 4, 7, 0, -0.5), piece_of(1, 3, 7, 1, -0.7), piece_of(0, 1.9, 7, 2, -2)};
  std::vector<Bouton> boutons;
  place(overlaps, 2, 3, 1, spacing, boutons);
  ASSERT_EQ(boutons.size(), 1u);
  EXPECT_EQ(boutons[0].place, 2);
  EXPECT_EQ(boutons[0].overlap->post_segment, 1);
}

TEST(Place, AnyOrderAndAnyPartsOfRandomOverlaps) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Overlap> overlaps;
    for (int k = 0; k < 200; ++k) {
      const double start = random() % 4000 / 10.0;
      overlaps.push_back(piece_of(start, start + random() % 30 / 10.0, random() % 4, k, -static_cast<double>(random() % 100)));
    }
    std::vector<std::vector<std::tuple<double, Gid, int>>> results;
    for (int order = 0; order < 3; ++order) {
      std::shuffle(overlaps.begin(), overlaps.end(), random);
      auto copy = overlaps;
      std::vector<Bouton> boutons;
      place(copy, 2, 3, 1, spacing, boutons);
      results.emplace_back();
      std::map<Gid, double> last;
      for (const Bouton& b : boutons) {
        results.back().emplace_back(b.place, b.overlap->post_gid, b.overlap->post_segment);
        EXPECT_TRUE(b.place >= b.overlap->start && b.place <= b.overlap->end);
        const auto [before, first] = last.try_emplace(b.overlap->post_gid, -1000);
        // A place moves by less than half a gap.
        EXPECT_GE(b.place - before->second, std::min(spacing.min - spacing.region_gap, spacing.region_gap));
        before->second = b.place;
        (void)first;
      }
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
}

TEST(Tree, FindsWhatMeetsTheBox) {
  std::mt19937 random(2);
  const auto any_box = [&](double size) {
    Box b;
    const auto x = [&](double s) { return std::uniform_real_distribution<double>(0, s)(random); };
    const Vec at{x(100), x(100), x(100)};
    b.add(at, 0);
    b.add(at + Vec{x(size), x(size), x(size)}, 0);
    return b;
  };
  for (std::size_t n : {1u, 7u, 64u, 65u, 1000u}) {
    std::vector<Box> boxes;
    std::vector<Node> leaves((n + lanes - 1) / lanes);
    for (std::size_t i = 0; i < n; ++i) {
      boxes.push_back(any_box(10));
      leaves[i / lanes].set(i % lanes, boxes[i]);
    }
    const Tree tree(leaves);
    EXPECT_LE(tree.cover(20).size(), 20u);
    for (int k = 0; k < 100; ++k) {
      const Box q = any_box(30);
      std::vector<std::uint32_t> found, slots, expected;
      tree.find(q, found);
      tree.narrow(q, found, slots);
      for (std::uint32_t i = 0; i < n; ++i) {
        bool meets = true;
        for (int c = 0; c < 3; ++c) meets = meets && boxes[i].lo[c] <= q.hi[c] && boxes[i].hi[c] >= q.lo[c];
        if (meets) expected.push_back(i);
      }
      ASSERT_EQ(slots, expected);
    }
  }
}

TEST(Tree, NeighboursAlongTheCurveAreNeighboursInSpace) {
  std::map<std::uint64_t, std::array<int, 3>> along;
  constexpr int side = 16;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z) along[hilbert(x, y, z)] = {x, y, z};
  ASSERT_EQ(along.size(), std::size_t{side * side * side});
  EXPECT_EQ(along.rbegin()->first, std::uint64_t{side * side * side - 1});
  const std::array<int, 3>* before = nullptr;
  for (const auto& [key, cell] : along) {
    if (before) {
      EXPECT_EQ(std::abs(cell[0] - (*before)[0]) + std::abs(cell[1] - (*before)[1]) + std::abs(cell[2] - (*before)[2]), 1);
    }
    before = &cell;
  }
}

TEST(Pieces, WhatIsNoPieceIsRefused) {
  Pieces pieces(Mode::tapered);
  const std::vector<Point> points(4);
  pieces.add({.gid = 1,
              .section = 2,
              .first_segment = 0,
              .first_point = 0,
              .spine = 0,
              .arc = 0,
              .section_length = 3,
              .path = 0,
              .segments = 3,
              .type = axon},
             points);
  std::vector<std::byte> packed;
  pieces.pack(0, packed);
  Pieces copy(Mode::tapered);
  copy.take(packed);
  EXPECT_EQ(copy.n_segments(), 3u);
  for (std::size_t n = 1; n < packed.size(); ++n) EXPECT_THROW(Pieces(Mode::tapered).take(std::span(packed).first(n)), BadMessage);
  packed[offsetof(Piece, segments)] = std::byte{9};
  EXPECT_THROW(Pieces(Mode::tapered).take(packed), BadMessage);
}

}  // namespace
}  // namespace npl::circuit::test_boutons
