// SPDX-License-Identifier: Apache-2.0
/// Bounds of programs, cells, and edges drawn without looking at each pair: against brute force over points, pairs and sequences.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "../levels.hpp"

#include "connect/space/cover.hpp"
#include "connect/space/even_choice.hpp"
#include "connect/space/skipping.hpp"

namespace npl::connect::space::test_cover {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

Instruction constant(double value) { return {Op::constant, 0, 0, 0, value}; }
Instruction input(Input what, int k) { return {Op::input, static_cast<std::int32_t>(what) + k, 0, 0, 0.0}; }
Instruction op(Op op, int a, int b = 0, int c = 0, double value = 0.0) { return {op, a, b, c, value}; }

using Random = std::mt19937_64;
double between(Random& random, double low, double high) { return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53); }
int below(Random& random, int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

bool holds(const Interval& bounds, double value) { return value == value ? bounds.low <= value && value <= bounds.high : bounds.maybe_nan; }

/// A program of two inputs and some constants, with random operations.
Program random_program(Random& random) {
  const double values[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1e-8, 1e5, 709.0, -745.0, 1e300, endless, std::nan("")};
  const double exponents[] = {0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, -0.5, 2.5, 1.0 / 3.0, 40.0};
  std::vector<Instruction> code{input(Input::in_mask, 0), input(Input::move, 1), constant(values[below(random, 14)]),
                                constant(between(random, -4.0, 4.0))};
  for (int i = 0, n = 1 + below(random, 12); i < n; ++i) {
    const int at = static_cast<int>(code.size());
    code.push_back({static_cast<Op>(2 + below(random, op_count - 2)), below(random, at), below(random, at), below(random, at),
                    exponents[below(random, 11)]});
  }
  return Program(code);
}

TEST(Interval, HoldsEveryValueOfRandomPrograms) {
  Random random(1);
  const double scales[] = {1e-9, 0.1, 1.0, 30.0, 1e4};
  std::vector<Interval> work;
  for (int trial = 0; trial < 20000; ++trial) {
    const Program program = random_program(random);
    Interval inputs[input_count] = {};
    std::vector<double> points[2];
    for (const int i : {0, 1}) {
      const double middle = below(random, 3) ? between(random, -2.0, 2.0) : 0.0, half = below(random, 5) ? scales[below(random, 5)] : 0.0;
      const Interval in{below(random, 4) ? middle - half : 0.0, middle + std::max(half, std::fabs(middle))};
      inputs[i == 0 ? 0 : 4] = in;
      for (int p = 0; p < 40; ++p)
        points[i].push_back(p < 4    ? ((p >> i) % 2 ? in.low : in.high)
                            : p == 4 ? (in.low + in.high) / 2
                                     : std::clamp(between(random, in.low, in.high), in.low, in.high));
    }
    const Interval found = bounds(program, inputs, work);
    const double* columns[input_count] = {};
    columns[0] = points[0].data(), columns[4] = points[1].data();
    at_every_level([&](Isa) {
      auto space = program.work_space();
      const double* values = program.run(columns, points[0].size(), space);
      for (std::size_t p = 0; p < points[0].size(); ++p)
        ASSERT_TRUE(holds(found, values[p])) << trial << ": " << values[p] << " not in " << found.low << ", " << found.high;
    });
  }
}

TEST(Interval, IsAsNarrowAsValuesOfMonotoneFunctions) {
  std::vector<Interval> work;
  const Interval inputs[input_count] = {{1.0, 2.0}, {-3.0, 2.0}};
  const auto of = [&](std::vector<Instruction> last) {
    std::vector<Instruction> code{input(Input::in_mask, 0), input(Input::in_mask, 1)};
    code.insert(code.end(), last.begin(), last.end());
    return bounds(Program(code), inputs, work);
  };
  const auto expect = [](const Interval& found, double low, double high) {
    EXPECT_NEAR(found.low, low, 1e-11);
    EXPECT_NEAR(found.high, high, 1e-11);
    EXPECT_FALSE(found.maybe_nan);
  };
  expect(of({op(Op::square, 1)}), 0.0, 9.0);
  expect(of({op(Op::multiply, 0, 1)}), -6.0, 4.0);
  expect(of({op(Op::divide, 1, 0)}), -3.0, 2.0);
  expect(of({op(Op::exponential, 1)}), std::exp(-3.0), std::exp(2.0));
  expect(of({op(Op::power, 0, 0, 0, -2.0)}), 0.25, 1.0);
  expect(of({op(Op::power, 1, 0, 0, 3.0)}), -27.0, 8.0);
  expect(of({constant(-1.5), op(Op::multiply, 0, 2), op(Op::floor, 3)}), -3.0, -2.0);
  expect(of({op(Op::sine, 0)}), std::sin(1.0), 1.0);
  expect(of({op(Op::cosine, 1)}), std::cos(3.0), 1.0);
  expect(of({op(Op::less, 1, 0)}), 0.0, 1.0);
  expect(of({constant(2.5), op(Op::less, 1, 2)}), 1.0, 1.0);
  expect(of({op(Op::without, 0, 1)}), -2.0, 8.0);
  EXPECT_TRUE(of({op(Op::logarithm, 1)}).maybe_nan);
  EXPECT_EQ(of({op(Op::divide, 0, 1)}).high, endless);
}

/// Nodes anywhere in the unit square or cube.
struct Nodes {
  int dims;
  std::vector<double> at[3];
  std::vector<std::int64_t> gid;

  Nodes(int dims, std::size_t n, unsigned seed, std::int64_t first_gid = 0) : dims(dims) {
    Random random(seed);
    for (std::size_t i = 0; i < n; ++i) {
      gid.push_back(first_gid + static_cast<std::int64_t>(i));
      for (int k = 0; k < 3; ++k) at[k].push_back(k < dims ? between(random, 0.0, 1.0) : 0.0);
    }
  }
  std::size_t size() const { return gid.size(); }
};

TEST(Cells, HoldEachNodeOnceInItsBox) {
  Nodes nodes(3, 1000, 3);
  for (std::size_t i = 0; i < 300; ++i)
    for (auto& at : nodes.at) at[i] = 0.25;  // all at one place
  const Column at[3] = {nodes.at[0], nodes.at[1], nodes.at[2]};
  const Cells cells = make_cells(3, at, 1000, 7);
  std::multiset<std::uint32_t> seen;
  for (const Cell& cell : cells.cells) {
    for (std::uint32_t i = cell.begin; i < cell.end; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const double x = nodes.at[k][cells.nodes[i]];
        EXPECT_TRUE(cell.box.low[k] <= x && x <= cell.box.high[k]);
      }
    if (cell.first_half != 0) {
      const Cell &a = cells.cells[cell.first_half], &b = cells.cells[cell.first_half + 1];
      EXPECT_TRUE(a.begin == cell.begin && a.end == b.begin && b.end == cell.end && a.size() == cell.size() / 2);
    } else {
      EXPECT_TRUE(cell.size() >= 1 && cell.size() <= 7);
      seen.insert(cells.nodes.begin() + cell.begin, cells.nodes.begin() + cell.end);
    }
  }
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 1000u);
  EXPECT_TRUE(make_cells(2, at, 0, 7).cells.empty());
}

/// Two sides without a mask.
struct Both {
  Nodes centres, others;
  bool inwards = true, periodic = false, autapses = true;
  std::vector<std::int64_t> order = {}, start = {};

  Candidates candidates(const Program& program) {
    order.resize(others.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(order.size() - 1 - i);  // not the order of cells
    start = {0, static_cast<std::int64_t>(order.size())};
    const std::int64_t sources = static_cast<std::int64_t>(inwards ? others.size() : centres.size());
    Sides s{centres.dims, inwards, inwards, {}, order, {}, {}, {}, {}, {}, sources, 1};
    for (int k = 0; k < centres.dims; ++k) s.folded[k] = s.other_at[k] = others.at[k], s.centre_at[k] = centres.at[k];
    if (periodic) s.period.assign(static_cast<std::size_t>(centres.dims), 1.0);
    if (!autapses) s.other_gid = others.gid, s.centre_gid = centres.gid;
    const Place all{endless, endless, endless}, none{-endless, -endless, -endless};
    return {s, {{centres.dims, {}, {1.0, 1.0, 1.0}, {}, {1, 1, 1}, false, {}, start}, {none, all, {}, all, {}}}, program};
  }
  double move(std::size_t centre, std::size_t other, int k) const {
    const double d = (inwards ? -1.0 : 1.0) * (others.at[k][other] - centres.at[k][centre]);
    return periodic ? d - std::floor(d + 0.5) : d;
  }
  double square_distance(std::size_t centre, std::size_t other) const {
    double sum = 0.0;
    for (int k = 0; k < centres.dims; ++k) sum += std::pow(move(centre, other, k), 2);
    return sum;
  }
};

/// top * exp(-distance^2 / (2 width^2)).
Program gaussian(int dims, double top, double width) {
  std::vector<Instruction> code{input(Input::move, 0), op(Op::square, 0)};
  int sum = 1;
  for (int k = 1; k < dims; ++k) {
    const int at = static_cast<int>(code.size());
    code.insert(code.end(), {input(Input::move, k), op(Op::square, at), op(Op::add, sum, at + 1)});
    sum = at + 2;
  }
  const int n = static_cast<int>(code.size());
  code.insert(code.end(), {constant(-0.5 / (width * width)), op(Op::multiply, sum, n), op(Op::exponential, n + 1), constant(top),
                           op(Op::multiply, n + 2, n + 3)});
  return Program(code);
}
double gaussian_of(double square, double top, double width) { return std::min(top * std::exp(-0.5 * square / (width * width)), 1.0); }

std::vector<std::int64_t> all_of(const Nodes& nodes) {
  std::vector<std::int64_t> found(nodes.size());
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = static_cast<std::int64_t>(i);
  return found;
}

rng::Key key(std::uint64_t seed) { return rng::Key::of(seed, rng::Purpose::connect, 3); }

TEST(Bounder, HoldsPairsOfBoxes) {
  Random random(8);
  for (const int dims : {2, 3})
    for (const bool periodic : {false, true})
      for (const bool inwards : {false, true}) {
        const Both both{Nodes(dims, 400, 5), Nodes(dims, 400, 6), inwards, periodic};
        const Program x({input(Input::move, 0)}), y({input(Input::in_mask, 1)}), from({input(Input::source, 0)}),
            to({input(Input::target, 1)});
        Both given = both;
        const Candidates of_x = given.candidates(x), of_y = given.candidates(y), of_from = given.candidates(from),
                         of_to = given.candidates(to), near = given.candidates(gaussian(dims, 1.0, 0.2));
        Bounder bx(of_x.sides, x), by(of_y.sides, y), bf(of_from.sides, from), bt(of_to.sides, to), bn(near.sides, near.program);
        for (int trial = 0; trial < 50; ++trial) {
          const std::size_t c = random() % 400, o = random() % 400;
          Box around_centre, around_other;
          for (std::size_t k = 0; k < static_cast<std::size_t>(dims); ++k) {
            around_centre.low[k] = both.centres.at[k][c] - between(random, 0.0, 0.3), around_centre.high[k] = both.centres.at[k][c];
            around_other.low[k] = both.others.at[k][o], around_other.high[k] = both.others.at[k][o] + between(random, 0.0, trial % 3 * 0.8);
          }
          EXPECT_TRUE(holds(bx.between(around_centre, around_other), both.move(c, o, 0)));
          EXPECT_TRUE(holds(by.between(around_centre, around_other),
                            both.others.at[1][o] * (inwards ? 1 : -1) - both.centres.at[1][c] * (inwards ? 1 : -1)));
          EXPECT_TRUE(holds(bf.between(around_centre, around_other), inwards ? both.others.at[0][o] : both.centres.at[0][c]));
          EXPECT_TRUE(holds(bt.between(around_centre, around_other), inwards ? both.centres.at[1][c] : both.others.at[1][o]));
          const Interval found = bn.between(around_centre, around_other);
          EXPECT_TRUE(holds(found, gaussian_of(both.square_distance(c, o), 1.0, 0.2)));
          EXPECT_LE(found.high, 1.0 + 1e-12);
        }
      }
}

bool skips(const Candidates& c) { return cell_sides(c)->skips; }

TEST(CellSides, OnlyWhereTheyPay) {
  Both many{Nodes(2, 3000, 1), Nodes(2, 3000, 2)}, few{Nodes(2, 3000, 1), Nodes(2, 2047, 2)};
  const Program narrow = gaussian(2, 0.8, 0.02);
  EXPECT_TRUE(skips(many.candidates(narrow)));
  EXPECT_TRUE(skips(many.candidates(Program({constant(0.01)}))));
  EXPECT_FALSE(cell_sides(few.candidates(narrow)));
  EXPECT_FALSE(skips(many.candidates(Program({constant(0.9)}))));
  EXPECT_FALSE(skips(many.candidates(Program({input(Input::move, 0), op(Op::sine, 0)}))));
  EXPECT_FALSE(skips(many.candidates(Program({input(Input::move, 0), op(Op::divide, 0, 0)}))));  // no bounds
  Candidates masked = many.candidates(narrow);
  masked.nearby.reach.low[0] = -0.5;
  EXPECT_FALSE(cell_sides(masked));
  Both none{Nodes(2, 0, 1), Nodes(2, 3000, 2)};
  EXPECT_FALSE(cell_sides(none.candidates(narrow)));
}

/// Sums over draws with many seeds, in standard deviations: of each pair, of pairs beside one another, of all.
struct Scores {
  double pairs = 0.0, beside = 0.0, all = 0.0;
};

Scores scores(Both both, double top, double width, std::size_t seeds) {
  const Candidates candidates = both.candidates(gaussian(both.centres.dims, top, width));
  const CellSides cells = divided_sides(candidates);
  const std::size_t n = both.others.size(), m = both.centres.size();
  std::vector<double> p(n * m), count(n * m, 0.0), left(n * m), beside(n * m, 0.0);
  for (std::size_t c = 0; c < m; ++c)
    for (std::size_t o = 0; o < n; ++o) {
      const bool loop = !both.autapses && both.centres.gid[c] == both.others.gid[o];
      p[c * n + o] = loop ? 0.0 : gaussian_of(both.square_distance(c, o), top, width);
    }
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const Edges edges = skipping(candidates, cells, all_of(both.centres), key(seed), false, 2);
    for (std::size_t i = 0; i < p.size(); ++i) left[i] = -p[i];
    for (std::size_t t = 0; t < edges.list.target.size(); ++t)
      for (std::uint64_t e = edges.list.begin[t]; e < edges.list.begin[t + 1]; ++e) {
        const std::size_t i = static_cast<std::size_t>(edges.list.target[t]) * n + (n - 1 - edges.list.source[e]);
        EXPECT_LT(left[i], 0.5) << "twice";
        ++count[i], ++left[i];
      }
    for (std::size_t c = 0; c < m; ++c)
      for (std::size_t g = 1; g < n; ++g) {
        const std::size_t i = c * n + cells.others.nodes[g], j = c * n + cells.others.nodes[g - 1];
        beside[i] += left[i] * left[j];
      }
  }
  double pairs = 0.0, of_pairs = 0.0, variance_beside = 0.0, sum_beside = 0.0, sum = 0.0, variance = 0.0;
  const auto times = static_cast<double>(seeds);
  for (std::size_t c = 0; c < m; ++c)
    for (std::size_t g = 0; g < n; ++g) {
      const std::size_t i = c * n + cells.others.nodes[g];
      const double v = p[i] * (1.0 - p[i]);
      EXPECT_TRUE(p[i] < 1.0 || count[i] == times);
      EXPECT_TRUE(p[i] > 0.0 || count[i] == 0.0);
      sum += count[i] - times * p[i], variance += times * v;
      if (times * v > 2.0) pairs += std::pow(count[i] - times * p[i], 2) / (times * v) - 1.0, of_pairs += 2.0 + 1.0 / (times * v);
      if (g == 0) continue;
      const std::size_t j = c * n + cells.others.nodes[g - 1];
      sum_beside += beside[i], variance_beside += times * v * p[j] * (1.0 - p[j]);
    }
  EXPECT_GT(of_pairs, 100.0);
  return {pairs / std::sqrt(of_pairs), sum_beside / std::sqrt(variance_beside), sum / std::sqrt(variance)};
}

TEST(Skipping, EachPairHasItsProbabilityAlone) {
  for (const int dims : {2, 3})
    for (const bool periodic : {false, true}) {
      const bool inwards = periodic == (dims == 2);
      const Both both{Nodes(dims, 30, 5), Nodes(dims, 2500, 6), inwards, periodic, dims == 3};
      const Scores found = scores(both, dims == 2 ? 1.3 : 0.4, dims == 2 ? 0.06 : 0.11, 150);
      EXPECT_LT(std::fabs(found.pairs), 4.0) << dims << periodic;
      EXPECT_LT(std::fabs(found.beside), 4.0) << dims << periodic;
      EXPECT_LT(std::fabs(found.all), 4.0) << dims << periodic;
    }
}

TEST(Skipping, SameEdgesInThreadsAtEveryLevelAndInParts) {
  Both both{Nodes(2, 500, 5), Nodes(2, 2500, 6), true, true, false};
  Candidates candidates = both.candidates(gaussian(2, 0.5, 0.05));
  candidates.cells = std::make_shared<const CellSides>(divided_sides(candidates));
  const auto drawn = [&](const std::vector<std::int64_t>& centres, int threads) {
    return pairwise(candidates, around(candidates, centres), Number::bernoulli, key(1), true, threads);
  };
  const Edges expected = drawn(all_of(both.centres), 1);
  const auto same = [&](const Edges& found) {
    return found.list.target == expected.list.target && found.list.begin == expected.list.begin &&
           found.list.source == expected.list.source && found.key == expected.key;
  };
  EXPECT_GT(expected.list.size(), 1000u);
  EXPECT_EQ(std::set(expected.key.begin(), expected.key.end()).size(), expected.key.size());
  for (const int threads : {2, 3, 100}) EXPECT_TRUE(same(drawn(all_of(both.centres), threads)));
  at_every_level([&](Isa) { EXPECT_TRUE(same(drawn(all_of(both.centres), 1))); });
  Edges put_together;
  for (std::int64_t first = 0; first < 500; ++first) {  // one rank per centre
    const Edges one = drawn({first}, 1);
    for (const std::uint32_t source : one.list.source) put_together.list.add(first, source);
    put_together.key.insert(put_together.key.end(), one.key.begin(), one.key.end());
  }
  EXPECT_TRUE(same(put_together));
}

TEST(Skipping, ConstantsAreSkippedOver) {
  Both both{Nodes(2, 400, 5), Nodes(2, 4000, 6)};
  const Candidates candidates = both.candidates(Program({constant(0.02)}));
  const Edges edges = skipping(candidates, divided_sides(candidates), all_of(both.centres), key(1), false, 1);
  const double mean = 400 * 4000 * 0.02;
  EXPECT_LT(std::fabs(static_cast<double>(edges.list.size()) - mean), 4.0 * std::sqrt(mean));
}

/// Sequences of others that the centres chose.
std::vector<std::vector<std::int64_t>> chosen(Both& both, std::int64_t degree, bool repeats, int threads, std::int64_t& short_of) {
  const std::vector<std::int64_t> degrees(both.centres.size(), degree);
  const Candidates candidates = both.candidates(Program({constant(0.5)}));
  const Choices found = choose(candidates, all_of(both.centres), degrees, repeats, {key(1), key(2)}, true, threads);
  short_of = found.short_of;
  std::vector<std::vector<std::int64_t>> by_centre(both.centres.size());
  const EdgeList& list = found.edges.list;
  for (std::size_t t = 0; t < list.target.size(); ++t)
    by_centre[static_cast<std::size_t>(list.target[t])].assign(list.source.begin() + static_cast<std::ptrdiff_t>(list.begin[t]),
                                                               list.source.begin() + static_cast<std::ptrdiff_t>(list.begin[t + 1]));
  return by_centre;
}

TEST(EvenChoice, EverySequenceIsAsLikely) {
  for (const bool autapses : {false, true}) {
    Both both{Nodes(2, 12000, 1, 7), Nodes(2, 5, 2, 7), true, false, autapses};
    const Candidates candidates = both.candidates(Program({constant(0.5)}));
    const EvenChoice choice(candidates, false, key(3), true);
    EvenChoice::Shuffled shuffled;
    std::map<std::vector<std::uint32_t>, double> seen;
    for (std::int64_t c = autapses ? 0 : 5; c < 12000; ++c) {
      Runs runs;
      Search(candidates.nearby.strips, candidates.nearby.reach, candidates.sides.centre_at).around(c, runs);
      Edges to;
      ASSERT_TRUE(choice(runs, 0, runs.size(), 3, shuffled, to));
      ++seen[to.list.source];
    }
    ASSERT_EQ(seen.size(), 60u);
    const double mean = (autapses ? 12000 : 11995) / 60.0;
    double squares = 0.0;
    for (const auto& [sequence, n] : seen) squares += (n - mean) * (n - mean) / mean;
    EXPECT_LT(std::fabs(squares - 59.0), 4.0 * std::sqrt(2 * 59.0));
    for (std::size_t i = 0; i < shuffled.size(); ++i) EXPECT_EQ(shuffled[i], i);  // moved back
  }
}

TEST(EvenChoice, AllButSelfAllAndTooMany) {
  std::int64_t short_of = 0;
  for (const bool autapses : {false, true}) {
    Both both{Nodes(2, 300, 1), Nodes(2, 2100, 2), false, false, autapses};
    const std::int64_t most = autapses ? 2100 : 2099;
    const auto all = chosen(both, most, false, 2, short_of);
    EXPECT_EQ(short_of, -1);
    for (std::size_t c = 0; c < all.size(); ++c) {
      std::set<std::int64_t> set(all[c].begin(), all[c].end());
      EXPECT_EQ(set.size(), static_cast<std::size_t>(most));
      EXPECT_TRUE(autapses || set.count(2099 - static_cast<std::int64_t>(c)) == 0);  // its own gid: the order is reversed
    }
    chosen(both, most + 1, false, 2, short_of);
    EXPECT_EQ(short_of, 0);
  }
}

TEST(EvenChoice, PairsOfManyAreChosenAsOftenAsOthers) {
  Both both{Nodes(2, 2000, 1), Nodes(2, 3000, 2, 1000), true, false, false};
  std::int64_t short_of = 0;
  const auto found = chosen(both, 60, false, 3, short_of);
  EXPECT_EQ(short_of, -1);
  EXPECT_EQ(chosen(both, 60, false, 1, short_of), found);
  std::vector<double> in(3000, 0.0);
  std::vector<std::vector<char>> member(2000, std::vector<char>(3000, 0));
  for (std::size_t c = 0; c < 2000; ++c) {
    ASSERT_EQ(std::set(found[c].begin(), found[c].end()).size(), 60u);
    for (const std::int64_t o : found[c]) ++in[static_cast<std::size_t>(o)], member[c][static_cast<std::size_t>(o)] = 1;
  }
  double squares = 0.0, together = 0.0;
  const double mean = 2000 * 60 / 3000.0, variance = mean * (1.0 - 60 / 3000.0);
  for (const double n : in) squares += (n - mean) * (n - mean) / variance;
  EXPECT_LT(std::fabs(squares - 2999.0), 4.0 * std::sqrt(2 * 2999.0));
  for (std::size_t o = 1; o < 3000; ++o)
    for (std::size_t c = 0; c < 2000; ++c) together += member[c][o] && member[c][o - 1];
  const double expected = 2000.0 * 2999 * 60 * 59 / (3000.0 * 2999);
  EXPECT_LT(std::fabs(together - expected), 4.0 * std::sqrt(expected));
}

}  // namespace
}  // namespace npl::connect::space::test_cover
