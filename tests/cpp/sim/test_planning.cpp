// SPDX-License-Identifier: Apache-2.0
/// The memory model beside small networks, and beyond all of them.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/planning.hpp"
#include "small.hpp"

namespace npl::sim::test_planning {
namespace {

/// n neurons per rank with k inputs each.
Outline random_network(double n, double k) {
  Outline o;
  o.nodes.push_back({n, &nodes::find_model("iaf_psc_exp")});
  tables::TableSpec spec;
  spec.weights = tables::Weights::f32;
  o.tables.push_back(spec);
  const connect::Spread spread{.kind = connect::Spread::Kind::repeated_per_target, .sources = n, .targets = n, .edges = n * k};
  o.edges.push_back({{{1, static_cast<std::int64_t>(n), 1}}, spread, 0, -1, 0.0, 15, 15, {1.0}});
  o.min_delay = o.max_delay = 15;
  return o;
}

Machine machine(double ranks, int threads = 8) {
  Machine m;
  m.ranks = ranks, m.threads = threads, m.strategy = "neighbor";
  return m;
}

double sum(const Forecast& f) {
  double total = 0;
  for (const auto& [term, bytes] : f.bytes)
    if (term != "total" && term != "peak" && term != "construction") total += bytes;
  return total;
}

TEST(Planning, TermsAddUpAndNothingOverflows) {
  for (const double n : {1.0, 1000.0, 2147483647.0, 2147483648.0, 4294967296.0, 1e11, 1099511627775.0})
    for (const double k : {1.0, 1e4})
      for (const double ranks : {1.0, 2.0, 82944.0, 1e6, 2147483647.0}) {
        Machine m = machine(ranks);
        m.rate = 10, m.time = 1000;
        const Forecast f = forecast(random_network(n, k), m);
        for (const auto* values : {&f.bytes, &f.counts, &f.work})
          for (const auto& [name, value] : *values) EXPECT_TRUE(std::isfinite(value) && value >= 0) << name << " " << n << " " << ranks;
        EXPECT_NEAR(sum(f), f.bytes.at("total"), 1e-9 * f.bytes.at("total"));
        EXPECT_GE(f.bytes.at("peak"), f.bytes.at("total"));
        EXPECT_NEAR(f.counts.at("synapses") * ranks, n * k, 1e-6 * n * k);
        EXPECT_LE(f.counts.at("rows"), f.counts.at("synapses") * (1 + 1e-9));
      }
}

TEST(Planning, EverySynapseHasARowOfItsOwnInTheSparseRegime) {
  const Forecast f = forecast(random_network(1e11, 1e4), machine(1e6));
  EXPECT_NEAR(f.counts.at("rows"), 1e9, 1e7);
  EXPECT_EQ(f.counts.at("dense"), 0.0);
  const Forecast dense = forecast(random_network(1e5, 1e4), machine(4));
  EXPECT_NEAR(dense.counts.at("rows"), 8e5, 1.0);
  EXPECT_NEAR(dense.counts.at("routes"), 0.75e5, 1.0);
}

TEST(Planning, MoreSlicesWhereTargetsNeedMoreThan16Bits) {
  EXPECT_EQ(forecast(random_network(65536 * 8.0, 10), machine(1)).counts.at("slices"), 8);
  EXPECT_EQ(forecast(random_network(65536 * 8.0 + 8, 10), machine(1)).counts.at("slices"), 16);
}

TEST(Planning, LimitsAreTold) {
  EXPECT_TRUE(forecast(random_network(1e6, 1e4), machine(8)).limits.empty());
  const auto limits = forecast(random_network(65536, 1e5), machine(1, 1)).limits;  // 6.5e9 synapses in a slice
  ASSERT_EQ(limits.size(), 1u);
  EXPECT_NE(limits[0].find("2^32"), std::string::npos);
}

TEST(Planning, ScalingIsDescribingALargerNetwork) {
  Machine m = machine(64);
  const Forecast large = forecast(random_network(1e6, 100), m);
  m.scale = 4;
  const Forecast scaled = forecast(random_network(2.5e5, 100), m);
  for (const auto& [term, bytes] : large.bytes) EXPECT_NEAR(scaled.bytes.at(term), bytes, 1e-6 * bytes + 64) << term;
}

/// Of every strategy at least what it holds by the formulas of docs/concepts/exchange.md; what does not depend on ranks does not grow.
TEST(Planning, BuffersOfAllStrategies) {
  for (const auto* info : exchange::strategies()) {
    Machine few = machine(1e5), many = machine(1e7);
    few.strategy = many.strategy = info->name;
    few.rate = many.rate = 10;
    const double small = forecast(random_network(1e8, 10), few).bytes.at("buffers"),
                 large = forecast(random_network(1e10, 10), many).bytes.at("buffers");
    EXPECT_GT(small, 0) << info->name;
    const bool all = info->name == "allgather" || info->name == "alltoall" || info->name == "auto";
    if (all) {
      EXPECT_GT(large, 16 * 1e6) << info->name;
    }
    if (info->name == "nbx" || info->name == "multisend_aggregated" || info->name == "multisend") {
      EXPECT_LT(large, 1.1 * small) << info->name;
    }
  }
}

TEST(Planning, UnknownNamesAreRefused) {
  for (const double ranks : {1.0, 8.0}) {
    Machine strategy = machine(ranks), regime = machine(ranks);
    strategy.strategy = "neighbour", regime.regime = "spars";
    EXPECT_THROW(forecast(random_network(100, 10), strategy), UnknownName);
    EXPECT_THROW(forecast(random_network(100, 10), regime), UnknownName);
  }
  Settings settings{0.1, 7, 1, 0};
  settings.exchange.regime = "dens";
  EXPECT_THROW(Network{settings}, UnknownName);
}

TEST(Planning, ANetworkThatCountsHoldsNothingAndGivesTheSamePlan) {
  Settings settings{0.1, 7, 3, 0};
  const Small real(settings);
  settings.counting = 1;
  const Small counted(settings);
  const Forecast a = real.net.plan(), b = counted.net.plan();
  EXPECT_EQ(a.counts, b.counts);
  for (const auto& [term, bytes] : b.bytes) EXPECT_NEAR(a.bytes.at(term), bytes, 1e-9 * bytes + 1e-9) << term;
  EXPECT_EQ(counted.net.n_nodes(), real.net.n_nodes());
  EXPECT_EQ(counted.net.memory().at("neurons"), 0u);
  EXPECT_EQ(counted.net.threads(), 3);
}

TEST(Planning, ANetworkThatCountsIsNotBuilt) {
  Settings settings{0.1, 7, 1, 0};
  settings.counting = 1000;
  Small s(settings);
  EXPECT_EQ(s.net.ranks(), 1000);
  EXPECT_THROW(s.net.build(nullptr), IllegalConnection);
  EXPECT_THROW(s.net.run(10, nullptr), IllegalConnection);
}

}  // namespace
}  // namespace npl::sim::test_planning
