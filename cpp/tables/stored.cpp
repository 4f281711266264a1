// SPDX-License-Identifier: Apache-2.0
#include "tables/stored.hpp"

#include <algorithm>

namespace npl::tables {
namespace {

std::string path_of(const char* column, Per per) { return std::string(per == Per::synapse ? "synapses/" : "rows/") + column; }

/// The sources of all rows, kept while they are read piece by piece.
struct RowSources {
  const EdgeTable& table;
  std::vector<Gid> all = {};

  void fill(std::uint64_t begin, std::uint64_t n, Gid* out) {
    if (all.empty()) {
      all.resize(table.n_rows());
      table.sources.for_each([&](std::uint32_t row, Gid gid) { all[row] = gid; });
    }
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(begin), n, out);
    if (begin + n == all.size()) all = {};
  }
};

}  // namespace

void save(const EdgeTable& t, checkpoint::Columns& to) {
  auto sources = std::make_shared<RowSources>(RowSources{t});
  to.make<Gid>("rows/source", t.n_rows(), [sources](std::uint64_t begin, std::uint64_t n, Gid* out) { sources->fill(begin, n, out); });
  to.make<std::uint32_t>("rows/length", t.n_rows(), [&t](std::uint64_t begin, std::uint64_t n, std::uint32_t* out) {
    for (std::uint64_t k = 0; k < n; ++k) out[k] = t.rows[begin + k].end - t.rows[begin + k].begin;
  });
  if (t.layout == Layout::runs) {
    to.make<std::uint32_t>("rows/runs", t.n_rows(), [&t](std::uint64_t begin, std::uint64_t n, std::uint32_t* out) {
      for (std::uint64_t k = 0; k < n; ++k) out[k] = t.run_begin[begin + k + 1] - t.run_begin[begin + k];
    });
    to.make<Delay>("runs/delay", t.runs.size(), [&t](std::uint64_t begin, std::uint64_t n, Delay* out) {
      for (std::uint64_t k = 0; k < n; ++k) out[k] = t.runs[begin + k].delay;
    });
    to.make<std::uint16_t>("runs/length", t.runs.size(), [&t](std::uint64_t begin, std::uint64_t n, std::uint16_t* out) {
      for (std::uint64_t k = 0; k < n; ++k) out[k] = t.runs[begin + k].length;
    });
  }
  visit_columns(static_cast<const Columns&>(t), [&](const auto& column, const auto& values) {
    using T = typename std::remove_cvref_t<decltype(column)>::Value;
    if (!values.empty()) to.refer(path_of(column.name, column.per), std::span<const T>(values));
  });
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
  const Buffer<Gid> sources = take<Gid>("rows/source", extent.rows);
  made.sources.assign(sources.begin(), sources.end());
  const auto sums = [](const Buffer<std::uint32_t>& lengths, std::uint64_t total, const char* what) {
    std::vector<std::uint32_t> begin(lengths.size() + 1);
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < lengths.size(); ++k) begin[k] = static_cast<std::uint32_t>(at), at += lengths[k];
    if (at != total || std::find(lengths.begin(), lengths.end(), 0u) != lengths.end())
      throw BadCheckpoint(std::string("lengths of ") + what + " do not fit");
    begin.back() = static_cast<std::uint32_t>(at);
    return begin;
  };
  t.rows = RowOffsets::choose(sums(take<std::uint32_t>("rows/length", extent.rows), extent.synapses, "rows"), false);
  if (t.layout == Layout::runs) {
    const auto begin = sums(take<std::uint32_t>("rows/runs", extent.rows), extent.runs, "runs");
    t.run_begin = Buffer<std::uint32_t>(begin.size());
    std::copy(begin.begin(), begin.end(), t.run_begin.begin());
    const Buffer<Delay> delay = take<Delay>("runs/delay", extent.runs);
    const Buffer<std::uint16_t> length = take<std::uint16_t>("runs/length", extent.runs);
    t.runs = Buffer<Run>(extent.runs);
    for (std::size_t r = 0; r < t.runs.size(); ++r) t.runs[r] = {delay[r], length[r]};
  }
  visit_columns(static_cast<Columns&>(t), [&](const auto& column, auto& values) {
    using T = typename std::remove_cvref_t<decltype(column)>::Value;
    const std::uint64_t n = (column.per == Per::synapse ? extent.synapses : extent.rows) * column.width(spec, t.layout);
    if (n) values = take<T>(path_of(column.name, column.per), n);
  });
  return made;
}

void StoredTables::skip(const StoredTable& extent, const TableSpec& spec) {
  for (const char* path : {"rows/source", "rows/length"}) at_[path] += extent.rows;
  if (extent.layout == Layout::runs) {
    at_["rows/runs"] += extent.rows;
    for (const char* path : {"runs/delay", "runs/length"}) at_[path] += extent.runs;
  }
  for_declared<Columns>([&](const auto& column) {
    at_[path_of(column.name, column.per)] +=
        (column.per == Per::synapse ? extent.synapses : extent.rows) * column.width(spec, extent.layout);
  });
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
