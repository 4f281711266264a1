// SPDX-License-Identifier: Apache-2.0
#include "tables/stored.hpp"

#include <algorithm>
#include <mutex>

namespace npl::tables {
namespace {

/// The sources of all rows, kept while they are read piece by piece.
struct RowSources {
  explicit RowSources(const EdgeTable& of) : table(of) {}
  const EdgeTable& table;
  std::mutex mutex;
  std::vector<Gid> all;

  void fill(std::uint64_t begin, std::uint64_t n, Gid* out) {
    const std::scoped_lock alone(mutex);
    if (all.empty()) {
      all.resize(table.n_rows());
      table.sources.for_each([&](std::uint32_t row, Gid gid) { all[row] = gid; });
    }
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(begin), n, out);
    if (begin + n == all.size()) all = {};
  }
};

/// A column that follows from others of the table.
template <class T>
struct Derived {
  const char* path;
  bool of_runs;  ///< only in tables with runs
  std::uint64_t StoredTable::* n;
  T (*value)(const EdgeTable& table, std::size_t k);
};

constexpr Derived<Gid> row_source{"rows/source", false, &StoredTable::rows, nullptr};  // RowSources
constexpr Derived<std::uint32_t> row_length{"rows/length", false, &StoredTable::rows,
                                            [](const EdgeTable& t, std::size_t k) { return t.rows[k].end - t.rows[k].begin; }};
constexpr Derived<std::uint32_t> row_runs{"rows/runs", true, &StoredTable::rows,
                                          [](const EdgeTable& t, std::size_t k) { return t.run_begin[k + 1] - t.run_begin[k]; }};
constexpr Derived<Delay> run_delay{"runs/delay", true, &StoredTable::runs,
                                   [](const EdgeTable& t, std::size_t k) { return t.runs[k].delay; }};
constexpr Derived<std::uint16_t> run_length{"runs/length", true, &StoredTable::runs,
                                            [](const EdgeTable& t, std::size_t k) { return t.runs[k].length; }};

template <class T>
std::string path_of(const Derived<T>& column) {
  return column.path;
}
template <class T>
std::string path_of(const Column<Columns, T>& column) {
  return std::string(column.per == Per::synapse ? "synapses/" : "rows/") + column.name;
}

/// Calls f(column, number of values) for all columns of a stored table.
template <class F>
void for_stored(const StoredTable& extent, const TableSpec& spec, F&& f) {
  const auto derived = [&](const auto&... column) {
    ((!column.of_runs || extent.layout == Layout::runs ? f(column, extent.*column.n) : void()), ...);
  };
  derived(row_source, row_length, row_runs, run_delay, run_length);
  for_declared<Columns>([&](const auto& column) {
    f(column, (column.per == Per::synapse ? extent.synapses : extent.rows) * column.width(spec, extent.layout));
  });
}

template <class T>
void save_column(const EdgeTable& t, const Derived<T>& column, std::uint64_t size, checkpoint::Columns& to) {
  to.make<T>(column.path, size, [&t, value = column.value](std::uint64_t begin, std::uint64_t n, T* out) {
    for (std::uint64_t k = 0; k < n; ++k) out[k] = value(t, begin + k);
  });
}
void save_column(const EdgeTable& t, const Derived<Gid>& column, std::uint64_t size, checkpoint::Columns& to) {
  auto sources = std::make_shared<RowSources>(t);
  to.make<Gid>(column.path, size, [sources](std::uint64_t begin, std::uint64_t n, Gid* out) { sources->fill(begin, n, out); });
}
template <class T>
void save_column(const EdgeTable& t, const Column<Columns, T>& column, std::uint64_t, checkpoint::Columns& to) {
  const Buffer<T>& values = t.*column.values;
  if (!values.empty()) to.refer(path_of(column), std::span<const T>(values));
}

/// Where items of these lengths begin, and the last one ends.
std::vector<std::uint32_t> sums(const Buffer<std::uint32_t>& lengths, std::uint64_t total, const char* what) {
  std::vector<std::uint32_t> begin(lengths.size() + 1);
  std::uint64_t at = 0;
  for (std::size_t k = 0; k < lengths.size(); ++k) begin[k] = static_cast<std::uint32_t>(at), at += lengths[k];
  if (at != total || std::find(lengths.begin(), lengths.end(), 0u) != lengths.end())
    throw BadCheckpoint(std::string("lengths of ") + what + " do not fit");
  begin.back() = static_cast<std::uint32_t>(at);
  return begin;
}

}  // namespace

void save(const EdgeTable& t, checkpoint::Columns& to) {
  for_stored(StoredTable::of(t), *t.spec, [&](const auto& column, std::uint64_t n) { save_column(t, column, n, to); });
}

template <class T>
Buffer<T> StoredTables::take(const std::string& path, std::uint64_t n) {
  std::uint64_t& at = at_[path];
  if (n > shard_.size<T>(path) - std::min(at, shard_.size<T>(path))) throw BadCheckpoint("column " + path + " ends too early");
  Buffer<T> values(n);
  shard_.read(path, at, std::span<T>(values.data(), values.size()));
  at += n;
  return values;
}

StoredTables::Loaded StoredTables::next(const StoredTable& extent, const TableSpec& spec) {
  constexpr std::uint64_t most = 0xfffffff0u;
  if (extent.rows > most || extent.synapses > most || extent.runs > most) throw BadCheckpoint("a table has an impossible size");
  Loaded made{std::make_unique<EdgeTable>(), {}};
  EdgeTable& t = *made.table;
  t.spec = &spec, t.layout = extent.layout, t.one_delay = extent.one_delay;
  const auto values = [&]<class T>(const Derived<T>& column) { return take<T>(column.path, extent.*column.n); };
  const Buffer<Gid> sources = values(row_source);
  made.sources.assign(sources.begin(), sources.end());
  t.rows = RowOffsets::choose(sums(values(row_length), extent.synapses, "rows"), false);
  if (t.layout == Layout::runs) {
    const auto begin = sums(values(row_runs), extent.runs, "runs");
    t.run_begin = Buffer<std::uint32_t>(begin.size());
    std::copy(begin.begin(), begin.end(), t.run_begin.begin());
    const Buffer<Delay> delay = values(run_delay);
    const Buffer<std::uint16_t> length = values(run_length);
    t.runs = Buffer<Run>(extent.runs);
    for (std::size_t r = 0; r < t.runs.size(); ++r) t.runs[r] = {delay[r], length[r]};
  }
  for_stored(extent, spec, [&]<class C>(const C& column, std::uint64_t n) {
    if constexpr (requires { t.*column.values; })
      if (n) t.*column.values = take<typename C::Value>(path_of(column), n);
  });
  return made;
}

void StoredTables::skip(const StoredTable& extent, const TableSpec& spec) {
  for_stored(extent, spec, [&](const auto& column, std::uint64_t n) { at_[path_of(column)] += n; });
}

bool index_sources(EdgeTable& t, const std::vector<Gid>& sources, const SourceOrder& order) {
  const auto by_key = [&](Gid a, Gid b) { return order.key(a) < order.key(b); };
  if (order.by_rank() && std::all_of(sources.begin(), sources.end(), [&](Gid g) { return order.has(g); }) &&
      std::is_sorted(sources.begin(), sources.end(), by_key)) {
    SourceList::Writer keys;
    for (const Gid g : sources) keys.add(order.key(g));
    t.sources = SourceIndex(std::move(keys).finish(), order);
    return true;
  }
  if (!std::is_sorted(sources.begin(), sources.end())) return false;
  t.sources = SourceIndex(std::span<const Gid>(sources));
  return true;
}

}  // namespace npl::tables
