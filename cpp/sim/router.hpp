// SPDX-License-Identifier: Apache-2.0
/// Routing of spikes between ranks by two-tier connection infrastructure (Jordan et al. 2018). Spikes are sent with an address that the
/// target rank has assigned when the network was built: in the dense regime one address per (source, target rank), from which the receiver
/// looks up the rows of its slices; in the sparse regime one address per row, without look-up. Addresses are numbered per pair of ranks, so
/// that a spike takes two or four bytes also in large networks. Only the thread that calls start and finish uses the communicator.
///
/// The router connects slices and tables with module exchange/, which has the choice of the regime, the encoding of spikes, the buffers and
/// the strategies.
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
  bool directed() const { return directed_; }  ///< true: spikes are sent only to ranks with targets

  /// Checks the settings, also with one rank. Throws UnknownName, BadParameter for options that the strategy does not have.
  void check() const;
  /// Parameters of build().
  struct Making {
    Step most_lag;  ///< length of the longest (sub-)interval [steps]
    Gid highest;    ///< largest gid of the network
    bool precise;   ///< spikes carry sub-step offsets
    Team& team;
    SlabPool& pool;
  };
  /// Makes the routes. Collective; call after tables have changed.
  /// @param ignored ranks with which spikes are exchanged on another level; empty: only this rank
  void build(const Slices& slices, const Owners& owners, const Making& making, RankRange ignored = {});
  /// Dry run: sets the emulation of other ranks; call before build.
  void set_emulated(EmulatedRanks emulated) { emulated_ = std::move(emulated); }
  /// Collective. Starts to send the spikes of outboxes(parity), emitted in steps [from, until); in a dry run with a rate, drawn spikes.
  void start(const Slices& slices, int parity, Step from, Step until);
  /// Collective. Starts to send the given spikes [slices].
  void start(const std::vector<SourcedSpikes>& spikes, Step from);
  /// Collective. Completes the exchange that was started, if any. Throws BadMessage.
  void finish() { receive(), read(); }
  /// Collective. The first part of finish(): other ranks wait for it.
  void receive();
  /// The rest of finish(), which concerns this rank alone. If it throws (memory, BadMessage), no spikes have been received.
  void read();
  /// Queues the spikes received by the last finish for the rows of a slice. Any thread, for its own slices.
  void schedule(Slice& slice) const;

  const exchange::Counts& counts() const;
  std::string choice() const { return strategy_ ? strategy_->choice() : ""; }
  bool dense() const { return dense_; }
  std::uint64_t exchanges() const { return exchanges_; }  ///< since the last build, like counts()
  std::uint64_t n_routes() const { return routing_.n_routes(); }
  std::size_t bytes() const;

 private:
  void forget_routes(const Slices& slices);
  void make_routes(const Slices& slices, const Owners& owners, const Making& making);
  void add_transmitters(const Slices& slices, const Owners& owners, std::vector<RowsByOwner>& parts);
  void choose_codec(const Slices& slices, const Making& making);
  exchange::SourceGids list_gids(const Slices& slices);
  exchange::Options options() const;
  void send();
  void decode();
  Gid gid_of(int rank, std::uint64_t id) const;

  comm::Communicator& comm_;
  ExchangeSettings settings_;
  bool directed_ = true, dense_ = true;
  RankRange ignored_;
  std::vector<std::size_t> first_source_;  ///< [slices + 1] index of the first node of a slice among the sources of this rank
  std::vector<std::size_t> first_table_;   ///< [slices] index of the first table of a slice among the tables of this rank
  EmulatedRanks emulated_;                 ///< dry run
  exchange::AddressBook book_;             ///< directed: addresses assigned to other ranks
  RowLookup lookup_;                       ///< directed: from addresses to rows
  std::vector<Gid> heard_;                 ///< directed: transmitters by (owner, gid), the sources of the last part
  std::size_t heard_part_ = 0;
  exchange::Routing routing_;  ///< directed: destinations of the spikes of this rank
  exchange::SourceGids gids_;  ///< not directed, records of 2 bytes: gids of the source numbers
  exchange::SpikeCodec codec_;
  std::unique_ptr<exchange::Strategy> strategy_;

  Step from_ = 0;  ///< first step of the current or last exchange
  bool under_way_ = false;
  bool unread_ = false;  ///< received spikes are not decoded yet
  std::uint64_t exchanges_ = 0;
  std::vector<exchange::Departures> departures_;
  std::vector<SourcedSpikes> drawn_;  ///< dry run: [slices] drawn spikes
  exchange::Outgoing out_;
  exchange::Incoming in_;
  exchange::Arrivals arrivals_;  ///< directed: received spikes, in the sparse regime by table
  Emitted received_;             ///< not directed
};

}  // namespace npl::sim
