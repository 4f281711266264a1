// SPDX-License-Identifier: Apache-2.0
// merge() and table_of(list) on random tables, against plain lists of synapses: nothing is lost or made up, rows join where and only
// where they may, order is kept.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "made_tables.hpp"
#include "tables/listed.hpp"
#include "tables/merge.hpp"

namespace npl::tables::test_merge {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : bits_(seed) {}
  std::size_t below(std::size_t n) { return bits_() % n; }
  bool chance(double p) { return static_cast<double>(bits_()) < p * 4294967296.0; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(all.size())];
  }

 private:
  std::mt19937 bits_;
};

/// All that is known of one synapse; targets are unique within a merge, so they name it.
struct Known {
  Gid source;
  std::uint16_t target;
  Delay delay;
  double weight;
  std::vector<double> values;
  std::uint16_t nth;
  std::int32_t last;
  std::vector<double> row_values;
  bool operator==(const Known&) const = default;
};

/// By position; the source of each row is read from the index, and from the column where there is one.
std::vector<Known> read(const EdgeTable& t) {
  const std::size_t own = Columns::values_per_synapse(*t.spec), of_row = Columns::values_per_row(*t.spec);
  std::vector<Known> all;
  std::uint32_t next = 0;
  std::vector<Gid> sources(t.n_rows());
  t.sources.for_each([&](std::uint32_t row, Gid gid) { sources[row] = gid; });
  for (std::uint32_t row = 0; row < t.n_rows(); ++row) {
    EXPECT_TRUE(t.row_source.empty() || t.row_source[row] == sources[row]);
    t.for_row(row, [&](std::uint32_t i, Delay delay) {
      EXPECT_EQ(i, next++);
      EXPECT_EQ(t.row_of(i), row);
      EXPECT_EQ(t.delay_of(row, i), delay);
      Known k{sources[row], t.target[i], delay, t.weight(i), {}, 0, 0, {}};
      if (own) k.values.assign(&t.synapse_values[i * own], &t.synapse_values[i * own] + own);
      if (!t.nth.empty()) k.nth = t.nth[i];
      if (t.spec->plasticity)
        k.last = t.pre_last[row], k.row_values.assign(&t.pre_values[row * of_row], &t.pre_values[row * of_row] + of_row);
      all.push_back(std::move(k));
    });
  }
  EXPECT_EQ(next, t.n_synapses());
  return all;
}

/// A model with these weights per synapse; the row values that its rule keeps are any numbers here.
TableSpec random_spec(Random& random) {
  const char* model = random.one_of({"static_synapse", "stdp_synapse", "stdp_triplet_synapse", "quantal_stp_synapse", "bernoulli_synapse"});
  std::vector<double> parameters;
  for (const Field& f : synapses::find_synapse(model).parameters) parameters.push_back(f.init);
  const bool codes = std::string_view(model) == "static_synapse" && random.chance(0.25);
  const Weights weights = codes ? Weights::coded : random.one_of({Weights::uniform, Weights::f32, Weights::f64});
  TableSpec spec = spec_of(weights, model, parameters);
  if (random.chance(0.3)) spec.recorder = 0;
  return spec;
}

struct Sources {
  std::vector<Gid> gids;
  SourceOrder order = {};  ///< of the rows of the merged table
};

Sources random_sources(Random& random) {
  Sources s;
  const bool sparse = random.chance(0.5), by_rank = random.chance(0.5);
  if (by_rank) s.order = {static_cast<Gid>(2 + random.below(4)), 40};
  const Gid step = by_rank ? 1 + static_cast<Gid>(random.below(5)) : sparse ? 400000000007 : 1 + static_cast<Gid>(random.below(2));
  for (std::size_t k = 0; k < 1 + random.below(15); ++k) s.gids.push_back(1 + static_cast<Gid>(k) * step);
  return s;
}

struct RowState {
  std::int32_t last = 0;
  std::vector<double> values = {};
};

struct MadeSynapse {
  Gid source;
  std::uint32_t state;  ///< of its row
  Delay delay;
  std::uint16_t target;
  double weight;
  std::vector<double> values;  ///< of its own
};

/// By table_of: states and values come from a table that holds nothing else.
Listed table_of(const TableSpec& spec, const std::vector<MadeSynapse>& list, const std::vector<RowState>& states,
                std::optional<Layout> layout = {}) {
  EdgeTable past;
  past.spec = &spec;
  Columns& columns = past;
  allocate_columns(columns, spec, Layout::single, Per::row, states.size());
  allocate_columns(columns, spec, Layout::single, Per::synapse, list.size());
  std::vector<ListedSynapse> listed;
  std::vector<Origin> rows;
  for (std::uint32_t r = 0; r < states.size(); ++r) {
    rows.push_back({&past, r});
    if (!past.pre_last.empty()) past.pre_last[r] = states[r].last;
    std::copy_n(states[r].values.begin(), Columns::values_per_row(spec), past.pre_values.begin() + r * Columns::values_per_row(spec));
  }
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    const MadeSynapse& m = list[i];
    listed.push_back({m.source, m.state, m.delay, m.target, m.weight, {&past, i}});
    std::copy_n(m.values.begin(), std::min<std::size_t>(m.values.size(), Columns::values_per_synapse(spec)),
                past.synapse_values.begin() + i * Columns::values_per_synapse(spec));
  }
  return tables::table_of(spec, std::span<const ListedSynapse>(listed), std::span<const Origin>(rows), layout);
}

/// States of rows: few, so that many are equal.
std::vector<RowState> random_states(Random& random, const TableSpec& spec) {
  std::vector<RowState> states(1 + random.below(4));
  for (RowState& s : states) {
    s.last = static_cast<std::int32_t>(random.below(2));
    for (unsigned k = 0; k < Columns::values_per_row(spec); ++k) s.values.push_back(random.one_of({0.0, 0.5, -0.0}));
  }
  return states;
}

std::vector<MadeSynapse> random_list(Random& random, const TableSpec& spec, const Sources& sources, std::size_t states) {
  std::vector<MadeSynapse> list(1 + random.below(60));
  const std::size_t delays = random.one_of<std::size_t>({1, 3, 300});
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto state = static_cast<std::uint32_t>(random.below(states));
    list[i] = {sources.gids[random.below(sources.gids.size())],
               state,
               static_cast<Delay>(1 + random.below(delays)),
               static_cast<std::uint16_t>(i),
               static_cast<double>(random.below(9)),
               {}};
    for (unsigned k = 0; k < Columns::values_per_synapse(spec); ++k) list[i].values.push_back(static_cast<double>(random.below(5)));
  }
  return list;
}

/// A table with several rows per source. @param by_rank its rows are in the order of ranks, as those of tables whose edges were sorted
std::unique_ptr<EdgeTable> random_table(Random& random, const TableSpec& spec, const Sources& sources, const std::vector<RowState>& states,
                                        std::uint16_t first_target) {
  std::vector<MadeSynapse> list = random_list(random, spec, sources, states.size());
  const bool by_rank = sources.order.by_rank() && random.chance(0.6);
  for (MadeSynapse& s : list) {
    s.target = static_cast<std::uint16_t>(s.target + first_target);
    if (by_rank) s.source = static_cast<Gid>(sources.order.key(s.source));
  }
  auto table = table_of(spec, list, states, random.one_of<std::optional<Layout>>({{}, Layout::runs, Layout::words, Layout::single})).table;
  for (std::uint16_t& nth : table->nth) nth = static_cast<std::uint16_t>(random.below(100));
  if (!by_rank) return table;
  std::vector<std::uint64_t> keys(table->n_rows());
  table->sources.for_each([&](std::uint32_t row, Gid key) { keys[row] = static_cast<std::uint64_t>(key); });
  SourceList::Writer writer;
  for (const std::uint64_t key : keys) writer.add(key);
  table->sources = {std::move(writer).finish(), sources.order};
  for (Gid& source : table->row_source) source = sources.order.gid(static_cast<std::uint64_t>(source));
  return table;
}

struct Sided {
  std::unique_ptr<EdgeTable> table;
  Side side;
  std::vector<Known> synapses;  ///< [positions]

  bool stays(std::size_t i) const { return side.out.empty() || !side.out[i]; }
  bool flies(std::uint32_t row) const { return !side.in_flight.empty() && side.in_flight[row]; }
};

Sided random_side(Random& random, const TableSpec& spec, const Sources& sources, const std::vector<RowState>& states,
                  std::uint16_t first_target) {
  Sided s{random_table(random, spec, sources, states, first_target), {}, {}};
  s.side.table = s.table.get();
  s.synapses = read(*s.table);
  const double out = random.one_of({0.0, 0.2, 0.8, 1.0}), flying = random.one_of({0.0, 0.3});
  if (out > 0.0)
    for (std::size_t i = 0; i < s.table->n_synapses(); ++i) s.side.out.push_back(random.chance(out));
  if (flying > 0.0)
    for (std::size_t r = 0; r < s.table->n_rows(); ++r) s.side.in_flight.push_back(random.chance(flying));
  return s;
}

/// Where a synapse of the merged table came from.
struct Whence {
  int side;
  std::uint32_t synapse, row;
  bool flies;
};

/// Where the synapses of both sides went; checks that Places and the merged table tell the same.
std::vector<Whence> origins(const Merged& m, const Sided* const (&sides)[2], const std::vector<Known>& found) {
  std::vector<Whence> from(found.size(), {-1, 0, 0, false});
  for (int s = 0; s < 2; ++s) {
    if (!sides[s]) continue;
    const Places& places = s ? m.new_places : m.old_places;
    for (std::uint32_t i = 0; i < sides[s]->synapses.size(); ++i) {
      EXPECT_EQ(places(i) != Places::gone, sides[s]->stays(i));
      if (places(i) == Places::gone) continue;
      EXPECT_EQ(found.at(places(i)), sides[s]->synapses[i]);
      EXPECT_EQ(from[places(i)].side, -1) << "two synapses in one place";
      const std::uint32_t row = sides[s]->table->row_of(i);
      from[places(i)] = {s, i, row, sides[s]->flies(row)};
    }
    EXPECT_EQ(places(static_cast<std::uint32_t>(sides[s]->synapses.size())), Places::gone);
  }
  for (const Whence& o : from) EXPECT_GE(o.side, 0) << "a synapse from nowhere";
  return from;
}

/// Delays ascend in a row; among equal ones old synapses come first, in their order.
void expect_row_order(const EdgeTable& t, const std::vector<Known>& found, const std::vector<Whence>& from) {
  for (std::uint32_t i = 1; i < found.size(); ++i) {
    if (t.row_of(i) != t.row_of(i - 1)) continue;
    EXPECT_TRUE(std::tie(found[i - 1].delay, from[i - 1].side, from[i - 1].row, from[i - 1].synapse) <
                std::tie(found[i].delay, from[i].side, from[i].row, from[i].synapse));
  }
}

/// Rows in flight stay alone; all others of one source with equal state are one. Rows ascend by source; old ones come first.
void expect_rows(const EdgeTable& t, const std::vector<Known>& found, const std::vector<Whence>& from, const SourceOrder& order) {
  std::set<std::tuple<Gid, std::int32_t, std::vector<double>>> resting;
  std::vector<std::tuple<std::uint64_t, int, std::uint32_t>> keys;
  for (std::uint32_t row = 0; row < t.n_rows(); ++row) {
    const auto [begin, end] = t.rows[row];
    ASSERT_LT(begin, end) << "an empty row";
    std::set<std::pair<int, std::uint32_t>> parts;
    bool flies = false;
    for (std::uint32_t i = begin; i < end; ++i) {
      parts.emplace(from[i].side, from[i].row), flies |= from[i].flies;
      EXPECT_EQ(found[i].source, found[begin].source);
    }
    EXPECT_TRUE(!flies || parts.size() == 1) << "a row in flight was joined";
    const Known& first = found[begin];
    std::vector<double> bits;  // -0.0 and 0.0 are two states
    for (const double v : first.row_values) bits.push_back(v == 0.0 ? std::copysign(1.0, v) : 2.0 + v);
    EXPECT_TRUE(flies || resting.emplace(first.source, first.last, bits).second) << "two rows that could be one";
    keys.emplace_back(t.sources.by_rank() ? order.key(first.source) : static_cast<std::uint64_t>(first.source), parts.begin()->first,
                      parts.begin()->second);
  }
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

/// for_rows finds all rows of each source, and none of others.
void expect_sources_found(const EdgeTable& t, const std::vector<Known>& found, const Sources& sources) {
  for (const Gid gid : sources.gids) {
    std::set<std::uint32_t> rows, expected;
    t.sources.for_rows(gid, [&](std::uint32_t row) { rows.insert(row); });
    for (std::uint32_t i = 0; i < found.size(); ++i)
      if (found[i].source == gid) expected.insert(t.row_of(i));
    EXPECT_EQ(rows, expected);
  }
}

class Merge : public testing::TestWithParam<unsigned> {};

TEST_P(Merge, IsWhatAListWouldBe) {
  for (unsigned k = 0; k < 100; ++k) {
    SCOPED_TRACE(k);
    Random random(1000 * GetParam() + k);
    const TableSpec spec = random_spec(random);
    const Sources sources = random_sources(random);
    const auto states = random_states(random, spec);
    const Sided old = random_side(random, spec, sources, states, 0), fresh = random_side(random, spec, sources, states, 1000);
    const bool no_old = random.chance(0.1), no_fresh = !no_old && random.chance(0.1);
    const auto layout = random.one_of<std::optional<Layout>>({{}, Layout::runs, Layout::words, Layout::single});
    const Merged m = merge(no_old ? Side{} : old.side, no_fresh ? Side{} : fresh.side, sources.order, layout);
    const EdgeTable& t = *m.table;
    EXPECT_EQ(t.spec, &spec);
    EXPECT_TRUE(!layout || layout == Layout::single || t.layout == *layout);
    const bool ranked = (!no_old && old.table->sources.by_rank()) || (!no_fresh && fresh.table->sources.by_rank());
    EXPECT_TRUE(t.n_rows() == 0 || t.sources.by_rank() == ranked);
    const std::vector<Known> found = read(t);
    const auto from = origins(m, {no_old ? nullptr : &old, no_fresh ? nullptr : &fresh}, found);
    if (HasFailure()) return;
    expect_row_order(t, found, from);
    expect_rows(t, found, from, sources.order);
    expect_sources_found(t, found, sources);
    ASSERT_FALSE(HasFailure());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Merge, testing::Range(0u, 8u));

/// Nodes may have come since the tables were made: keys by the old bound and by the new one are told apart.
TEST(Merge, TablesByRankWithFewerNodesThanNow) {
  const TableSpec spec = spec_of(Weights::f64);
  const SourceOrder before{3, 4}, now{3, 9};
  const auto ranked = [&](const SourceOrder& order, const std::vector<Gid>& gids, std::uint16_t target) {
    std::vector<MadeSynapse> list;
    for (const Gid gid : gids) list.push_back({static_cast<Gid>(order.key(gid)), 0, 2, target++, 1.0, {}});
    auto table = table_of(spec, list, std::vector<RowState>{{0, std::vector<double>(Columns::values_per_row(spec))}}).table;
    SourceList::Writer keys;
    table->sources.for_each([&](std::uint32_t, Gid key) { keys.add(static_cast<std::uint64_t>(key)); });
    table->sources = {std::move(keys).finish(), order};
    return table;
  };
  const auto old = ranked(before, {1, 4, 10, 2, 5, 12}, 0), fresh = ranked(now, {1, 25, 2, 26, 27}, 100);
  const Merged m = merge({old.get()}, {fresh.get()}, now);
  std::vector<Gid> sources;
  m.table->sources.for_each([&](std::uint32_t, Gid gid) { sources.push_back(gid); });
  EXPECT_EQ(sources, (std::vector<Gid>{1, 4, 10, 25, 2, 5, 26, 12, 27}));
  EXPECT_EQ(m.table->n_synapses(), 11u);
}

/// A row is joined to an equal one before another row, unless both have a synapse onto the same target: this would change places.
TEST(Merge, SynapsesBetweenTwoNodesStayInOrder) {
  const TableSpec spec = spec_of(Weights::f64, "stdp_synapse");
  const std::vector<double> values(Columns::values_per_row(spec));
  const auto table = [&](const std::vector<MadeSynapse>& list, const std::vector<RowState>& rows) {
    return table_of(spec, list, rows).table;
  };
  const auto old = table({{1, 0, 2, 5, 1.0, {}}, {1, 1, 2, 6, 2.0, {}}}, {{3, values}, {4, values}});
  for (const std::uint16_t target : {6, 7}) {
    const auto fresh = table({{1, 0, 2, target, 3.0, {}}}, {{3, values}});
    const Merged m = merge({old.get()}, {fresh.get()}, {});
    EXPECT_EQ(m.table->n_rows(), target == 6 ? 3u : 2u);
    EXPECT_EQ(m.new_places(0), target == 6 ? 2u : 1u);
  }
  const auto fresh = table({{1, 0, 2, 6, 3.0, {}}}, {{3, values}});
  EXPECT_EQ(merge({old.get(), {0, 1}}, {fresh.get()}, {}).table->n_rows(), 1u) << "of a synapse that goes nothing is in the way";
}

/// Rows longer than a run can tell.
TEST(Merge, LongRows) {
  const TableSpec spec = spec_of(Weights::uniform);
  std::vector<Synapse> list(70000, {1, 3, 5, 0.0});
  const EdgeTable old = table_of(spec, list, Layout::runs), fresh = table_of(spec, list, Layout::single);
  for (const Layout layout : {Layout::runs, Layout::words, Layout::single}) {
    const Merged m = merge({&old}, {&fresh}, {}, layout);
    EXPECT_EQ(m.table->n_rows(), 1u);
    EXPECT_EQ(read(*m.table).size(), 140000u);
    EXPECT_EQ(m.old_places(69999), 69999u);
    EXPECT_EQ(m.new_places(0), 70000u);
  }
}

TEST(Listed, TablesAreTheirLists) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const TableSpec spec = random_spec(random);
    Sources sources = random_sources(random);
    const auto states = random_states(random, spec);
    const auto list = random_list(random, spec, sources, states.size());
    const auto layout = random.one_of<std::optional<Layout>>({{}, Layout::runs, Layout::words, Layout::single});
    const Listed made = table_of(spec, list, states, layout);
    const std::vector<Known> found = read(*made.table);
    ASSERT_EQ(found.size(), list.size());
    std::set<std::uint32_t> places;
    std::map<std::uint32_t, std::set<std::pair<Gid, std::uint32_t>>> kinds;  // by row
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::uint32_t at = made.position[i];
      places.insert(at);
      const MadeSynapse& s = list[i];
      Known expected{s.source, s.target,      s.delay, spec.weights == Weights::uniform ? spec.uniform : s.weight,
                     s.values, found[at].nth, 0,       {}};
      if (spec.plasticity) expected.last = states[s.state].last, expected.row_values = states[s.state].values;
      EXPECT_EQ(found.at(at), expected);
      kinds[made.table->row_of(at)].emplace(s.source, s.state);
      for (std::size_t j = 0; j < i; ++j)  // rows by (source, state); by delay; in the order of the list
        EXPECT_EQ(std::tuple(list[j].source, list[j].state, list[j].delay, j) < std::tuple(s.source, s.state, s.delay, i),
                  made.position[j] < at);
    }
    EXPECT_EQ(places.size(), list.size());
    std::set<std::pair<Gid, std::uint32_t>> all;
    for (const auto& [row, kind] : kinds) {
      EXPECT_EQ(kind.size(), 1u);
      EXPECT_TRUE(all.insert(*kind.begin()).second) << "one kind in two rows";
    }
    expect_sources_found(*made.table, found, sources);
    ASSERT_FALSE(HasFailure());
  }
}

/// Equal synapses of one source have different numbers, also where they have heard different spikes and so have different rows.
TEST(Listed, EqualSynapsesAreNumbered) {
  const TableSpec spec = spec_of(Weights::f64, "bernoulli_synapse", {0.5});
  const auto equal = [](std::uint32_t state, std::uint16_t target) { return MadeSynapse{4, state, 3, target, 1.0, {}}; };
  const std::vector<MadeSynapse> list{equal(0, 7), equal(1, 7), equal(0, 7), equal(1, 8), equal(2, 7), {5, 0, 3, 7, 1.0, {}}};
  const Listed made = table_of(spec, list, std::vector<RowState>{{1, {0.0}}, {2, {0.0}}, {3, {0.0}}});
  std::multiset<std::pair<std::uint16_t, std::uint16_t>> numbers;  // target, number
  for (std::size_t i = 0; i < 5; ++i) numbers.emplace(list[i].target, made.table->nth[made.position[i]]);
  EXPECT_EQ(numbers, (std::multiset<std::pair<std::uint16_t, std::uint16_t>>{{7, 0}, {7, 1}, {7, 2}, {7, 3}, {8, 0}}));
  EXPECT_EQ(made.table->nth[made.position[5]], 0);
}

}  // namespace
}  // namespace npl::tables::test_merge
