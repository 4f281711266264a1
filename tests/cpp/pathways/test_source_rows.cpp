// SPDX-License-Identifier: Apache-2.0
// One look-up for all pathways of a slice delivers what each pathway would have found by itself, also after pathways were replaced.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "driven.hpp"
#include "pathways/source_rows.hpp"

namespace npl::pathways::test_source_rows {
namespace {

using namespace tables;

constexpr std::size_t targets = 60;
constexpr Gid sources = 500;
constexpr double to_fixed = 0x1p20;

std::vector<Synapse> random_synapses(std::mt19937& random, Gid stride) {
  std::vector<Synapse> list;
  for (int i = 0; i < 200; ++i)
    list.push_back({1 + static_cast<Gid>(random() % (sources / stride)) * stride, static_cast<std::uint16_t>(random() % targets),
                    static_cast<Delay>(1 + random() % 9), 0.25 * (1 + static_cast<double>(random() % 64))});
  return list;
}

/// More rows than 16 bits can name: one for each of 66 000 sources.
std::shared_ptr<Pathway> long_pathway() {
  std::vector<Synapse> list;
  for (Gid gid = 1; gid <= 66'000; ++gid) list.push_back({gid, static_cast<std::uint16_t>(gid % targets), 2, 0.5});
  static const TableSpec spec = spec_of(Weights::f64);  // tables refer to it
  return pathway_of(table_of(spec, list, Layout::runs));
}

std::shared_ptr<Pathway> pathway(std::mt19937& random, std::size_t k) {
  static const TableSpec fixed = spec_of(Weights::f64), depressing = spec_with(Weights::f64, "tsodyks2_synapse");
  return pathway_of(table_of(k % 2 ? depressing : fixed, random_synapses(random, static_cast<Gid>(1 + 7 * (k % 3))), Layout::runs));
}

Pathways some(unsigned seed, std::size_t n) {
  std::mt19937 random(seed);
  Pathways all;
  for (std::size_t k = 0; k < n; ++k) all.push_back(pathway(random, k));
  return all;
}

/// @param lowest of the sources that spike
void expect_alike(SourceRows& rows, const Pathways& together, const Pathways& apart, Step from, std::mt19937& random, Gid lowest = 0) {
  for (Step step = from; step < from + 40; ++step) {
    for (std::size_t k = 0; k < together.size(); ++k)
      ASSERT_EQ(due(*together[k], step, targets, to_fixed), due(*apart[k], step, targets, to_fixed)) << k << " in " << step;
    Emitted emitted;
    for (std::size_t i = 0, n = random() % 40; i < n; ++i)
      emitted.spikes.push_back({lowest + static_cast<Gid>(random() % (sources + 50)), step});
    rows.schedule(together, emitted);
    for (const auto& p : apart) p->schedule(emitted);
  }
}

TEST(SourceRows, DeliverWhatEachPathwayWouldFind) {
  SourceRows rows;
  std::mt19937 random(5);
  Pathways together = some(1, 11), apart = some(1, 11);
  expect_alike(rows, together, apart, 0, random);
  std::mt19937 a(9), b(9);
  together[4] = pathway(a, 5), apart[4] = pathway(b, 5);  // in the place of one that is gone, perhaps at the same address
  expect_alike(rows, together, apart, 40, random);
  together.erase(together.begin() + 2), apart.erase(apart.begin() + 2);
  expect_alike(rows, together, apart, 80, random);
}

TEST(SourceRows, DeliverRowsBeyond65536) {
  SourceRows rows;
  std::mt19937 random(6);
  Pathways together = some(2, 9), apart = some(2, 9);
  together.push_back(long_pathway()), apart.push_back(long_pathway());
  expect_alike(rows, together, apart, 0, random);
  expect_alike(rows, together, apart, 40, random, 65'500);
}

TEST(SourceRows, BytesAreAsExpected) {
  for (const bool wide : {false, true}) {
    Pathways all = some(3, 20);
    if (wide) all.push_back(long_pathway());
    SourceRows rows;
    rows.prepare(all);
    std::set<Gid> gids;
    double n = 0;
    for (const auto& p : all) p->table().sources.for_each([&](std::uint32_t, Gid gid) { gids.insert(gid), ++n; });
    const auto span = static_cast<double>(*gids.rbegin() - *gids.begin() + 1);
    EXPECT_EQ(static_cast<double>(rows.bytes()),
              SourceRows::expected_bytes(static_cast<double>(gids.size()), span, n, wide ? 66'000 : 200));
  }
}

TEST(SourceRows, CountSpikesThatWereHandedOver) {
  const Pathways all = some(4, 20);
  SourceRows rows;
  EXPECT_EQ(rows.buffer_bytes(), 0u);
  rows.prepare(all);
  const std::size_t before = rows.buffer_bytes(), index = rows.bytes();
  Emitted emitted;
  std::size_t found = 0;
  for (Gid gid = 1; gid <= sources; ++gid) emitted.spikes.push_back({gid, 0}), emitted.offsets.push_back(0.05);
  for (const auto& p : all) p->table().sources.for_each([&](std::uint32_t, Gid) { ++found; });
  rows.schedule(all, emitted);
  EXPECT_GE(rows.buffer_bytes(), before + found * (sizeof(RowSpike) + sizeof(double)));
  EXPECT_EQ(rows.bytes(), index);
}

}  // namespace
}  // namespace npl::pathways::test_source_rows
