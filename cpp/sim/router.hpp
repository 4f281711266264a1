// SPDX-License-Identifier: Apache-2.0
/// Spikes between ranks: two tiers (Jordan 2018). A spike is sent under an address that its target rank gave out when the network was
/// built: in the dense regime one per (source, rank), from which the receiver finds the rows of its slices; in the sparse regime one per
/// row, so that the receiver searches nothing. Addresses count what a rank wants of one other rank, so that spikes of large networks travel
/// in two or four bytes. Only the thread that calls start and finish talks to the communicator.
///
/// The router knows slices and tables. Everything else is in exchange/: which regime pays, how a spike is written, how spikes become
/// messages and messages arrivals, and the strategies.
#pragma once
#include <string>
#include <vector>

#include "exchange/arrivals.hpp"
#include "exchange/collocation.hpp"
#include "exchange/source_gids.hpp"
#include "sim/exchange_settings.hpp"
#include "sim/row_lookup.hpp"

namespace npl::sim {

class Router {
 public:
  Router(comm::Communicator& comm, ExchangeSettings settings) : comm_(comm), settings_(std::move(settings)) {}
  bool active() const { return comm_.size() > 1; }
  bool directed() const { return directed_; }

  /// Throws UnknownName for names, BadParameter for options that the strategy does not take; also where there is one rank.
  void check() const;
  /// What routes and records are made with.
  struct Making {
    Step most_lag;  ///< longest (sub-)interval [steps]
    Gid highest;    ///< gid of the network
    bool precise;   ///< do spikes have offsets?
    Team& team;
    SlabPool& pool;
  };
  /// Collective; after tables changed.
  /// @param ignored ranks whose spikes come another way; none: this rank
  void build(const Slices& slices, const Owners& owners, const Making& making, RankRange ignored = {});
  /// Dry run: which nodes here emulate those of other ranks; before build.
  void set_emulated(EmulatedRanks emulated) { emulated_ = std::move(emulated); }
  /// Collective. Sends the spikes of outboxes(parity), emitted in steps [from, until); in a dry run with a rate, drawn ones instead.
  void start(const Slices& slices, int parity, Step from, Step until);
  /// The same with given spikes, [slices].
  void start(const std::vector<SourcedSpikes>& spikes, Step from);
  /// Collective. Receives what was started; nothing when there is nothing under way. Throws BadMessage.
  void finish();
  /// Schedules what the last finish brought for the rows of a slice. Any thread, slices of its own.
  void schedule(Slice& slice) const;

  const exchange::Counts& counts() const;
  std::string choice() const { return strategy_ ? strategy_->choice() : ""; }
  bool dense() const { return dense_; }
  std::uint64_t exchanges() const { return exchanges_; }  ///< since routes were made, like the counts
  std::uint64_t n_routes() const { return routing_.n_routes(); }
  std::size_t bytes() const;

 private:
  void forget_routes(const Slices& slices);
  void make_routes(const Slices& slices, const Owners& owners, const Making& making);
  void choose_codec(const Slices& slices, const Making& making);
  exchange::SourceGids list_gids(const Slices& slices);
  exchange::Options options() const;
  void send();
  Gid gid_of(int rank, std::uint64_t id) const;

  comm::Communicator& comm_;
  ExchangeSettings settings_;
  bool directed_ = true, dense_ = true;
  RankRange ignored_;
  std::vector<std::size_t> first_source_;  ///< [slices + 1] number of its first node among this rank's sources
  std::vector<std::size_t> first_table_;   ///< [slices] number of its first table among this rank's
  EmulatedRanks emulated_;                 ///< dry run
  exchange::AddressBook book_;             ///< directed: the addresses of other ranks
  RowLookup lookup_;                       ///< directed: and their rows
  exchange::Routing routing_;              ///< directed: where spikes of this rank go
  exchange::SourceGids gids_;              ///< not directed, records of 2 bytes: what numbers mean
  exchange::SpikeCodec codec_;
  std::unique_ptr<exchange::Strategy> strategy_;

  Step from_ = 0;  ///< of the exchange that is under way, or was last
  bool under_way_ = false;
  std::uint64_t exchanges_ = 0;
  std::vector<exchange::Departures> departures_;
  std::vector<SourcedSpikes> drawn_;  ///< dry run: [slices] spikes that leave it
  exchange::Outgoing out_;
  exchange::Incoming in_;
  exchange::Arrivals arrivals_;  ///< directed: sparse by table, dense all in one
  Emitted received_;             ///< not directed
};

}  // namespace npl::sim
