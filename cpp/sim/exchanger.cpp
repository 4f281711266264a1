// SPDX-License-Identifier: Apache-2.0
#include "sim/exchanger.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "comm/collect.hpp"

namespace npl::sim {
namespace {

/// The regimes differ in what they hold and move: a route has 8 B, and traffic counts as what it carries in a second at 10 spikes/s.
constexpr std::size_t route_bytes = 8 + 40;

/// Bytes of a dense table from addresses to rows, as SourceIndex makes it.
std::size_t lookup_bytes(std::size_t addresses, std::size_t rows) { return addresses <= 4 * rows ? 4 * addresses : 8 * rows; }

template <class F>
void for_tables(const Slices& slices, F&& f) {
  for (std::size_t s = 0; s < slices.size(); ++s)
    for (std::size_t t = 0; t < slices[s]->deliverers().size(); ++t) f(s, t, *slices[s]->deliverers()[t].table);
}

/// The gids of all rows, once each, ascending.
std::vector<Gid> sources_of(const Slices& slices) {
  std::vector<Gid> gids;
  for_tables(slices, [&](std::size_t, std::size_t, const deliver::EdgeTable& table) {
    const auto middle = static_cast<std::ptrdiff_t>(gids.size());
    table.sources.for_each([&](std::uint32_t, Gid gid) { gids.push_back(gid); });
    std::inplace_merge(gids.begin(), gids.begin() + middle, gids.end());
    gids.erase(std::unique(gids.begin(), gids.end()), gids.end());
  });
  return gids;
}

/// The sources of other ranks with their addresses, part by part: sources in order (dense), or the rows of one table after the other (sparse).
class WantedRows final : public exchange::WantedList {
 public:
  struct Part {
    const deliver::SourceIndex* sources;
    std::uint64_t base;  ///< address of row 0
  };
  WantedRows(std::span<const Gid> dense, std::vector<Part> sparse, const std::function<int(Gid)>& rank_of, int me)
      : dense_(dense), sparse_(std::move(sparse)), rank_of_(rank_of), me_(me) {}
  void restart() override { at_ = part_ = slot_ = 0; }
  void next(std::size_t most, std::vector<exchange::Wanted>& out) override {
    for (; at_ < dense_.size() && out.size() < most; ++at_) want(dense_[at_], at_, out);
    for (; part_ < sparse_.size(); ++part_, slot_ = 0) {
      const auto [sources, base] = sparse_[part_];
      for (; slot_ < sources->n_slots(); ++slot_) {
        if (out.size() == most) return;
        sources->at_slot(slot_, [&](std::uint32_t row, Gid gid) { want(gid, base + row, out); });
      }
    }
  }

 private:
  void want(Gid gid, std::uint64_t address, std::vector<exchange::Wanted>& out) const {
    const int owner = rank_of_(gid);
    if (owner != me_) out.push_back({owner, gid, address});
  }
  std::span<const Gid> dense_;
  std::vector<Part> sparse_;
  const std::function<int(Gid)>& rank_of_;
  int me_;
  std::size_t at_ = 0, part_ = 0, slot_ = 0;
};

}  // namespace

exchange::Options Exchanger::options() const {
  return {.word_bytes = word_bytes_, .buffer_bytes = settings_.buffer_bytes, .phases = settings_.phases, .conservation = settings_.conservation};
}

void Exchanger::check() const { exchange::find_strategy(settings_.strategy).make(*comm::single(), {}, options()); }

void Exchanger::build(const Slices& slices, const std::function<int(Gid)>& rank_of, Step most_lag, Gid highest) {
  if (!active()) return;
  strategy_.reset();
  const exchange::StrategyInfo& info = exchange::find_strategy(settings_.strategy);
  directed_ = info.directed;
  source_base_.assign(1, 0);
  for (const auto& s : slices) source_base_.push_back(source_base_.back() + s->nodes().size());
  routing_ = {};
  sources_.clear(), rows_.clear(), row_base_.clear(), numbered_gids_.clear();
  if (directed_) {
    choose_regime(slices);
    make_addresses(slices);
    make_routes(slices, rank_of);
  }
  choose_word(slices, most_lag, highest);
  strategy_ = info.make(comm_, routing_.partners(), options());
}

/// Agreed on by all ranks from their sums of sources and rows.
void Exchanger::choose_regime(const Slices& slices) {
  sources_ = sources_of(slices);
  std::int64_t bytes[2] = {static_cast<std::int64_t>(sources_.size() * route_bytes), 0};  // dense, sparse
  for_tables(slices, [&](std::size_t, std::size_t, const deliver::EdgeTable& table) {
    bytes[0] += static_cast<std::int64_t>(lookup_bytes(sources_.size(), table.n_rows()));
    bytes[1] += static_cast<std::int64_t>(table.n_rows() * route_bytes);
  });
  comm_.allreduce(std::span<std::int64_t>(bytes), comm::Op::sum);
  dense_ = bytes[0] < bytes[1];
  if (settings_.regime != "auto") dense_ = settings_.regime == "dense";
  if (!dense_) sources_ = {};
}

void Exchanger::make_addresses(const Slices& slices) {
  rows_.resize(slices.size());
  row_base_.resize(slices.size());
  std::uint64_t base = 0;
  std::vector<Gid> addresses;
  for_tables(slices, [&](std::size_t s, std::size_t, const deliver::EdgeTable& table) {
    row_base_[s].push_back(base);
    base += table.n_rows();
    if (!dense_) return;
    addresses.assign(table.n_rows(), 0);
    table.sources.for_each([&](std::uint32_t row, Gid gid) { addresses[row] = std::lower_bound(sources_.begin(), sources_.end(), gid) - sources_.begin(); });
    rows_[s].emplace_back(addresses);
  });
  if (base >> 32) comm_.abort(1, "more than 2^32 rows of synapses on a rank: use more ranks");
}

void Exchanger::make_routes(const Slices& slices, const std::function<int(Gid)>& rank_of) {
  std::vector<WantedRows::Part> parts;
  if (!dense_)
    for_tables(slices, [&](std::size_t s, std::size_t t, const deliver::EdgeTable& table) { parts.push_back({&table.sources, row_base_[s][t]}); });
  WantedRows list(sources_, std::move(parts), rank_of, comm_.rank());
  const auto index = [&](Gid gid) {
    std::size_t s = 0;
    while (s < slices.size() && slices[s]->nodes().local(gid) == Residents::none) ++s;
    if (s == slices.size()) comm_.abort(1, "spikes of node " + std::to_string(gid) + " are wanted from a rank that does not own it");
    return source_base_[s] + slices[s]->nodes().local(gid);
  };
  routing_ = exchange::Routing(comm_, list, source_base_.back(), index, settings_.round_entries);
  sources_ = {};
}

/// How a spike is written: id and steps since the start of the interval in the fewest bytes that hold them on every rank.
void Exchanger::choose_word(const Slices& slices, Step most_lag, Gid highest) {
  lag_bits_ = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(std::max<Step>(most_lag - 1, 0))));
  std::int64_t most[2] = {static_cast<std::int64_t>(source_base_.back()), 0};
  if (directed_)
    for_tables(slices, [&](std::size_t, std::size_t, const deliver::EdgeTable& table) { most[1] += static_cast<std::int64_t>(table.n_rows()); });
  else
    most[1] = highest;
  comm_.allreduce(std::span<std::int64_t>(most), comm::Op::max);
  const auto bits = [&](std::int64_t values) { return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(values))) + lag_bits_; };
  word_bytes_ = bits(most[1]) <= 32 ? 4 : 8;
  numbered_ = !directed_ && bits(most[0]) <= 16;
  if (!numbered_) return;
  word_bytes_ = 2;
  std::vector<Gid> mine;
  for (const auto& s : slices)
    for (Local l = 0; l < s->nodes().size(); ++l) mine.push_back(s->nodes().gid(l));
  const auto counts = comm::gather(comm_, std::vector<std::size_t>{mine.size()});
  const auto all = comm::gather(comm_, mine);
  auto at = all.begin();
  for (std::size_t n : counts) numbered_gids_.emplace_back(at, at + static_cast<std::ptrdiff_t>(n)), at += static_cast<std::ptrdiff_t>(n);
}

void Exchanger::put_word(std::byte* at, std::uint64_t id, Step step) const {
  const std::uint64_t word = id << lag_bits_ | static_cast<std::uint64_t>(step - from_);
  std::memcpy(at, &word, word_bytes_);  // little-endian: the low bytes come first
}

/// Counts words per destination, then writes them.
void Exchanger::collocate_directed(const Slices& slices, int parity) {
  const auto for_routes = [&](auto&& f) {
    for (std::size_t s = 0; s < slices.size(); ++s)
      for (const Spike& spike : slices[s]->outbox(parity).spikes)
        routing_.for_each(source_base_[s] + slices[s]->nodes().local(spike.gid), [&](std::uint32_t d, std::uint32_t address) { f(d, address, spike.step); });
  };
  out_.begin.assign(routing_.partners().destinations.size() + 2, 0);
  for_routes([&](std::uint32_t d, std::uint32_t, Step) { out_.begin[d + 2] += word_bytes_; });
  for (std::size_t d = 1; d < out_.begin.size(); ++d) out_.begin[d] += out_.begin[d - 1];
  out_.data.resize(out_.begin.back());
  for_routes([&](std::uint32_t d, std::uint32_t address, Step step) {
    put_word(&out_.data[out_.begin[d + 1]], address, step);
    out_.begin[d + 1] += word_bytes_;
  });
  out_.begin.pop_back();
}

void Exchanger::collocate_all(const Slices& slices, int parity) {
  out_.data.clear();
  for (std::size_t s = 0; s < slices.size(); ++s)
    for (const Spike& spike : slices[s]->outbox(parity).spikes) {
      const std::uint64_t id = numbered_ ? source_base_[s] + slices[s]->nodes().local(spike.gid) : static_cast<std::uint64_t>(spike.gid);
      out_.data.resize(out_.data.size() + word_bytes_);
      put_word(&out_.data[out_.data.size() - word_bytes_], id, spike.step);
    }
  out_.begin = {0, out_.data.size()};
}

void Exchanger::start(const Slices& slices, int parity, Step from) {
  from_ = from;
  directed_ ? collocate_directed(slices, parity) : collocate_all(slices, parity);
  strategy_->start(out_);
  under_way_ = true;
}

void Exchanger::finish() {
  arrivals_.clear();
  received_.clear();
  if (!std::exchange(under_way_, false)) return;
  strategy_->finish(in_);
  const std::uint64_t lag_mask = (std::uint64_t{1} << lag_bits_) - 1;
  for (const auto& segment : in_.segments) {
    if (segment.source == comm_.rank()) continue;
    for (std::size_t at = segment.begin; at < segment.end; at += word_bytes_) {
      std::uint64_t word = 0;
      std::memcpy(&word, &in_.data[at], word_bytes_);
      const std::uint64_t id = word >> lag_bits_;
      const Step step = from_ + static_cast<Step>(word & lag_mask);
      if (directed_)
        arrivals_.push_back({id, step});
      else
        received_.push_back({numbered_ ? numbered_gids_[static_cast<std::size_t>(segment.source)].at(id) : static_cast<Gid>(id), step});
    }
  }
}

void Exchanger::schedule(Slice& slice) const {
  if (!directed_) return slice.schedule(received_);
  const auto s = static_cast<std::size_t>(slice.id());
  auto& deliverers = slice.deliverers();
  for (std::size_t t = 0; t < deliverers.size(); ++t) {
    deliver::EdgeTable& table = *deliverers[t].table;
    const std::uint64_t base = row_base_[s][t], rows = table.n_rows();
    for (const Arrival& a : arrivals_) {
      if (!dense_ && a.address - base < rows) deliverers[t].agenda.schedule(table, static_cast<std::uint32_t>(a.address - base), a.step);
      if (!dense_) continue;
      const std::uint32_t row = rows_[s][t].row(static_cast<Gid>(a.address));
      if (row != deliver::SourceIndex::none) deliverers[t].agenda.schedule(table, row, a.step);
    }
  }
}

const exchange::Counts& Exchanger::counts() const {
  static const exchange::Counts none;
  return strategy_ ? strategy_->counts() : none;
}

std::size_t Exchanger::bytes() const {
  std::size_t total = routing_.bytes() + out_.data.capacity() + in_.data.capacity() + arrivals_.capacity() * sizeof(Arrival) + received_.capacity() * sizeof(Spike);
  for (const auto& tables : rows_)
    for (const auto& index : tables) total += index.bytes();
  for (const auto& gids : numbered_gids_) total += gids.capacity() * sizeof(Gid);
  return total + counts().buffer_bytes;
}

}  // namespace npl::sim
