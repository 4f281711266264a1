// SPDX-License-Identifier: Apache-2.0
// Sums of what arrives along continuous connections, against loops over the connections; the same bits in any tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "../tables/made_tables.hpp"
#include "continuous/plan.hpp"

namespace npl::continuous::test_plan {
namespace {

using tables::Layout, tables::Synapse;

constexpr std::size_t n_sources = 13, n_targets = 9;
constexpr Gid first_gid = 4;

std::vector<Synapse> random_list(unsigned seed, std::size_t n) {
  std::mt19937 random(seed);
  std::vector<Synapse> list;
  for (std::size_t k = 0; k < n; ++k)
    list.push_back({static_cast<Gid>(first_gid + random() % n_sources), static_cast<std::uint16_t>(random() % n_targets),
                    static_cast<Delay>(1 + random() % 5), std::ldexp(static_cast<double>(random() % 2001) - 1000.0, -9)});
  return list;
}

tables::TableSpec rates_of(tables::Weights weights) { return tables::spec_of(weights, "rate_connection_delayed"); }

std::uint32_t column_of(Gid gid) { return static_cast<std::uint32_t>(gid - first_gid); }

/// Two groups: neurons 0 .. 3 and 4 .. 8 of a slice.
const std::vector<Stretch> stretches{{0, 4}, {4, 5}};

std::vector<Plan> plans_of(const std::vector<const tables::EdgeTable*>& of) { return make_plans(of, stretches, column_of); }

nodes::Group rate_neurons(std::size_t n) {
  return {nodes::find_model("lin_rate_ipn"), Members(1, 1, static_cast<std::int64_t>(n)), 0, 0.1};
}

Course random_course(Step steps) {
  std::mt19937 random(3);
  Course course(steps, n_sources);
  for (Step s = 0; s < course.steps(); ++s)
    for (std::size_t k = 0; k < n_sources; ++k) course.row(s)[k] = std::ldexp(static_cast<double>(random() % 4001) - 2000.0, -7);
  return course;
}

/// [slots][targets] what arrives in a step, in any order of summation.
std::vector<std::vector<double>> expected(const std::vector<Synapse>& list, const Course& course, Step step, std::size_t first,
                                          std::size_t n) {
  std::vector<std::vector<double>> sums(2, std::vector<double>(n));
  for (const Synapse& s : list)
    if (s.target >= first && s.target < first + n)
      sums[s.weight < 0.0][s.target - first] += s.weight * course.row(step - s.delay)[column_of(s.source)];
  return sums;
}

std::vector<std::vector<double>> found(std::vector<Plan>& plans, const Course& course, Step step) {
  std::vector<std::vector<double>> all;
  for (std::size_t g = 0; g < plans.size(); ++g) {
    const nodes::Group group = rate_neurons(stretches[g].n);
    std::vector<std::vector<double>> sums(2, std::vector<double>(stretches[g].n));
    double* out[] = {sums[0].data(), sums[1].data()};
    plans[g].add(step, course, n_sources, group, nullptr, out);
    all.insert(all.end(), sums.begin(), sums.end());
  }
  return all;
}

TEST(Plan, SumsByBruteForce) {
  const auto list = random_list(1, 300);
  const auto spec = rates_of(tables::Weights::f64);
  const auto table = tables::table_of(spec, list, Layout::words);
  auto plans = plans_of({&table});
  const Course course = random_course(8);
  for (Step step = 5; step < 20; ++step) {
    const auto sums = found(plans, course, step);
    for (std::size_t g = 0; g < 2; ++g) {
      const auto right = expected(list, course, step, stretches[g].first, stretches[g].n);
      for (std::size_t slot = 0; slot < 2; ++slot)
        for (std::size_t i = 0; i < stretches[g].n; ++i) EXPECT_NEAR(sums[2 * g + slot][i], right[slot][i], 1e-10);
    }
  }
}

TEST(Plan, TheSameBitsInAnyTables) {
  const auto list = random_list(2, 400);
  const auto spec = rates_of(tables::Weights::f64), narrow = rates_of(tables::Weights::f32);
  const Course course = random_course(8);
  const auto whole = tables::table_of(spec, list, Layout::words);
  auto plans = plans_of({&whole});
  const auto right = found(plans, course, 9);
  for (const Layout layout : {Layout::words, Layout::runs}) {
    std::vector<Synapse> parts[3];
    for (std::size_t k = 0; k < list.size(); ++k) parts[(k * k) % 3].push_back(list[list.size() - 1 - k]);
    const auto a = tables::table_of(spec, parts[0], layout), b = tables::table_of(narrow, parts[1], layout),
               c = tables::table_of(spec, parts[2], layout);
    auto others = plans_of({&c, &a, &b});
    EXPECT_EQ(found(others, course, 9), right);
  }
}

TEST(Plan, OneWeightForAllTakesNoColumn) {
  std::vector<Synapse> list = random_list(3, 2000);
  for (Synapse& s : list) s.weight = 2.5, s.delay = 1;
  const auto uniform = rates_of(tables::Weights::uniform), each = rates_of(tables::Weights::f64);
  const auto a = tables::table_of(uniform, list, Layout::words), b = tables::table_of(each, list, Layout::words);
  auto p = plans_of({&a}), q = plans_of({&b});
  const Course course = random_course(4);
  EXPECT_EQ(found(p, course, 7), found(q, course, 7));
  EXPECT_EQ(p[0].bytes(), q[0].bytes());
  const std::size_t g = list[5].target < stretches[1].first ? 0 : 1;
  const auto n = static_cast<std::size_t>(std::ranges::count_if(
      list, [&](const Synapse& s) { return s.target >= stretches[g].first && s.target < stretches[g].first + stretches[g].n; }));
  list[5].weight = 2.0;
  const auto c = tables::table_of(each, list, Layout::words);
  EXPECT_EQ(plans_of({&c})[g].bytes() - p[g].bytes(), n * sizeof(float) - sizeof(double));
  list[5].weight = 0.1;  // no float
  const auto d = tables::table_of(each, list, Layout::words);
  EXPECT_EQ(plans_of({&d})[g].bytes() - p[g].bytes(), n * sizeof(double) - sizeof(double));
}

TEST(Plan, TheSameSumsInAnyWidthOfColumnsAndWeights) {
  const auto list = random_list(6, 500);  // whole multiples of 2^-9, which are floats
  const auto spec = rates_of(tables::Weights::f64);
  const auto table = tables::table_of(spec, list, Layout::words);
  auto narrow = plans_of({&table});
  const Course course = random_course(8);
  constexpr std::uint32_t far = 70000;  // columns of more than 16 bits
  auto wide = make_plans(std::vector{&table}, stretches, [](Gid gid) { return far + column_of(gid); });
  Course same(8, far + n_sources);
  for (Step s = 0; s < course.steps(); ++s) std::copy_n(course.row(s), n_sources, same.row(s) + far);
  for (std::size_t g = 0; g < 2; ++g) {
    const nodes::Group group = rate_neurons(stretches[g].n);
    std::vector<double> a(2 * stretches[g].n), b(2 * stretches[g].n);
    double *in_a[] = {a.data(), a.data() + stretches[g].n}, *in_b[] = {b.data(), b.data() + stretches[g].n};
    narrow[g].add(7, course, n_sources, group, nullptr, in_a), wide[g].add(7, same, far + n_sources, group, nullptr, in_b);
    EXPECT_EQ(a, b);
    EXPECT_GT(wide[g].bytes(), narrow[g].bytes());
  }
}

TEST(Plan, FactorsGoToReceptorsOfTheirOwn) {
  const auto list = random_list(4, 100);
  const auto spec = tables::spec_of(tables::Weights::f64, "diffusion_connection", {-2.0, 0.5});
  auto single = list;
  for (Synapse& s : single) s.delay = 1;
  const auto table = tables::table_of(spec, single, Layout::words);
  auto plans = plans_of({&table});
  const Course course = random_course(2);
  std::vector<std::vector<double>> slots(4, std::vector<double>(4));
  double* out[] = {slots[0].data(), slots[1].data(), slots[2].data(), slots[3].data()};
  plans[0].add(6, course, n_sources, rate_neurons(4), nullptr, out);
  const auto right = expected(single, course, 6, 0, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(slots[0][i], -2.0 * right[1][i], 1e-10);
    EXPECT_NEAR(slots[1][i], -2.0 * right[0][i], 1e-10);
    EXPECT_NEAR(slots[2][i], 0.5 * right[0][i], 1e-10);
    EXPECT_NEAR(slots[3][i], 0.5 * right[1][i], 1e-10);
  }
}

TEST(Plan, GivenValuesWhateverTheDelays) {
  const auto list = random_list(5, 200);
  const auto spec = rates_of(tables::Weights::f64);
  const auto table = tables::table_of(spec, list, Layout::runs);
  auto plans = plans_of({&table});
  const std::vector<double> ones(n_sources, 1.0);
  std::vector<double> sums(4), right(4);
  plans[0].add_all(ones.data(), sums.data());
  for (const Synapse& s : list)
    if (s.target < 4) right[s.target] += s.weight;
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(sums[i], right[i], 1e-11);
}

TEST(Plan, NoConnections) {
  const auto plans = plans_of({});
  EXPECT_TRUE(plans[0].empty() && plans[1].empty());
}

TEST(Course, KeepsRowsOfAsManySteps) {
  Course course(5, 2);
  EXPECT_GE(course.steps(), 5);
  for (Step s = 100; s < 105; ++s) course.row(s)[0] = static_cast<double>(s), course.row(s)[1] = -static_cast<double>(s);
  for (Step s = 100; s < 105; ++s) EXPECT_TRUE(course.row(s)[0] == s && course.row(s)[1] == -s);
  EXPECT_EQ(course.row(-1), course.row(-1 + course.steps()));
  EXPECT_EQ(course.bytes(), static_cast<std::size_t>(course.steps()) * 2 * sizeof(double));
}

}  // namespace
}  // namespace npl::continuous::test_plan
