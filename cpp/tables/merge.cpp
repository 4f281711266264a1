// SPDX-License-Identifier: Apache-2.0
#include "tables/merge.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>

#include "tables/delay_column.hpp"
#include "tables/listed.hpp"
#include "tables/merge_columns.hpp"

namespace npl::tables {
namespace {

/// Reference to a row of one of the two tables.
struct RowRef {
  std::uint64_t key;  ///< of its source
  Gid source;
  std::uint32_t row;
  std::uint8_t side;
};

/// Computes the order of rows and synapses of the merged table.
class Plan {
 public:
  Plan(const Side& old, const Side& fresh, bool by_rank, const SourceOrder& order)
      : sides_{&old, &fresh}, by_rank_(by_rank), order_(order) {
    std::vector<RowRef> rows[2], all;
    for (std::uint8_t s = 0; s < 2; ++s) list_rows(s, rows[s]);
    std::merge(rows[0].begin(), rows[0].end(), rows[1].begin(), rows[1].end(), std::back_inserter(all), by_key);
    for (auto first = all.begin(); first != all.end();) {
      const auto last = std::find_if(first, all.end(), [&](const RowRef& r) { return r.key != first->key; });
      add_source({first, last});
      first = last;
    }
    begin_.push_back(synapses_);
  }

  const std::vector<Stretch>& stretches() const { return stretches_; }
  const std::vector<RowRef>& rows() const { return rows_; }                     ///< old rows that supply the columns per row
  const std::vector<Stretch>& row_stretches() const { return row_stretches_; }  ///< the same
  const std::vector<std::uint32_t>& begin() const { return begin_; }            ///< [rows + 1] first synapse
  std::uint32_t synapses() const { return synapses_; }
  Places places(std::uint8_t side) const {
    std::vector<Places::Stretch> all;
    std::uint32_t to = 0;
    for (const Stretch& s : stretches_) {
      if (s.side == side) all.push_back({s.begin, to, s.length});
      to += s.length;
    }
    return Places(std::move(all));
  }

 private:
  const EdgeTable& table(std::uint8_t side) const { return *sides_[side]->table; }
  static bool by_key(const RowRef& a, const RowRef& b) { return a.key < b.key; }

  void list_rows(std::uint8_t side, std::vector<RowRef>& rows) {
    if (!sides_[side]->table) return;
    sides_[side]->table->sources.for_each([&](std::uint32_t row, Gid gid) {
      rows.push_back({by_rank_ ? order_.key(gid) : static_cast<std::uint64_t>(gid), gid, row, side});
    });
    if (!std::is_sorted(rows.begin(), rows.end(), by_key)) std::stable_sort(rows.begin(), rows.end(), by_key);
  }

  /// Adds all rows of one source; joins those with equal state, but does not move a synapse to before others of the same two nodes.
  void add_source(std::span<const RowRef> rows) {
    std::vector<char> done(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (done[i] || empty(rows[i])) continue;
      parts_.assign(1, rows[i]), passed_.clear(), passed_targets_.clear(), n_listed_ = 0;
      for (std::size_t k = i + 1; k < rows.size(); ++k) {
        if (done[k] || empty(rows[k])) continue;
        const bool joined = joins(rows[i], rows[k]) && !has_passed_target(rows[k]);
        done[k] = joined, (joined ? parts_ : passed_).push_back(rows[k]);
      }
      rows_.push_back(rows[i]);
      append(row_stretches_, rows[i].side, rows[i].row, 1);
      begin_.push_back(synapses_);
      parts_.size() == 1 ? add_alone(rows[i]) : add_joined();
    }
  }

  bool empty(const RowRef& r) const {
    const std::vector<char>& out = sides_[r.side]->out;
    if (out.empty()) return false;
    const auto [begin, end] = table(r.side).rows[r.row];
    return std::all_of(out.begin() + begin, out.begin() + end, [](char c) { return c != 0; });
  }
  bool flies(const RowRef& r) const { return !sides_[r.side]->in_flight.empty() && sides_[r.side]->in_flight[r.row]; }
  bool joins(const RowRef& a, const RowRef& b) const {
    if (flies(a) || flies(b)) return false;
    return same_history({&table(a.side), a.row}, {&table(b.side), b.row});
  }
  template <class F>
  void for_targets(const RowRef& r, F&& f) const {
    const std::vector<char>& out = sides_[r.side]->out;
    const auto [begin, end] = table(r.side).rows[r.row];
    for (std::uint32_t i = begin; i < end; ++i)
      if (out.empty() || !out[i]) f(table(r.side).target[i]);
  }
  /// Whether rows between this one and the one that it is to join have a synapse onto one of its targets.
  bool has_passed_target(const RowRef& r) {
    for (; n_listed_ < passed_.size(); ++n_listed_)
      for_targets(passed_[n_listed_], [&](std::uint16_t target) { passed_targets_.insert(target); });
    bool found = false;
    if (!passed_.empty()) for_targets(r, [&](std::uint16_t target) { found |= passed_targets_.contains(target); });
    return found;
  }

  void add(std::uint8_t side, std::uint32_t begin, std::uint32_t length) {
    synapses_ += length;
    append(stretches_, side, begin, length);
  }
  static void append(std::vector<Stretch>& to, std::uint8_t side, std::uint32_t begin, std::uint32_t length) {
    if (!to.empty() && to.back().side == side && to.back().begin + to.back().length == begin)
      to.back().length += length;
    else
      to.push_back({side, begin, length});
  }
  void add_alone(const RowRef& r) {
    const auto [begin, end] = table(r.side).rows[r.row];
    const std::vector<char>& out = sides_[r.side]->out;
    if (out.empty()) return add(r.side, begin, end - begin);
    for (std::uint32_t i = begin; i < end; ++i)
      if (!out[i]) add(r.side, i, 1);
  }
  /// Adds the synapses of several rows, sorted by delay, then in the order of the rows.
  void add_joined() {
    struct Item {
      Delay delay;
      std::uint8_t side;
      std::uint32_t synapse;
    };
    std::vector<Item> items;
    for (const RowRef& r : parts_)
      table(r.side).for_row(r.row, [&](std::uint32_t i, Delay d) {
        if (sides_[r.side]->out.empty() || !sides_[r.side]->out[i]) items.push_back({d, r.side, i});
      });
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.delay < b.delay; });
    for (const Item& item : items) add(item.side, item.synapse, 1);
  }

  const Side* sides_[2];
  bool by_rank_;
  const SourceOrder& order_;
  std::vector<RowRef> rows_, parts_, passed_;
  std::unordered_set<std::uint16_t> passed_targets_;  ///< of the first n_listed_ of passed_
  std::size_t n_listed_ = 0;
  std::vector<Stretch> stretches_, row_stretches_;
  std::vector<std::uint32_t> begin_;
  std::uint32_t synapses_ = 0;
};

/// Delays [synapses] of a table [steps].
std::vector<Delay> delays_of(const EdgeTable& t) {
  std::vector<Delay> all(t.n_synapses(), t.one_delay);
  if (t.layout == Layout::words) std::copy(t.delay.begin(), t.delay.end(), all.begin());
  if (t.layout != Layout::runs) return all;
  std::size_t i = 0;
  for (const Run& r : t.runs) std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(i), r.length, r.delay), i += r.length;
  return all;
}

void set_delays(EdgeTable& t, const Plan& plan, const Side& old, const Side& fresh, std::optional<Layout> layout) {
  const std::array<std::vector<Delay>, 2> delays{old.table ? delays_of(*old.table) : std::vector<Delay>{},
                                                 fresh.table ? delays_of(*fresh.table) : std::vector<Delay>{}};
  Delay lowest = 0xffff, highest = 1;
  const auto for_delays = [&](auto&& f) {
    std::size_t to = 0;
    for (const Stretch& s : plan.stretches())
      for (std::uint32_t i = s.begin; i < s.begin + s.length; ++i) f(to++, delays[s.side][i]);
  };
  for_delays([&](std::size_t, Delay d) { lowest = std::min(lowest, d), highest = std::max(highest, d); });
  DelayColumn column(std::min(lowest, highest), highest);
  column.allocate(t.n_synapses());
  for_delays([&](std::size_t to, Delay d) { column.put(to, d); });
  std::move(column).encode(t, layout);
}

/// Copies every declared column in the order of the plan, except delays, which are encoded again.
void copy_columns(EdgeTable& t, const Plan& plan, const std::array<const Columns*, 2>& from) {
  Columns& columns = t;
  merge_columns(columns, from, *t.spec, Per::synapse, plan.stretches());
  merge_columns(columns, from, *t.spec, Per::row, plan.row_stretches());
}

/// Sets sources and offsets of the rows.
void set_rows(EdgeTable& t, const Plan& plan, bool by_rank, const SourceOrder& order) {
  std::vector<Gid> gids;
  for (const RowRef& r : plan.rows()) gids.push_back(r.source);
  if (by_rank) {
    SourceList::Writer keys;
    for (const RowRef& r : plan.rows()) keys.add(r.key);
    t.sources = {std::move(keys).finish(), order};
  } else {
    t.sources = SourceIndex(std::span<const Gid>(gids));
  }
  t.rows = RowOffsets::choose(plan.begin(), t.sources.sparse());
}

}  // namespace

Places::Places(std::vector<Stretch> stretches) : stretches_(std::move(stretches)) {
  const auto by_from = [](const Stretch& a, const Stretch& b) { return a.from < b.from; };
  if (!std::is_sorted(stretches_.begin(), stretches_.end(), by_from)) std::sort(stretches_.begin(), stretches_.end(), by_from);
}

std::uint32_t Places::operator()(std::uint32_t synapse) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), synapse, [](std::uint32_t i, const Stretch& s) { return i < s.from; });
  if (after == stretches_.begin()) return gone;
  const Stretch& s = *(after - 1);
  return synapse - s.from < s.length ? s.to + (synapse - s.from) : gone;
}

Merged merge(const Side& old, const Side& fresh, const SourceOrder& order, std::optional<Layout> layout) {
  const auto rank_sorted = [](const Side& s) { return s.table && s.table->sources.by_rank(); };
  const bool by_rank = order.by_rank() && (rank_sorted(old) || rank_sorted(fresh));
  const Plan plan(old, fresh, by_rank, order);
  auto table = std::make_unique<EdgeTable>();
  table->spec = (old.table ? old.table : fresh.table)->spec;
  set_rows(*table, plan, by_rank, order);
  copy_columns(*table, plan, {old.table, fresh.table});
  set_delays(*table, plan, old, fresh, layout);
  return {std::move(table), plan.places(0), plan.places(1)};
}

}  // namespace npl::tables
