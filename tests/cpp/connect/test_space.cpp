// SPDX-License-Identifier: Apache-2.0
/// Programs of positions, edges drawn from them, and lists of edges.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "../levels.hpp"

#include "connect/space/formula.hpp"
#include "connect/space/pairs.hpp"
#include "rule_tester.hpp"

namespace npl::connect::space::test_space {
namespace {

Instruction constant(double value) { return {Op::constant, 0, 0, 0, value}; }
Instruction input(Input what, int k) { return {Op::input, static_cast<std::int32_t>(what) + k, 0, 0, 0.0}; }
Instruction apply(Op op, int a, int b = 0, int c = 0, double value = 0.0) { return {op, a, b, c, value}; }

/// Result of an operation on the columns x and y.
std::vector<double> result(Op op, const std::vector<double>& x, const std::vector<double>& y, double value = 0.0) {
  const Program program({input(Input::in_mask, 0), input(Input::in_mask, 1), apply(op, 0, 1, 0, value)});
  const double* inputs[input_count] = {x.data(), y.data()};
  auto work = program.work_space();
  const double* found = program.run(inputs, x.size(), work);
  return {found, found + x.size()};
}

TEST(Program, ComputesWhatItSays) {
  const std::vector<double> x{0.5, 2.0, 0.0, 3.0}, y{0.25, 2.0, 1.0, 4.0};
  const std::map<Op, double (*)(double, double)> expected{
      {Op::add, [](double a, double b) { return a + b; }},
      {Op::subtract, [](double a, double b) { return a - b; }},
      {Op::multiply, [](double a, double b) { return a * b; }},
      {Op::divide, [](double a, double b) { return a / b; }},
      {Op::square, [](double a, double) { return a * a; }},
      {Op::root, [](double a, double) { return std::sqrt(a); }},
      {Op::exponential, [](double a, double) { return std::exp(a); }},
      {Op::power, [](double a, double) { return std::pow(a, 1.5); }},
      {Op::logarithm, [](double a, double) { return std::log(a); }},
      {Op::sine, [](double a, double) { return std::sin(a); }},
      {Op::cosine, [](double a, double) { return std::cos(a); }},
      {Op::magnitude, [](double a, double) { return std::fabs(a); }},
      {Op::smaller, [](double a, double b) { return std::min(a, b); }},
      {Op::larger, [](double a, double b) { return std::max(a, b); }},
      {Op::less, [](double a, double b) { return a < b ? 1.0 : 0.0; }},
      {Op::less_equal, [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
      {Op::equal, [](double a, double b) { return a == b ? 1.0 : 0.0; }},
      {Op::unequal, [](double a, double b) { return a != b ? 1.0 : 0.0; }},
      {Op::choose, [](double a, double b) { return a != 0.0 ? b : a; }},
  };
  at_every_level([&](Isa) {
    for (const auto& [op, f] : expected) {
      const auto found = result(op, x, y, 1.5);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double wanted = f(x[i], y[i]);
        EXPECT_TRUE(found[i] == wanted || std::fabs(found[i] - wanted) <= 1e-15 * std::fabs(wanted)) << static_cast<int>(op) << ' ' << i;
      }
    }
  });
  const std::vector<double> yes{1, 1, 0, 0}, also{1, 0, 1, 0};
  EXPECT_EQ(result(Op::both, yes, also), (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(result(Op::either, yes, also), (std::vector<double>{1, 1, 1, 0}));
  EXPECT_EQ(result(Op::without, yes, also), (std::vector<double>{0, 1, 0, 0}));
}

TEST(Program, RefusesWhatMakesNoSense) {
  EXPECT_THROW(Program({}), BadParameter);
  EXPECT_THROW(Program({apply(Op::add, 0, 0)}), BadParameter);  // its own result
  EXPECT_THROW(Program({constant(1.0), apply(Op::add, 0, -1)}), BadParameter);
  EXPECT_THROW(Program({{static_cast<Op>(99), 0, 0, 0, 0.0}}), BadParameter);
  EXPECT_THROW(Program({{Op::input, 12, 0, 0, 0.0}}), BadParameter);
}

/// Targets and sources at 0, 1, 2, ... on a line; every target may choose among the sources from 0 to n - 1, sorted into three strips.
struct Line {
  std::int64_t n, n_targets;
  std::vector<std::int64_t> order, centres, start, gid;
  std::vector<double> at, zero;

  Line(std::int64_t sources, std::int64_t targets)
      : n(sources),
        n_targets(targets),
        order(first_positions(sources)),
        centres(first_positions(targets)),
        start{0, sources / 3, 2 * (sources / 3), sources} {
    for (std::int64_t s = 0; s < std::max(sources, targets); ++s) at.push_back(static_cast<double>(s));
    zero.assign(at.size(), 0.0);
  }
  Sides sides() const {
    Sides s{2, true, true, {}, order, {at, zero}, {at, zero}, {at, zero}, {}, {}, n, 1};
    if (!gid.empty()) s.other_gid = s.centre_gid = gid;
    return s;
  }
  Nearby nearby() const {
    const double all = std::numeric_limits<double>::infinity();
    const Strips strips{2, {-0.5, -0.5}, {static_cast<double>(n / 3), 1.0}, {}, {3, 1, 1}, false, {}, start};
    return {strips, {{-all, -all}, {all, all}, {}, {all, all}, {}}};
  }
};

const rng::Key key = rng::Key::of(7, rng::Purpose::connect, 3);
const Program half({constant(0.5)});

/// Edges with the centre of each written out.
struct Columns {
  std::vector<std::int64_t> centre, other, key;
  explicit Columns(const Edges& edges) : other(edges.list.source.begin(), edges.list.source.end()), key(edges.key) {
    const EdgeList& list = edges.list;
    for (std::size_t i = 0; i < list.target.size(); ++i) centre.insert(centre.end(), list.begin[i + 1] - list.begin[i], list.target[i]);
  }
  bool operator==(const Columns&) const = default;
};

Columns pairwise(const Line& line, const Program& program, Number number, int threads) {
  const Candidates candidates{line.sides(), line.nearby(), program};
  return Columns(pairwise(candidates, around(candidates, line.centres), number, key, true, threads));
}

TEST(Pairwise, EveryPairHasItsProbability) {
  const Line line(500, 400);
  const Program near(
      {input(Input::move, 0), apply(Op::magnitude, 0), constant(-0.05), apply(Op::multiply, 1, 2), apply(Op::exponential, 3)});
  const auto edges = pairwise(line, near, Number::bernoulli, 1);
  std::map<std::int64_t, double> seen;
  for (std::size_t i = 0; i < edges.centre.size(); ++i) ++seen[edges.other[i] - edges.centre[i]];
  double squares = 0, sum = 0;
  for (std::int64_t d = -50; d <= 50; ++d) {
    const double pairs = static_cast<double>(std::min(line.n_targets, line.n - d) - std::max<std::int64_t>(0, -d)),
                 p = std::exp(-0.05 * std::fabs(static_cast<double>(d)));
    if (p == 1.0) {
      EXPECT_EQ(seen[d], pairs);
    }
    if (p < 1.0) squares += std::pow(seen[d] - pairs * p, 2) / (pairs * p * (1 - p)), ++sum;
  }
  EXPECT_LT(std::fabs(squares - sum), 5 * std::sqrt(2 * sum));
}

TEST(Pairwise, SameEdgesInSeveralThreadsAtEveryLevelAndInAList) {
  const Line line(333, 70);
  const auto expected = pairwise(line, half, Number::bernoulli, 1);
  EXPECT_TRUE(std::is_sorted(expected.centre.begin(), expected.centre.end()));
  for (int threads : {2, 5, 100}) EXPECT_EQ(pairwise(line, half, Number::bernoulli, threads), expected);
  at_every_level([&](Isa) { EXPECT_EQ(pairwise(line, half, Number::bernoulli, 1), expected); });
  const Candidates candidates{line.sides(), line.nearby(), half};
  const auto listed = pairwise(candidates, around(candidates, line.centres), Number::bernoulli, key, false, 3).list;
  for (std::size_t i = 0; i < expected.centre.size(); ++i) {
    const auto [begin, end] = listed.of(expected.centre[i]);
    ASSERT_TRUE(begin <= i && i < end);
    ASSERT_EQ(listed.source[i], expected.other[i]);
  }
}

TEST(Pairwise, PoissonNumbers) {
  const Line line(200, 100);
  const Program two({constant(2.0)});
  const auto edges = pairwise(line, two, Number::poisson, 1);
  std::map<std::pair<std::int64_t, std::int64_t>, int> number;
  for (std::size_t i = 0; i < edges.centre.size(); ++i) ++number[{edges.centre[i], edges.other[i]}];
  std::vector<double> seen(8, 0.0), expected;
  for (const auto& [pair, n] : number) ++seen[static_cast<std::size_t>(std::min(n, 7))];
  seen[0] = 20000.0 - static_cast<double>(number.size());
  double p = std::exp(-2.0), rest = 1.0;
  for (int k = 0; k < 7; ++k) expected.push_back(20000 * p), rest -= p, p *= 2.0 / (k + 1);
  expected.push_back(20000 * rest);
  double squares = 0;
  for (std::size_t k = 0; k < 8; ++k) squares += std::pow(seen[k] - expected[k], 2) / expected[k];
  EXPECT_LT(squares, 30.0);
  const Program much({constant(501.0)});
  EXPECT_THROW(pairwise(line, much, Number::poisson, 2), BadParameter);
}

/// Nodes in cells of half a unit in a square of side 4, periodic or not; the search region is an eccentric disc of radius 1.3.
struct Square {
  static constexpr std::int64_t cells = 8;
  std::vector<double> x, y;  ///< sorted by cell
  std::vector<std::int64_t> start;
  Reach reach{{-0.9, -1.3}, {1.7, 1.3}, {0.4, 0.0}, {1.3, 1.3}, {2, 2}};

  Square() {
    for (std::int64_t cell = 0; cell < cells * cells; ++cell) {
      start.push_back(static_cast<std::int64_t>(x.size()));
      for (int i = 0; i < cell % 4; ++i) {
        x.push_back(0.5 * (static_cast<double>(cell / cells) + 0.3 * i));
        y.push_back(0.5 * (static_cast<double>(cell % cells) + 0.9 - 0.3 * i));
      }
    }
    start.push_back(static_cast<std::int64_t>(x.size()));
  }
  Strips strips(bool wraps) const { return {2, {0.0, 0.0}, {0.5, 0.5}, {1e-9, 1e-9}, {cells, cells, 1}, wraps, {4.0, 4.0}, start}; }
  /// Places in the disc around a centre, with the periods that they are away.
  std::multiset<std::array<std::int64_t, 3>> in_disc(std::size_t centre, bool wraps) const {
    std::multiset<std::array<std::int64_t, 3>> found;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::int64_t tx = wraps ? -2 : 0; tx <= (wraps ? 2 : 0); ++tx)
        for (std::int64_t ty = wraps ? -2 : 0; ty <= (wraps ? 2 : 0); ++ty)
          if (std::hypot(x[i] + 4.0 * static_cast<double>(tx) - x[centre] - 0.4, y[i] + 4.0 * static_cast<double>(ty) - y[centre]) <= 1.3)
            found.insert({static_cast<std::int64_t>(i), tx, ty});
    return found;
  }
};

TEST(Search, FindsAllThatIsNear) {
  const Square square;
  const Column at[3] = {square.x, square.y};
  for (const bool wraps : {false, true}) {
    const Strips strips = square.strips(wraps);
    const Reach reach = wraps ? square.reach : Reach{square.reach.low, square.reach.high, square.reach.middle, square.reach.half, {}};
    Search search(strips, reach, at);
    for (std::size_t centre = 0; centre < square.x.size(); ++centre) {
      Runs runs;
      search.around(static_cast<std::int64_t>(centre), runs);
      std::multiset<std::array<std::int64_t, 3>> offered, missed;
      for (std::size_t r = 0; r < runs.size(); ++r)
        for (std::int64_t i = 0; i < runs.length[r]; ++i) {
          const std::int64_t tx = std::llround((square.x[centre] - runs.base[0][r]) / 4.0),
                             ty = std::llround((square.y[centre] - runs.base[1][r]) / 4.0);
          EXPECT_EQ(runs.image[r], wraps ? (tx + 2) * 5 + ty + 2 : 0);
          offered.insert({runs.start[r] + i, tx, ty});
        }
      const auto wanted = square.in_disc(centre, wraps);
      EXPECT_TRUE(std::includes(offered.begin(), offered.end(), wanted.begin(), wanted.end()));
      EXPECT_EQ(std::set(offered.begin(), offered.end()).size(), offered.size());
      EXPECT_LE(offered.size(), wanted.size() * 4 + 12);  // not everything
    }
  }
}

TEST(Choose, DegreesWithAndWithoutRepeats) {
  const Line line(90, 50);
  const Program none_of_the_first({input(Input::source, 0), constant(9.5), apply(Op::less, 1, 0)});
  std::vector<std::int64_t> degree(50, 80);
  degree[7] = 0;
  for (const bool repeats : {true, false}) {
    const Choices choices = choose({line.sides(), line.nearby(), none_of_the_first}, line.centres, degree, repeats, {key, key}, true, 3);
    const Columns edges(choices.edges);
    EXPECT_EQ(choices.short_of, -1);
    std::map<std::int64_t, std::map<std::int64_t, int>> number;
    for (std::size_t i = 0; i < edges.centre.size(); ++i) ++number[edges.centre[i]][edges.other[i]];
    EXPECT_EQ(edges.centre.size(), 49u * 80u);
    EXPECT_EQ(number.count(7), 0u);
    for (const auto& [centre, others] : number) {
      EXPECT_GE(others.begin()->first, 10);
      EXPECT_TRUE(repeats || others.size() == 80u);
    }
  }
  degree[20] = degree[30] = 81;
  EXPECT_EQ(choose({line.sides(), line.nearby(), none_of_the_first}, line.centres, degree, false, {key, key}, false, 3).short_of, 20);
}

TEST(Choose, NoNodeWithItself) {
  Line line(40, 40);
  for (std::int64_t i = 0; i < 40; ++i) line.gid.push_back(100 + i);
  const std::vector<std::int64_t> degree(40, 39);
  const Choices choices = choose({line.sides(), line.nearby(), half}, line.centres, degree, false, {key, key}, true, 1);
  const Columns edges(choices.edges);
  EXPECT_EQ(choices.short_of, -1);
  for (std::size_t i = 0; i < edges.centre.size(); ++i) EXPECT_NE(edges.centre[i], edges.other[i]);
}

TEST(Formula, IsItsProgramForEveryEdge) {
  auto places = std::make_shared<Places>();
  places->dims = 2, places->period = {10.0, 10.0};
  for (int i = 0; i < 40; ++i)
    for (std::size_t k : {0u, 1u}) places->source[k].push_back(0.37 * i * (k + 1.0)), places->target[k].push_back(9.0 - 0.21 * i);
  const ProgramFormula formula(
      Program({input(Input::move, 0), input(Input::source, 1), input(Input::target, 0), apply(Op::add, 0, 1), apply(Op::multiply, 3, 2)}),
      places);
  std::vector<std::int64_t> source, target;
  for (std::int64_t i = 0; i < 40; ++i)
    for (std::int64_t j = 0; j < 40; ++j) source.push_back(j), target.push_back(i);
  std::vector<double> found(source.size()), again(source.size());
  evaluate(formula, {source, target, {}}, 1, found.data());
  evaluate(formula, {source, target, {}}, 3, again.data());
  EXPECT_EQ(found, again);
  for (std::size_t e = 0; e < source.size(); ++e) {
    const auto s = static_cast<std::size_t>(source[e]), t = static_cast<std::size_t>(target[e]);
    const double move = places->target[0][t] - places->source[0][s];
    EXPECT_EQ(found[e], (move - 10.0 * std::floor(move / 10.0 + 0.5) + places->source[1][s]) * places->target[0][t]);
  }
  EXPECT_EQ(formula.n_sources(), 40);
  EXPECT_NE(formula.fingerprint(), ProgramFormula(half, places).fingerprint());
  source[7] = 40;
  EXPECT_THROW(evaluate(formula, {source, target, {}}, 1, found.data()), BadParameter);
}

TEST(Formula, DrawsWhatNodesWouldFromTheKeysOfEdges) {
  const rng::ValueSpec normal{.kind = rng::Kind::normal, .a = 2.0, .b = 0.5}, uniform{.kind = rng::Kind::uniform, .a = -1.0, .b = 3.0};
  const auto drawn = [](std::int32_t k) { return Instruction{Op::input, input_count + k, 0, 0, 0.0}; };
  const Program program({drawn(0), drawn(1), apply(Op::multiply, 0, 1), apply(Op::floor, 2)}, 2);
  const auto formula = [&](std::uint64_t seed, std::uint64_t stream) {
    std::vector<Draw> draws;
    draws.emplace_back(normal, seed, 8), draws.emplace_back(uniform, seed, stream);
    return ProgramFormula(program, nullptr, std::move(draws));
  };
  std::vector<std::int64_t> source, target;
  std::vector<std::uint64_t> key;
  std::vector<Gid> gids;
  for (std::int64_t t = 0; t < 30; ++t)
    for (std::uint64_t k = 0; k < 100; ++k) {
      source.push_back(7), target.push_back(t), key.push_back(rng::edge_key(t, k));
      gids.push_back(static_cast<Gid>(key.back()));
    }
  std::vector<double> found(key.size()), again(key.size()), a(key.size()), b(key.size());
  evaluate(formula(3, 9), {source, target, key}, 1, found.data());
  evaluate(formula(3, 9), {source, target, key}, 3, again.data());
  EXPECT_EQ(found, again);
  rng::draw_node_values(normal, 3, 8, gids, a.data());
  rng::draw_node_values(uniform, 3, 9, gids, b.data());
  for (std::size_t e = 0; e < key.size(); ++e) EXPECT_EQ(found[e], std::floor(a[e] * b[e]));
  EXPECT_TRUE(formula(3, 9).draws());
  EXPECT_EQ(formula(3, 9).n_targets(), -1);
  EXPECT_EQ(formula(3, 9).fingerprint(), formula(3, 9).fingerprint());
  EXPECT_NE(formula(3, 9).fingerprint(), formula(4, 9).fingerprint());
  EXPECT_NE(formula(3, 9).fingerprint(), formula(3, 10).fingerprint());
  EXPECT_THROW(Program({drawn(0)}), BadParameter);
  EXPECT_THROW(Draw({.kind = rng::Kind::normal, .b = -1.0}, 1, 1), BadParameter);
}

TEST(EdgeList, ExplicitTakesItInPlaceOfArrays) {
  std::vector<std::int64_t> sources, targets;
  auto edges = std::make_shared<EdgeList>();
  for (std::int64_t t : {2, 5, 6, 19})
    for (std::int64_t k = 0; k < 300; ++k) {
      targets.push_back(t), sources.push_back(k * t % 50);
      edges->add(t, k * t % 50);
    }
  const RuleParams arrays = listing(sources, targets), list{{"list", edges}};
  EXPECT_EQ(all_edges("explicit", context(nodes(1, 50), nodes(101, 20), list)),
            all_edges("explicit", context(nodes(1, 50), nodes(101, 20), arrays)));
  EXPECT_EQ(edges->of(3), (std::pair<std::uint64_t, std::uint64_t>{0, 0}));
  EXPECT_THROW(make("explicit", context(nodes(1, 40), nodes(101, 20), list)), BadParameter);
  EXPECT_THROW(make("explicit", context(nodes(1, 50), nodes(101, 19), list)), BadParameter);
}

}  // namespace
}  // namespace npl::connect::space::test_space
