// SPDX-License-Identifier: Apache-2.0
/// Choices in proportion to a formula by bounds of it: against the probability of every sequence.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "../levels.hpp"

#include "connect/space/weighted_choice.hpp"

namespace npl::connect::space::test_weighted_choice {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
rng::Key key(std::uint64_t seed) { return rng::Key::of(seed, rng::Purpose::connect, 3); }

/// Centres at 0; others at 0, 1, 2, ... along x with the same gids.
struct Row {
  std::vector<double> x, zero;
  std::vector<std::int64_t> order, start, other_gid, centres, centre_gid;
  bool autapses = true;

  Row(std::size_t n_centres, std::size_t n_others)
      : zero(std::max(n_centres, n_others), 0.0), start{0, static_cast<std::int64_t>(n_others)} {
    for (std::size_t i = 0; i < n_others; ++i) x.push_back(static_cast<double>(i)), order.push_back(static_cast<std::int64_t>(i));
    for (std::size_t i = 0; i < n_centres; ++i) centres.push_back(static_cast<std::int64_t>(i));
    other_gid = order, centre_gid = centres;
  }
  Candidates candidates(std::vector<Instruction> code) const {
    const Column others{x}, other_zero{zero.data(), x.size()}, centre{zero.data(), centres.size()};
    Sides s{2, true, true, {}, order, {others, other_zero}, {others, other_zero}, {centre, centre}, {}, {}, start[1], 1};
    if (!autapses) s.other_gid = other_gid, s.centre_gid = centre_gid;
    const Place all{endless, endless, endless}, none{-endless, -endless, -endless};
    return {s, {{2, {}, {1.0, 1.0, 1.0}, {}, {1, 1, 1}, false, {}, start}, {none, all, {}, all, {}}}, Program(std::move(code))};
  }
};

const std::vector<Instruction> by_place{{Op::input, 6, 0, 0, 0.0}};  // weight = x of the source
/// exp(-x / 50).
const std::vector<Instruction> falling{
    {Op::input, 6, 0, 0, 0.0}, {Op::constant, 0, 0, 0, -0.02}, {Op::multiply, 0, 1, 0, 0.0}, {Op::exponential, 2, 0, 0, 0.0}};

std::vector<std::vector<std::uint32_t>> sequences(const Row& row, const Candidates& c, std::int64_t degree, bool repeats, int threads,
                                                  std::vector<char>& few) {
  const std::vector<std::int64_t> degrees(row.centres.size(), degree);
  few.assign(row.centres.size(), 1);
  const Edges edges = weighted_choices(c, divided_sides(c), row.centres, degrees, repeats, {key(1), key(2)}, true, threads, few);
  EXPECT_EQ(std::set(edges.key.begin(), edges.key.end()).size(), edges.key.size());
  std::vector<std::vector<std::uint32_t>> found(row.centres.size());
  for (std::size_t t = 0; t < edges.list.target.size(); ++t)
    found[static_cast<std::size_t>(edges.list.target[t])].assign(
        edges.list.source.begin() + static_cast<std::ptrdiff_t>(edges.list.begin[t]),
        edges.list.source.begin() + static_cast<std::ptrdiff_t>(edges.list.begin[t + 1]));
  return found;
}

/// Probability of a sequence of choices among n others, with or without repeats.
double probability(const std::vector<std::uint32_t>& sequence, const std::vector<double>& weight, bool repeats) {
  double left = 0.0, p = 1.0;
  for (const double w : weight) left += w;
  for (const std::uint32_t i : sequence) {
    p *= weight[i] / left;
    if (!repeats) left -= weight[i];
  }
  return p;
}

TEST(WeightedChoice, EverySequenceHasItsProbability) {
  for (const bool repeats : {false, true})
    for (const std::size_t n : {std::size_t{5}, std::size_t{6}}) {
      const Row row(30000, n);
      std::vector<double> weight;
      for (std::size_t i = 0; i < n; ++i) weight.push_back(static_cast<double>(i));
      std::vector<char> few;
      std::map<std::vector<std::uint32_t>, double> seen;
      for (const auto& sequence : sequences(row, row.candidates(by_place), 3, repeats, 2, few)) ++seen[sequence];
      double squares = 0.0, cells = 0.0, sum = 0.0;
      for (const auto& [sequence, count] : seen) {
        const double mean = 30000.0 * probability(sequence, weight, repeats);
        ASSERT_EQ(sequence.size(), 3u);
        ASSERT_GT(mean, 0.0);
        squares += (count - mean) * (count - mean) / mean, ++cells, sum += mean;
      }
      EXPECT_NEAR(sum, 30000.0, 30.0);  // no sequence is missing, or only rare ones
      EXPECT_LT(std::fabs(squares - cells), 5.0 * std::sqrt(2.0 * cells));
    }
}

TEST(WeightedChoice, TheRestIsChosenAmongAll) {
  Row row(40, 40);
  row.autapses = false;
  std::vector<char> few;
  const Candidates candidates = row.candidates(falling);
  const auto all = sequences(row, candidates, 39, false, 1, few);
  for (std::size_t c = 0; c < 40; ++c) {
    EXPECT_FALSE(few[c]);
    const std::set<std::uint32_t> set(all[c].begin(), all[c].end());
    EXPECT_TRUE(set.size() == 39u && set.count(static_cast<std::uint32_t>(c)) == 0);
  }
  sequences(row, candidates, 40, false, 1, few);
  EXPECT_EQ(std::count(few.begin(), few.end(), 1), 40);
  const std::vector<Instruction> unbounded{{Op::input, 6, 0, 0, 0.0}, {Op::divide, 0, 0, 0, 0.0}};  // NaN at 0, else 1
  const auto rest = sequences(row, row.candidates(unbounded), 38, false, 1, few);
  EXPECT_EQ(std::count(few.begin(), few.end(), 0), 40);
  for (const auto& sequence : rest) EXPECT_EQ(std::count(sequence.begin(), sequence.end(), 0u), 0);
  const std::vector<Instruction> nothing{{Op::input, 6, 0, 0, 0.0}, {Op::subtract, 0, 0, 0, 0.0}};
  sequences(row, row.candidates(nothing), 1, true, 1, few);
  EXPECT_EQ(std::count(few.begin(), few.end(), 1), 40);
  sequences(row, row.candidates(nothing), 0, true, 1, few);
  EXPECT_EQ(std::count(few.begin(), few.end(), 0), 40);
}

TEST(WeightedChoice, SteepWeightsLeaveTheRestToARace) {
  // Weights 1, e^-40, e^-80, ...: after the first no attempt is accepted, and the order is sure.
  const Row row(50, 12);
  const std::vector<Instruction> steep{
      {Op::input, 6, 0, 0, 0.0}, {Op::constant, 0, 0, 0, -40.0}, {Op::multiply, 0, 1, 0, 0.0}, {Op::exponential, 2, 0, 0, 0.0}};
  std::vector<char> few;
  for (const auto& sequence : sequences(row, row.candidates(steep), 12, false, 1, few))
    for (std::uint32_t k = 0; k < 12; ++k) EXPECT_EQ(sequence[k], k);
}

TEST(WeightedChoice, ManyOthers) {
  Row row(3000, 4000);
  row.autapses = false;
  const Candidates candidates = row.candidates(falling);
  const std::vector<std::int64_t> degrees(3000, 20);
  EXPECT_TRUE(choices_pay(candidates, divided_sides(candidates), degrees, true));
  EXPECT_FALSE(choices_pay(candidates, divided_sides(candidates), std::vector<std::int64_t>(3000, 1500), true));
  std::vector<char> few;
  for (const bool repeats : {false, true}) {
    const auto found = sequences(row, candidates, 20, repeats, 1, few);
    EXPECT_EQ(sequences(row, candidates, 20, repeats, 3, few), found);
    at_every_level([&](Isa) { EXPECT_EQ(sequences(row, candidates, 20, repeats, 1, few), found); });
    std::vector<double> count(4000, 0.0);
    for (std::size_t c = 0; c < 3000; ++c) {
      EXPECT_EQ(std::count(found[c].begin(), found[c].end(), static_cast<std::uint32_t>(c)), 0);
      EXPECT_TRUE(repeats || std::set(found[c].begin(), found[c].end()).size() == 20);
      ++count[found[c][0]];
    }
    double squares = 0.0;
    for (std::uint32_t i = 0; i < 200; ++i) {  // the first choice, of all but one centre
      const double mean = 2999.0 * std::exp(-0.02 * i) * (1.0 - std::exp(-0.02));
      squares += (count[i] - mean) * (count[i] - mean) / mean;
    }
    EXPECT_LT(std::fabs(squares - 200.0), 5.0 * std::sqrt(400.0));
  }
}

}  // namespace
}  // namespace npl::connect::space::test_weighted_choice
