// SPDX-License-Identifier: Apache-2.0
#include "sim/router.hpp"

#include <algorithm>
#include <utility>

#include "comm/dry_run.hpp"
#include "sim/source_numbers.hpp"

namespace npl::sim {

exchange::Options Router::options() const {
  return {.record_bytes = codec_.record_bytes(),
          .buffer_bytes = settings_.buffer_bytes,
          .phases = settings_.phases,
          .conservation = settings_.conservation};
}

void Router::check() const {
  exchange::find_regime(settings_.regime);
  const auto comm = comm_.mirrored() ? comm::dry_run(2, 0) : comm::single();
  exchange::find_strategy(settings_.strategy).make(*comm, {}, options());
}

void Router::forget_routes(const Slices& slices) {
  strategy_.reset();
  exchanges_ = 0;
  routing_ = {}, book_ = {}, lookup_ = {}, gids_ = {};
  first_source_.assign(1, 0);
  first_table_.clear();
  std::size_t tables = 0;
  for (const auto& s : slices) {
    first_source_.push_back(first_source_.back() + s->nodes().size());
    first_table_.push_back(tables);
    tables += s->pathways().size();
  }
}

void Router::build(const Slices& slices, const Owners& owners, const Making& making, RankRange ignored) {
  if (!active()) return;
  ignored_ = ignored.size() ? ignored : RankRange{comm_.rank(), comm_.rank() + 1};
  forget_routes(slices);
  const exchange::StrategyInfo& info = exchange::find_strategy(settings_.strategy);
  directed_ = info.is.directed;
  if (directed_) {
    dense_ = exchange::choose_dense(comm_, exchange::find_regime(settings_.regime), audience_of(slices));
    make_routes(slices, owners, making);
  }
  choose_codec(slices, making);
  if (directed_) emulated_ = {};
  strategy_ = info.make(comm_, routing_.partners(), options());
}

/// Transmitters that synapses hear, as a last part: a network without them has none.
void Router::add_transmitters(const Slices& slices, const Owners& owners, std::vector<RowsByOwner>& parts) {
  heard_.clear();
  heard_part_ = parts.size();
  if (slices.empty() || slices.front()->volumes().empty()) return;
  for (const auto& v : slices.front()->volumes()) heard_.push_back(v->of().transmitter);
  std::sort(heard_.begin(), heard_.end());
  heard_.erase(std::unique(heard_.begin(), heard_.end()), heard_.end());
  Buffer<std::uint32_t> order;
  const std::vector<Gid> gids = heard_;
  parts.emplace_back(tables::SourceIndex(gids), gids.size(), owners, order);
  if (order.empty()) return;
  for (std::size_t i = 0; i < gids.size(); ++i) heard_[i] = gids[order[i]];
}

void Router::make_routes(const Slices& slices, const Owners& owners, const Making& making) {
  std::vector<RowsByOwner> parts;
  lookup_ = RowLookup(slices, owners, dense_, parts);
  add_transmitters(slices, owners, parts);
  book_ = exchange::AddressBook(parts.size());
  arrivals_ = exchange::Arrivals(parts.size());
  WantedRows wanted(std::move(parts), owners.me, book_);
  const SourceNumbers numbers({slices, owners, first_source_}, comm_, emulated_);
  const std::size_t sources =
      std::max<std::size_t>(first_source_.back(), comm_.mirrored());  // a dry run requests node 0 even if it does not exist
  routing_ = exchange::Routing(comm_, wanted, sources, [&](auto names, std::uint32_t* to) { numbers.find(names, to); },
                               {making.team, making.pool, settings_.round_bytes});
}

/// Selects the shortest record that can hold the ids of all ranks. Undirected spikes carry gids, or source numbers if these are shorter.
void Router::choose_codec(const Slices& slices, const Making& making) {
  std::int64_t most[2] = {static_cast<std::int64_t>(first_source_.back()), making.highest};
  if (directed_) most[1] = static_cast<std::int64_t>(book_.most_addresses());
  comm_.allreduce(std::span<std::int64_t>(most), comm::Op::max);
  codec_ = {static_cast<std::uint64_t>(most[1]), making.most_lag, making.precise};
  if (directed_) return;
  const exchange::SpikeCodec numbers(static_cast<std::uint64_t>(most[0]), making.most_lag, making.precise);
  if (numbers.record_bytes() != 2) return;
  codec_ = numbers;
  gids_ = list_gids(slices);
}

exchange::SourceGids Router::list_gids(const Slices& slices) {
  std::vector<Gid> mine;
  for (const auto& s : slices)
    for (Local l = 0; l < s->nodes().size(); ++l) mine.push_back(s->nodes().gid(l));
  if (!comm_.mirrored()) return exchange::SourceGids::gather(comm_, mine);
  std::vector<std::vector<Gid>> all(static_cast<std::size_t>(comm_.size()), mine);
  for (int r = 0; r < comm_.size(); ++r)
    for (Gid& gid : all[static_cast<std::size_t>(r)]) gid = emulated_.gid_on(r, gid);
  return exchange::SourceGids(std::move(all));
}

void Router::start(const Slices& slices, int parity, Step from, Step until) {
  if (settings_.emulated) {
    drawn_.clear();
    for (const auto& s : slices) drawn_.push_back(emulate_spikes(*s, *settings_.emulated, s->outbox(parity), from, until));
    return start(drawn_, from);
  }
  departures_.clear();
  for (std::size_t s = 0; s < slices.size(); ++s)
    departures_.push_back({&slices[s]->outbox(parity), slices[s]->outbox(parity).sources, first_source_[s]});
  from_ = from;
  send();
}

void Router::start(const std::vector<SourcedSpikes>& spikes, Step from) {
  departures_.clear();
  for (std::size_t s = 0; s < spikes.size(); ++s) departures_.push_back({&spikes[s], spikes[s].sources, first_source_[s]});
  from_ = from;
  send();
}

void Router::send() {
  if (directed_)
    exchange::collocate(departures_, routing_, codec_, from_, out_);
  else
    exchange::collocate_for_all(departures_, gids_.empty() ? exchange::Name::gid : exchange::Name::number, codec_, from_, out_);
  strategy_->start(out_);
  under_way_ = true;
  ++exchanges_;
}

void Router::receive() {
  arrivals_.clear();
  received_.clear();
  unread_ = std::exchange(under_way_, false);
  if (unread_) strategy_->finish(in_);
}

void Router::read() {
  if (!std::exchange(unread_, false)) return;
  try {
    decode();
  } catch (...) {
    arrivals_.clear();
    received_.clear();
    throw;
  }
}

void Router::decode() {
  if (directed_) return arrivals_.take(in_, routing_.partners().sources, book_, codec_, from_);
  const auto ignored = [&](int rank) { return ignored_.has(rank); };
  exchange::take_from_all(in_, codec_, from_, ignored, [&](int rank, std::uint64_t id) { return gid_of(rank, id); }, received_);
}

/// Gid of the source of a received spike from the id in its record.
Gid Router::gid_of(int rank, std::uint64_t id) const {
  if (!gids_.empty()) return gids_.gid(rank, id);
  return comm_.mirrored() ? emulated_.gid_on(rank, static_cast<Gid>(id)) : static_cast<Gid>(id);
}

void Router::schedule(Slice& slice) const {
  if (!directed_) return slice.schedule(received_);
  exchange::PartArrivals rows;  // of one table
  std::size_t table = first_table_[slice.id()];
  for (auto& pathway : slice.pathways()) {
    const exchange::PartArrivals& arrivals = arrivals_.part(dense_ ? 0 : table);
    if (lookup_.plain(table)) {
      pathway->schedule(arrivals.spikes, arrivals.offsets);
    } else {
      rows.spikes.clear(), rows.offsets.clear();
      for (std::size_t i = 0; i < arrivals.spikes.size(); ++i)
        lookup_.for_rows(table, pathway->table(), arrivals.spikes[i].row, [&](std::uint32_t row) {
          rows.spikes.push_back({row, arrivals.spikes[i].step});
          if (!arrivals.offsets.empty()) rows.offsets.push_back(arrivals.offsets[i]);
        });
      pathway->schedule(rows.spikes, rows.offsets);
    }
    ++table;
  }
  if (heard_.empty()) return;
  for (const RowSpike& s : arrivals_.part(heard_part_).spikes) slice.hear(heard_[s.row], s.step);
}

const exchange::Counts& Router::counts() const {
  static const exchange::Counts none;
  return strategy_ ? strategy_->counts() : none;
}

std::size_t Router::bytes() const {
  std::size_t total = routing_.bytes() + book_.bytes() + lookup_.bytes() + gids_.bytes();
  total += out_.data.capacity() + in_.data.capacity() + arrivals_.bytes() + received_.bytes();
  return total + counts().buffer_bytes;
}

}  // namespace npl::sim
