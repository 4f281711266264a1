// SPDX-License-Identifier: Apache-2.0
// Synapses leave a table in use: what stays arrives as before, and what was on its way to the others is owed; against a list of arrivals.
#include <gtest/gtest.h>

#include <random>

#include "tables.hpp"

namespace npl::deliver {
namespace {

using Arrival = std::pair<Step, std::uint16_t>;
using Arrivals = std::multimap<Arrival, double>;

/// Synapses with different weights, so that each can be told in what arrives.
std::vector<Synapse> synapses_of(Layout layout) {
  std::mt19937 random(11);
  std::vector<Synapse> list;
  for (int i = 0; i < 300; ++i)
    list.push_back({1 + static_cast<Gid>(random() % 12), static_cast<std::uint16_t>(i), static_cast<Delay>(layout == Layout::single ? 7 : 1 + random() % 15), 1.0 + i});
  return list;
}

/// Everything that an agenda delivers in steps [from, until).
void take(Agenda& agenda, EdgeTable& table, Step from, Step until, Arrivals& found) {
  for (Step step = from; step < until; ++step) {
    std::vector<Fixed> sums(300);
    agenda.deliver(table, step, sums.data(), 1.0, nullptr, nullptr);
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (sums[k]) found.insert({{step, static_cast<std::uint16_t>(k)}, static_cast<double>(sums[k])});
  }
}

class Erasing : public testing::TestWithParam<Layout> {};

TEST_P(Erasing, OthersGoOn) {
  const TableSpec spec = spec_of(Weights::f64);
  const auto list = synapses_of(GetParam());
  EdgeTable before = table_of(spec, list, GetParam());
  Agenda agenda(before, longest_delay(list));
  Arrivals found, expected;
  constexpr Step now = 12, end = 60;
  const auto spike = [&](EdgeTable& t, Step step, Gid source) {
    if (const std::uint32_t row = t.sources.row(source); row != SourceIndex::none) agenda.schedule(t, row, step);
  };
  for (Step step = 0; step < now; ++step) {
    take(agenda, before, step, step + 1, found);
    spike(before, step, 1 + step);
  }
  std::vector<char> out(before.n_synapses());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = before.sources.row(4) == before.row_of(static_cast<std::uint32_t>(i)) || i % 3 == 0;
  for (const Owed& o : agenda.owed(before, out, now)) {
    EXPECT_GE(o.due, now);
    found.insert({{o.due, before.target[o.synapse]}, before.weight(o.synapse)});
  }
  Remainder left = without(before, out);
  EXPECT_EQ(left.table->sources.row(4), SourceIndex::none);
  agenda.move(before, left, now);
  for (Step step = now; step < end; ++step) {
    take(agenda, *left.table, step, step + 1, found);
    if (step < 24) spike(*left.table, step, 1 + step - now);
  }
  std::vector<char> gone_for_good(300);
  for (std::size_t i = 0; i < out.size(); ++i) gone_for_good[before.target[i]] = out[i];
  for (const Synapse& s : list)
    for (const Step sent : {Step{s.source - 1}, Step{s.source - 1 + now}})
      if (sent < now || !gone_for_good[s.target]) expected.insert({{sent + s.delay, s.target}, s.weight});
  EXPECT_EQ(found, expected);
}

TEST_P(Erasing, NothingIsLeft) {
  const TableSpec spec = spec_of(Weights::f64);
  const EdgeTable table = table_of(spec, synapses_of(GetParam()), GetParam());
  const Remainder left = without(table, std::vector<char>(table.n_synapses(), 1));
  EXPECT_EQ(left.table->n_synapses(), 0u);
  EXPECT_EQ(left.table->n_rows(), 0u);
  EXPECT_EQ(left.table->sources.row(1), SourceIndex::none);
}

INSTANTIATE_TEST_SUITE_P(Layouts, Erasing, testing::Values(Layout::runs, Layout::words, Layout::single));

}  // namespace
}  // namespace npl::deliver
