// SPDX-License-Identifier: Apache-2.0
/// How spikes are written, sent to the rows that want them, and read: every strategy against direct bookkeeping; records that cannot be.
#include <set>

#include "exchange/arrivals.hpp"
#include "exchange/collocation.hpp"
#include "exchange/source_gids.hpp"
#include "harness.hpp"

namespace npl::exchange::test_spikes {
namespace {

TEST(SpikeCodec, RecordsRoundTrip) {
  std::mt19937_64 draw(1);
  for (const std::uint64_t highest : {0ull, 1ull, 1000ull, 65535ull, 1ull << 30, 1ull << 40})
    for (const Step most_lag : {1, 2, 15, 100})
      for (const bool offsets : {false, true}) {
        const SpikeCodec codec(highest, most_lag, offsets);
        std::vector<std::byte> bytes(codec.record_bytes());
        for (int i = 0; i < 50; ++i) {
          const std::uint64_t id = i ? draw() % (highest + 1) : highest;
          const Step lag = i ? static_cast<Step>(draw() % static_cast<std::uint64_t>(most_lag)) : most_lag - 1;
          codec.write(bytes.data(), id, lag);
          if (offsets) codec.write_offset(bytes.data(), 0.1 * i);
          EXPECT_EQ(codec.read(bytes.data()).id, id);
          EXPECT_EQ(codec.read(bytes.data()).lag, lag);
          if (offsets) {
            EXPECT_EQ(codec.read_offset(bytes.data()), 0.1 * i);
          }
        }
      }
}

/// ids x lags are counted, not their bits.
TEST(SpikeCodec, RecordsAreTheShortestThatHoldAllIds) {
  EXPECT_EQ(SpikeCodec(65535, 1, false).record_bytes(), 2u);
  EXPECT_EQ(SpikeCodec(65536, 1, false).record_bytes(), 4u);
  EXPECT_EQ(SpikeCodec(4095, 16, false).record_bytes(), 2u);
  EXPECT_EQ(SpikeCodec(4096, 16, false).record_bytes(), 4u);
  EXPECT_EQ(SpikeCodec(4095, 17, false).record_bytes(), 4u);
  EXPECT_EQ(SpikeCodec((1ull << 32) - 1, 1, false).record_bytes(), 4u);
  EXPECT_EQ(SpikeCodec(1ull << 32, 1, false).record_bytes(), 8u);
  EXPECT_EQ(SpikeCodec(3, 1, true).record_bytes(), 16u);
}

/// Ranks of 20 sources each that want some sources of one another, for two tables: rank, table, row -> owner, source.
struct Network {
  int ranks;
  std::size_t sources = 20;

  bool wants(int rank, int owner, std::size_t table, std::uint64_t source) const {
    return rank != owner && mix(mix(static_cast<std::uint64_t>(rank * 8 + owner), table), source) % 3 == 0;
  }
  std::vector<Spike> spikes(int rank, int exchange) const {
    std::vector<Spike> all;
    for (Step step = 0; step < 4; ++step)
      for (std::size_t s = 0; s < sources; ++s)
        if (mix(mix(static_cast<std::uint64_t>(rank * 100 + exchange), s), static_cast<std::uint64_t>(step)) % 5 == 0)
          all.push_back({static_cast<Gid>(s * static_cast<std::size_t>(ranks)) + rank + 1, 4 * exchange + step});
    return all;
  }
  double offset(const Spike& s) const { return 0.01 * static_cast<double>(s.gid % 10); }
};

/// Tells owners what is wanted; the rows of a table go on from owner to owner.
class Wanted final : public WantedList {
 public:
  Wanted(const Network& network, int me, AddressBook& book) : network_(network), me_(me), book_(book) {}
  int next(std::vector<std::vector<std::uint64_t>>& lists) override {
    for (++owner_; owner_ < network_.ranks; ++owner_) {
      lists.assign(2, {});
      for (std::size_t table = 0; table < 2; ++table)
        for (std::uint64_t s = 0; s < network_.sources; ++s)
          if (network_.wants(me_, owner_, table, s)) lists[table].push_back(s);
      if (lists[0].empty() && lists[1].empty()) continue;
      book_.add(std::vector<std::uint32_t>{static_cast<std::uint32_t>(lists[0].size()), static_cast<std::uint32_t>(lists[1].size())});
      return owner_;
    }
    return -1;
  }

 private:
  const Network& network_;
  int me_, owner_ = -1;
  AddressBook& book_;
};

using Scheduled = std::multiset<std::tuple<std::size_t, std::uint32_t, Step, double>>;  ///< table, row, step, offset

Scheduled expected(const Network& n, int me, int exchange, bool offsets) {
  Scheduled all;
  for (std::size_t table = 0; table < 2; ++table) {
    std::uint32_t row = 0;
    for (int owner = 0; owner < n.ranks; ++owner)
      for (std::uint64_t s = 0; s < n.sources; ++s)
        if (n.wants(me, owner, table, s)) {
          for (const Spike& spike : n.spikes(owner, exchange))
            if (static_cast<std::uint64_t>((spike.gid - 1) / n.ranks) == s)
              all.insert({table, row, spike.step, offsets ? n.offset(spike) : 0.0});
          ++row;
        }
  }
  return all;
}

Scheduled found(const Arrivals& arrivals) {
  Scheduled all;
  for (std::size_t table = 0; table < 2; ++table) {
    const PartArrivals& part = arrivals.part(table);
    for (std::size_t i = 0; i < part.spikes.size(); ++i) all.insert({table, part.spikes[i].row, part.spikes[i].step, part.offset(i)});
  }
  return all;
}

/// Spikes of a rank in two parts, as two slices would have them.
struct Parts {
  Emitted emitted[2];
  std::vector<Local> sources[2];
  Parts(const Network& n, const std::vector<Spike>& spikes, bool offsets) {
    for (const Spike& s : spikes) {
      const auto source = static_cast<std::size_t>((s.gid - 1) / n.ranks), part = source / 10;
      emitted[part].spikes.push_back(s);
      sources[part].push_back(static_cast<Local>(source % 10));
      if (offsets) emitted[part].offsets.push_back(n.offset(s));
    }
  }
  std::vector<Departures> departures() const { return {{&emitted[0], sources[0], 0}, {&emitted[1], sources[1], 10}}; }
};

void check_directed(const Options& options, const StrategyInfo& info, bool offsets) {
  const Network network{4};
  as_ranks(4, 2, [&](comm::Communicator& comm) {
    AddressBook book(2);
    Wanted wanted(network, comm.rank(), book);
    SlabPool pool;
    Team team(1);
    const auto same = [](std::span<const std::uint64_t> names, std::uint32_t* to) { std::copy(names.begin(), names.end(), to); };
    const Routing routing(comm, wanted, network.sources, same, {team, pool});
    Options with = options;
    const SpikeCodec codec(40, 4, offsets);
    with.record_bytes = codec.record_bytes();
    const auto strategy = info.make(comm, routing.partners(), with);
    Arrivals arrivals(2);
    for (int e = 0; e < 12; ++e) {
      const std::vector<Spike> spikes = network.spikes(comm.rank(), e);
      const Parts parts(network, spikes, offsets);
      Outgoing out;
      Incoming in;
      collocate(parts.departures(), routing, codec, 4 * e, out);
      strategy->start(out);
      strategy->finish(in);
      arrivals.clear();
      arrivals.take(in, routing.partners().sources, book, codec, 4 * e);
      EXPECT_EQ(found(arrivals), expected(network, comm.rank(), e, offsets)) << info.name << " exchange " << e;
    }
    std::uint64_t routes = 0;  // one record per spike and route, also with offsets
    for (int e = 0; e < 12; ++e)
      for (const Spike& s : network.spikes(comm.rank(), e))
        routing.for_each(static_cast<std::size_t>((s.gid - 1) / 4), [&](std::uint32_t, std::uint64_t) { ++routes; });
    EXPECT_EQ(strategy->counts().words_sent, routes) << info.name;
  });
}

TEST(Spikes, ReachTheirRowsWithEveryStrategyAndBuffersOfAnySize) {
  for (const StrategyInfo* info : strategies()) {
    if (!info->is.directed) continue;
    for (const bool offsets : {false, true})
      for (const int phases : {1, 2})
        for (const std::size_t buffer : {0, 1, 3, 24, 40}) {
          if ((phases == 2 && !info->is.knows.phases) || (buffer && !info->is.knows.buffer)) continue;
          check_directed({.buffer_bytes = buffer, .phases = phases}, *info, offsets);
        }
  }
}

TEST(Spikes, OfAllRanksReachAllRanks) {
  const Network network{3};
  for (const bool offsets : {false, true})
    for (const Name name : {Name::gid, Name::number})
      as_ranks(3, 1, [&](comm::Communicator& comm) {
        const SpikeCodec codec(60, 4, offsets);
        const auto strategy = find_strategy("allgather").make(comm, {}, {.record_bytes = codec.record_bytes(), .buffer_bytes = 24});
        std::vector<Gid> mine;
        for (std::size_t s = 0; s < network.sources; ++s) mine.push_back(static_cast<Gid>(s) * 3 + comm.rank() + 1);
        const SourceGids gids = SourceGids::gather(comm, mine);
        for (int e = 0; e < 5; ++e) {
          const Parts parts(network, network.spikes(comm.rank(), e), offsets);
          Outgoing out;
          Incoming in;
          collocate_for_all(parts.departures(), name, codec, 4 * e, out);
          strategy->start(out);
          strategy->finish(in);
          Emitted found;
          const auto gid_of = [&](int rank, std::uint64_t id) { return name == Name::gid ? static_cast<Gid>(id) : gids.gid(rank, id); };
          take_from_all(in, codec, 4 * e, [&](int rank) { return rank == comm.rank(); }, gid_of, found);
          std::multiset<std::tuple<Gid, Step, double>> a, b;
          for (std::size_t i = 0; i < found.spikes.size(); ++i) a.insert({found.spikes[i].gid, found.spikes[i].step, found.offset(i)});
          for (int r = 0; r < 3; ++r)
            for (const Spike& s : network.spikes(r, e))
              if (r != comm.rank()) b.insert({s.gid, s.step, offsets ? network.offset(s) : 0.0});
          EXPECT_EQ(a, b);
        }
      });
}

// --- what other ranks cannot have meant

Incoming one_record(const SpikeCodec& codec, std::uint64_t id, std::size_t bytes) {
  Incoming in;
  in.data.resize(16);
  codec.write(in.data.data(), id, 0);
  in.data.resize(bytes);
  in.segments.push_back({3, 0, bytes});
  return in;
}

TEST(Spikes, UnknownAddressesAndCutRecordsAreRefused) {
  for (const bool offsets : {false, true}) {
    const SpikeCodec codec(100, 1, offsets);
    AddressBook book(2);
    book.add(std::vector<std::uint32_t>{4, 3});
    const int senders[] = {3};
    Arrivals arrivals(2);
    Incoming good = one_record(codec, 6, codec.record_bytes()), unknown = one_record(codec, 7, codec.record_bytes()),
             cut = one_record(codec, 1, codec.record_bytes() - 1);
    EXPECT_NO_THROW(arrivals.take(good, senders, book, codec, 0));
    EXPECT_THROW(arrivals.take(unknown, senders, book, codec, 0), BadMessage);
    EXPECT_THROW(arrivals.take(cut, senders, book, codec, 0), BadMessage);
    Emitted to;
    EXPECT_THROW(take_from_all(
                     cut, codec, 0, [](int) { return false; }, [](int, std::uint64_t id) { return static_cast<Gid>(id); }, to),
                 BadMessage);
  }
}

TEST(Spikes, UnknownNumbersOfSourcesAreRefused) {
  const SourceGids gids({{5, 7}, {}});
  EXPECT_EQ(gids.gid(0, 1), 7);
  EXPECT_THROW(gids.gid(0, 2), BadMessage);
  EXPECT_THROW(gids.gid(1, 0), BadMessage);
}

}  // namespace
}  // namespace npl::exchange::test_spikes
