// SPDX-License-Identifier: Apache-2.0
#include "sim/exchanger.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "comm/collect.hpp"
#include "comm/dry_run.hpp"
#include "exchange/wire.hpp"

namespace npl::sim {
namespace {

/// The regimes differ in what they hold and move: a route has about 3 B, and traffic counts as much as 4 B more.
constexpr double route_bytes = 3 + 4;

/// Bytes of a dense table from numbers of sources to rows, as SourceIndex makes it.
double lookup_bytes(double sources, double rows) { return sources <= 4 * rows ? 4 * sources : 12 * rows; }

template <class F>
void for_tables(const Slices& slices, F&& f) {
  for (std::size_t s = 0; s < slices.size(); ++s)
    for (std::size_t t = 0; t < slices[s]->pathways().size(); ++t) f(s, t, slices[s]->pathways()[t]->table());
}

constexpr std::size_t most_counted = std::size_t{1} << 22;  ///< rows whose sources are counted exactly

/// Calls f(gid) for about 2^-shift of the sources of a table, the same ones in every table: windows of the order by rank, where all tables
/// have it, so that only those are read.
template <class F>
void sample_sources(const tables::SourceIndex& sources, unsigned shift, bool by_rank, F&& f) {
  const auto chosen = [&](std::uint64_t x) { return shift == 0 || x * 0x9E3779B97F4A7C15u >> (64 - shift) == 0; };
  if (!by_rank || shift == 0)
    return sources.for_each([&](std::uint32_t, Gid gid) {
      if (chosen(static_cast<std::uint64_t>(gid))) f(gid);
    });
  const tables::SourceOrder& order = sources.order();
  const auto keys = static_cast<std::uint64_t>(order.stride * order.per_rank), window = std::max(keys >> 20, std::uint64_t{1} << 12);
  for (std::uint64_t w = 0; w <= keys / window; ++w)
    if (chosen(w)) sources.keys().for_range(w * window, (w + 1) * window, [&](std::size_t, std::uint64_t key) { f(order.gid(key)); });
}

/// How many different sources the rows have; of very many rows, from a sample.
double count_sources(const Slices& slices) {
  std::size_t rows = 0;
  bool by_rank = true;
  for_tables(slices, [&](std::size_t, std::size_t, const tables::EdgeTable& table) { rows += table.n_rows(), by_rank = by_rank && table.sources.by_rank(); });
  const unsigned shift = rows <= most_counted ? 0 : 6;
  std::vector<Gid> some;
  for_tables(slices, [&](std::size_t, std::size_t, const tables::EdgeTable& table) {
    sample_sources(table.sources, shift, by_rank, [&](Gid gid) { some.push_back(gid); });
  });
  std::sort(some.begin(), some.end());
  return std::ldexp(static_cast<double>(std::unique(some.begin(), some.end()) - some.begin()), static_cast<int>(shift));
}

}  // namespace

namespace {

/// The number of a source of this rank, among all of them, by the name that other ranks know it by.
class SourceNumbers {
 public:
  /// @param mirror of a dry run: nodes of others are played by nodes of this rank
  SourceNumbers(const Slices& slices, const Owners& owners, const std::vector<std::size_t>& base, comm::Communicator& comm, const Mirror& mirror)
      : slices_(slices), owners_(owners), base_(base), comm_(comm), mirror_(mirror) {
    if (owners.stride == 1) return;
    for (std::size_t s = 0; s < slices.size(); ++s)
      for (Local l = 0; l < slices[s]->nodes().size(); ++l) {
        const std::uint64_t name = owners.name(slices[s]->nodes().gid(l));
        if (name >= by_name_.size()) by_name_.resize(name + 1, unknown);
        by_name_[name] = static_cast<std::uint32_t>(base[s] + l);
      }
  }
  void find(std::span<const std::uint64_t> names, std::uint32_t* numbers) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (comm_.mirrored()) {
        numbers[i] = play(names[i]);
        continue;
      }
      numbers[i] = owners_.stride == 1 ? search(static_cast<Gid>(names[i])) : names[i] < by_name_.size() ? by_name_[names[i]] : unknown;
      if (numbers[i] == unknown) comm_.abort(1, "spikes of node " + std::to_string(names[i]) + " are wanted from a rank that does not own it");
    }
  }

 private:
  static constexpr std::uint32_t unknown = 0xffffffffu;
  std::uint32_t play(std::uint64_t name) const {
    if (owners_.stride == 1) return static_cast<std::uint32_t>(mirror_.source(static_cast<Gid>(name)));
    return by_name_.empty() ? 0 : by_name_[name < by_name_.size() ? name : name % by_name_.size()];  // the same number on every rank: mostly a node of the same population
  }
  std::uint32_t search(Gid gid) const {
    for (std::size_t s = 0; s < slices_.size(); ++s)
      if (const Local l = slices_[s]->nodes().local(gid); l != Residents::none) return static_cast<std::uint32_t>(base_[s] + l);
    return unknown;
  }

  const Slices& slices_;
  const Owners& owners_;
  const std::vector<std::size_t>& base_;
  comm::Communicator& comm_;
  const Mirror& mirror_;
  std::vector<std::uint32_t> by_name_;
};

}  // namespace

exchange::Options Exchanger::options() const {
  return {.word_bytes = word_bytes_, .buffer_bytes = settings_.buffer_bytes, .phases = settings_.phases, .conservation = settings_.conservation};
}

void Exchanger::check() const {
  const auto comm = comm_.mirrored() ? comm::dry_run(2, 0) : comm::single();
  exchange::find_strategy(settings_.strategy).make(*comm, {}, options());
}

void Exchanger::build(const Slices& slices, const Owners& owners, const Making& making, RankRange ignored) {
  if (!active()) return;
  ignored_ = ignored.size() ? ignored : RankRange{comm_.rank(), comm_.rank() + 1};
  strategy_.reset();
  exchanges_ = 0;
  const exchange::StrategyInfo& info = exchange::find_strategy(settings_.strategy);
  directed_ = info.directed;
  source_base_.assign(1, 0);
  for (const auto& s : slices) source_base_.push_back(source_base_.back() + s->nodes().size());
  routing_ = {};
  book_ = {};
  rows_.clear(), order_.clear(), part_.assign(slices.size(), {}), numbered_gids_.clear();
  std::size_t tables = 0;
  for_tables(slices, [&](std::size_t s, std::size_t, const tables::EdgeTable&) { part_[s].push_back(tables++); });
  if (directed_) {
    choose_regime(slices);
    make_routes(slices, owners, making);
  }
  precise_ = making.precise;
  choose_word(slices, making.most_lag, making.highest);
  if (directed_) mirror_ = {};
  strategy_ = info.make(comm_, routing_.partners(), options());
}

/// Agreed on by all ranks from their sums of sources and rows.
void Exchanger::choose_regime(const Slices& slices) {
  const double sources = count_sources(slices);
  double bytes[3] = {sources * route_bytes, 0, sources};  // dense, sparse
  for_tables(slices, [&](std::size_t, std::size_t, const tables::EdgeTable& table) {
    const auto rows = static_cast<double>(table.n_rows());
    bytes[0] += lookup_bytes(sources, rows);
    bytes[1] += rows * route_bytes;
  });
  comm_.allreduce(std::span<double>(bytes), comm::Op::max);  // a sum of doubles may depend on its order
  dense_ = bytes[0] < bytes[1];
  if (settings_.regime != "auto") dense_ = settings_.regime == "dense";
  dense_ = dense_ && bytes[2] < 0x1p31;  // sources are numbered in 32 bits; that many are best kept apart by table anyway
}

/// Dense: one list of all sources; every table gets an index from their numbers in it to its rows.
std::vector<RowsByOwner> Exchanger::list_sources(const Slices& slices, const Owners& owners) {
  std::vector<Gid> gids;
  for_tables(slices, [&](std::size_t, std::size_t, const tables::EdgeTable& table) {
    const auto known = static_cast<std::ptrdiff_t>(gids.size());
    table.sources.for_each([&](std::uint32_t, Gid gid) { gids.push_back(gid); });
    if (table.sources.by_rank()) std::sort(gids.begin() + known, gids.end());
    std::inplace_merge(gids.begin(), gids.begin() + known, gids.end());
    gids.erase(std::unique(gids.begin(), gids.end()), gids.end());
  });
  std::vector<RowsByOwner> parts;
  Buffer<std::uint32_t> order;
  parts.emplace_back(tables::SourceIndex(gids), gids.size(), owners, order);
  const auto by_owner = [&](std::size_t i) { return order.empty() ? i : order[i]; };
  std::vector<Gid> number(gids.size());  // of the source with the i-th lowest gid
  for (std::size_t i = 0; i < gids.size(); ++i) number[by_owner(i)] = static_cast<Gid>(i);
  for_tables(slices, [&](std::size_t, std::size_t, const tables::EdgeTable& table) {
    std::vector<tables::SourceIndex::Pair> pairs;
    std::size_t i = 0;  // the rows of a table come in the order of numbers or of gids
    table.sources.for_each([&](std::uint32_t row, Gid gid) {
      while (gids[table.sources.by_rank() ? by_owner(i) : i] != gid) ++i;
      pairs.emplace_back(row, table.sources.by_rank() ? static_cast<Gid>(i) : number[i]);
    });
    rows_.emplace_back(std::move(pairs));
  });
  return parts;
}

std::vector<RowsByOwner> Exchanger::list_rows(const Slices& slices, const Owners& owners) {
  std::vector<RowsByOwner> parts;
  for_tables(slices, [&](std::size_t, std::size_t, const tables::EdgeTable& table) {
    order_.emplace_back();
    parts.emplace_back(table.sources, table.n_rows(), owners, order_.back());
  });
  return parts;
}

void Exchanger::make_routes(const Slices& slices, const Owners& owners, const Making& making) {
  std::vector<RowsByOwner> parts = dense_ ? list_sources(slices, owners) : list_rows(slices, owners);
  book_ = AddressBook(parts.size());
  arrivals_.assign(parts.size(), {});
  WantedRows list(std::move(parts), owners.me, book_);
  const SourceNumbers numbers(slices, owners, source_base_, comm_, mirror_);
  const std::size_t sources = std::max<std::size_t>(source_base_.back(), comm_.mirrored());  // somebody plays also where nobody is
  routing_ = exchange::Routing(comm_, list, sources, [&](auto names, std::uint32_t* to) { numbers.find(names, to); }, {making.team, making.pool, settings_.round_bytes});
}

/// How a spike is written: id and steps since the start of the interval in the fewest bytes that hold them on every rank.
void Exchanger::choose_word(const Slices& slices, Step most_lag, Gid highest) {
  lag_bits_ = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(std::max<Step>(most_lag - 1, 0))));
  std::int64_t most[2] = {static_cast<std::int64_t>(source_base_.back()), 0};
  most[1] = directed_ ? static_cast<std::int64_t>(book_.most_addresses()) : highest;
  comm_.allreduce(std::span<std::int64_t>(most), comm::Op::max);
  const auto bits = [&](std::int64_t values) { return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(values))) + lag_bits_; };
  word_bytes_ = directed_ && bits(most[1]) <= 16 ? 2 : bits(most[1]) <= 32 ? 4 : 8;
  numbered_ = !directed_ && !precise_ && bits(most[0]) <= 16;
  if (precise_) word_bytes_ = sizeof(double);
  if (numbered_) word_bytes_ = 2;
  spike_bytes_ = precise_ ? 2 * word_bytes_ : word_bytes_;
  if (!numbered_) return;
  number_gids(slices);
}

/// What the numbers of all ranks mean: the price of words of 2 bytes.
void Exchanger::number_gids(const Slices& slices) {
  std::vector<Gid> mine;
  for (const auto& s : slices)
    for (Local l = 0; l < s->nodes().size(); ++l) mine.push_back(s->nodes().gid(l));
  if (comm_.mirrored()) {
    numbered_gids_.assign(static_cast<std::size_t>(comm_.size()), mine);
    for (int r = 0; r < comm_.size(); ++r)
      for (Gid& gid : numbered_gids_[static_cast<std::size_t>(r)]) gid = mirror_.gid_on(r, gid);
    return;
  }
  const auto counts = comm::gather(comm_, std::vector<std::size_t>{mine.size()});
  const auto all = comm::gather(comm_, mine);
  auto at = all.begin();
  for (std::size_t n : counts) numbered_gids_.emplace_back(at, at + static_cast<std::ptrdiff_t>(n)), at += static_cast<std::ptrdiff_t>(n);
}

/// Dry run with a rate: the spikes of neurons are replaced, those of devices stay.
void Exchanger::play(const Slices& slices, int parity, Step until) {
  played_.resize(slices.size());
  for (std::size_t s = 0; s < slices.size(); ++s) {
    const auto& groups = slices[s]->groups();
    played_[s].clear();
    for (const auto& g : groups)
      for (std::int64_t k = 0; k < g->nodes().size(); ++k) settings_.played->draw(g->nodes()[k], from_, until, played_[s].spikes);
    for (const Spike& spike : slices[s]->outbox(parity).spikes)
      if (std::none_of(groups.begin(), groups.end(), [&](const auto& g) { return g->nodes().find(spike.gid) >= 0; })) played_[s].spikes.push_back(spike);
  }
}

void Exchanger::put_word(std::byte* at, std::uint64_t id, Step step) const {
  const std::uint64_t word = id << lag_bits_ | static_cast<std::uint64_t>(step - from_);
  std::memcpy(at, &word, word_bytes_);  // little-endian: the low bytes come first
}

/// The second word of a spike, where a first one was written.
void Exchanger::put_offset(std::byte* at, double offset) const {
  std::memcpy(at + word_bytes_, &offset, sizeof offset);
}

double Exchanger::get_offset(const std::byte* at) const { return exchange::wire::load<double>(at + word_bytes_); }

/// Counts words per destination, then writes them.
void Exchanger::collocate_directed(const Slices& slices) {
  const auto for_routes = [&](auto&& f) {
    for (std::size_t s = 0; s < slices.size(); ++s)
      for (std::size_t i = 0; i < emitted_[s]->spikes.size(); ++i) {
        const Spike& spike = emitted_[s]->spikes[i];
        routing_.for_each(source_base_[s] + slices[s]->nodes().local(spike.gid), [&](std::uint32_t d, std::uint64_t address) { f(d, address, spike.step, emitted_[s], i); });
      }
  };
  out_.begin.assign(routing_.partners().destinations.size() + 2, 0);
  for_routes([&](std::uint32_t d, std::uint64_t, Step, const Emitted*, std::size_t) { out_.begin[d + 2] += spike_bytes_; });
  for (std::size_t d = 1; d < out_.begin.size(); ++d) out_.begin[d] += out_.begin[d - 1];
  out_.data.resize(out_.begin.back());
  const auto write = [&]<bool Precise>() {
    for_routes([&](std::uint32_t d, std::uint64_t address, Step step, const Emitted* from, std::size_t i) {
      std::byte* at = &out_.data[out_.begin[d + 1]];
      put_word(at, address, step);
      if constexpr (Precise) put_offset(at, from->offset(i));
      out_.begin[d + 1] += spike_bytes_;
    });
  };
  precise_ ? write.operator()<true>() : write.operator()<false>();
  out_.begin.pop_back();
}

void Exchanger::collocate_all(const Slices& slices) {
  out_.data.clear();
  const auto write = [&]<bool Precise>() {
    for (std::size_t s = 0; s < slices.size(); ++s)
      for (std::size_t i = 0; i < emitted_[s]->spikes.size(); ++i) {
        const Spike& spike = emitted_[s]->spikes[i];
        const std::uint64_t id = numbered_ ? source_base_[s] + slices[s]->nodes().local(spike.gid) : static_cast<std::uint64_t>(spike.gid);
        out_.data.resize(out_.data.size() + spike_bytes_);
        std::byte* at = &out_.data[out_.data.size() - spike_bytes_];
        put_word(at, id, spike.step);
        if constexpr (Precise) put_offset(at, emitted_[s]->offset(i));
      }
  };
  precise_ ? write.operator()<true>() : write.operator()<false>();
  out_.begin = {0, out_.data.size()};
}

void Exchanger::start(const Slices& slices, int parity, Step from, Step until) {
  from_ = from;
  if (settings_.played) play(slices, parity, until);
  emitted_.clear();
  for (std::size_t s = 0; s < slices.size(); ++s) emitted_.push_back(settings_.played ? &played_[s] : &slices[s]->outbox(parity));
  send(slices);
}

void Exchanger::start(const Slices& slices, const std::vector<Emitted>& spikes, Step from) {
  from_ = from;
  emitted_.clear();
  for (const auto& s : spikes) emitted_.push_back(&s);
  send(slices);
}

void Exchanger::send(const Slices& slices) {
  directed_ ? collocate_directed(slices) : collocate_all(slices);
  strategy_->start(out_);
  under_way_ = true;
  ++exchanges_;
}

void Exchanger::finish() {
  for (auto& part : arrivals_) part.spikes.clear(), part.offsets.clear();
  received_.clear();
  if (!std::exchange(under_way_, false)) return;
  strategy_->finish(in_);
  if (precise_) join_segments();
  directed_ ? take_directed() : take_all();
}

std::pair<std::uint64_t, Step> Exchanger::get_word(const std::byte* at) const {
  std::uint64_t word = 0;
  std::memcpy(&word, at, word_bytes_);
  return {word >> lag_bits_, from_ + static_cast<Step>(word & ((std::uint64_t{1} << lag_bits_) - 1))};
}

/// One segment per sender: a strategy may have cut between the two words of a spike.
void Exchanger::join_segments() {
  std::stable_sort(in_.segments.begin(), in_.segments.end(), [](const auto& a, const auto& b) { return a.source < b.source; });
  exchange::Incoming joined;
  for (const auto& s : in_.segments) {
    if (joined.segments.empty() || joined.segments.back().source != s.source) joined.segments.push_back({s.source, joined.data.size(), joined.data.size()});
    exchange::wire::append(joined.data, {in_.data.data() + s.begin, s.end - s.begin});
    joined.segments.back().end = joined.data.size();
  }
  for (const auto& s : joined.segments)
    if ((s.end - s.begin) % spike_bytes_) exchange::wire::refuse("words of spikes with offsets", (s.end - s.begin) / word_bytes_, (s.end - s.begin) / spike_bytes_ * 2);
  in_ = std::move(joined);
}

/// Senders in ascending order, as the book is read; segments of a sender stay in theirs.
void Exchanger::take_directed() {
  const auto& senders = routing_.partners().sources;
  std::stable_sort(in_.segments.begin(), in_.segments.end(), [](const auto& a, const auto& b) { return a.source < b.source; });
  AddressBook::Reader reader(book_);
  for (const auto& segment : in_.segments) {
    if (segment.source == comm_.rank() || segment.begin == segment.end) continue;
    reader.go_to(static_cast<std::size_t>(std::lower_bound(senders.begin(), senders.end(), segment.source) - senders.begin()));
    const auto read = [&]<bool Precise>() {
      for (std::size_t at = segment.begin; at < segment.end; at += spike_bytes_) {
        const auto [address, step] = get_word(&in_.data[at]);
        AddressBook::Row to;
        if (!reader.find(address, to)) exchange::wire::refuse("address", address, book_.most_addresses());
        arrivals_[to.part].spikes.push_back({to.row, static_cast<std::int32_t>(step)});
        if constexpr (Precise) arrivals_[to.part].offsets.push_back(get_offset(&in_.data[at]));
      }
    };
    precise_ ? read.operator()<true>() : read.operator()<false>();
  }
}

void Exchanger::take_all() {
  for (const auto& segment : in_.segments) {
    if (ignored_.has(segment.source)) continue;
    const auto read = [&]<bool Precise>() {
      for (std::size_t at = segment.begin; at < segment.end; at += spike_bytes_) {
        const auto [id, step] = get_word(&in_.data[at]);
        received_.spikes.push_back({gid_of(segment.source, id), step});
        if constexpr (Precise) received_.offsets.push_back(get_offset(&in_.data[at]));
      }
    };
    precise_ ? read.operator()<true>() : read.operator()<false>();
  }
}

/// Who spiked, by the word of a rank.
Gid Exchanger::gid_of(int source, std::uint64_t id) const {
  if (numbered_) return numbered_gids_[static_cast<std::size_t>(source)].at(id);
  return comm_.mirrored() ? mirror_.gid_on(source, static_cast<Gid>(id)) : static_cast<Gid>(id);
}

void Exchanger::schedule(Slice& slice) const {
  if (!directed_) return slice.schedule(received_);
  Arrivals rows;  // of one table
  for (std::size_t t = 0; t < slice.pathways().size(); ++t) {
    pathways::Pathway& pathway = *slice.pathways()[t];
    const std::size_t part = part_[slice.id()][t];
    const Arrivals& arrivals = arrivals_[dense_ ? 0 : part];
    if (!dense_ && order_[part].empty()) {
      pathway.schedule(arrivals.spikes, arrivals.offsets);
      continue;
    }
    rows.spikes.clear(), rows.offsets.clear();
    for (std::size_t i = 0; i < arrivals.spikes.size(); ++i) for_rows(pathway.table(), part, arrivals.spikes[i], [&](const pathways::RowSpike& spike) {
      rows.spikes.push_back(spike);
      if (!arrivals.offsets.empty()) rows.offsets.push_back(arrivals.offsets[i]);
    });
    pathway.schedule(rows.spikes, rows.offsets);
  }
}

/// The rows of a table that an arrived spike is for.
template <class F>
void Exchanger::for_rows(const tables::EdgeTable& table, std::size_t part, const pathways::RowSpike& spike, F&& f) const {
  if (!dense_) return f(pathways::RowSpike{order_[part][spike.row], spike.step});
  std::uint32_t row = rows_[part].row(spike.row);
  if (row == tables::SourceIndex::none) return;
  do f(pathways::RowSpike{row, spike.step});
  while (table.sources.continues(++row));
}

const exchange::Counts& Exchanger::counts() const {
  static const exchange::Counts none;
  return strategy_ ? strategy_->counts() : none;
}

std::size_t Exchanger::bytes() const {
  std::size_t total = routing_.bytes() + book_.bytes() + out_.data.capacity() + in_.data.capacity() + received_.bytes();
  for (const auto& part : arrivals_) total += part.spikes.capacity() * sizeof(pathways::RowSpike) + part.offsets.capacity() * sizeof(double);
  for (const auto& index : rows_) total += index.bytes();
  for (const auto& order : order_) total += order.bytes();
  for (const auto& gids : numbered_gids_) total += gids.capacity() * sizeof(Gid);
  return total + counts().buffer_bytes;
}

}  // namespace npl::sim
