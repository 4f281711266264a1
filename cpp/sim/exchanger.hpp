// SPDX-License-Identifier: Apache-2.0
/// Spikes between ranks: two tiers (Jordan 2018). A spike is sent under an address that its target rank gave out when the network was built:
/// in the dense regime one per (source, rank), from which the receiver finds the rows of its slices; in the sparse regime one per row,
/// so that the receiver searches nothing. Addresses count what a rank wants of one other rank, so that spikes of large networks travel in
/// two or four bytes. Only the thread that calls start and finish talks to the communicator.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/distribution.hpp"
#include "sim/mirror.hpp"
#include "sim/slice.hpp"
#include "sim/wanted_rows.hpp"

namespace npl::sim {

struct ExchangeSettings {
  std::string strategy = "alltoallv";
  std::string regime = "auto";  ///< dense, sparse, or chosen by a model of memory and traffic
  bool halves = false;          ///< two sub-intervals A and B: spikes of one travel while the other is computed (Hines 2011)
  int phases = 1;
  exchange::Conservation conservation = exchange::Conservation::allreduce;
  std::size_t buffer_bytes = 0;
  std::size_t round_bytes = std::size_t{16} << 20;  ///< of the exchange of routes
  std::optional<PoissonSpikes> played = {};  ///< dry run: travels instead of the spikes of this rank's neurons
  std::string local;  ///< strategy inside groups of ranks, with default options; empty: as between them
};

using Slices = std::vector<std::unique_ptr<Slice>>;

class Exchanger {
 public:
  Exchanger(comm::Communicator& comm, ExchangeSettings settings) : comm_(comm), settings_(std::move(settings)) {}
  bool active() const { return comm_.size() > 1; }
  bool directed() const { return directed_; }

  /// Throws what the strategy has against its options, also where there is one rank.
  void check() const;
  /// What routes and words are made with.
  struct Making {
    Step most_lag;  ///< longest (sub-)interval [steps]
    Gid highest;    ///< gid of the network
    bool precise;   ///< has the network neurons that need the offsets of spikes?
    Team& team;
    SlabPool& pool;
  };
  /// Collective; after tables changed.
  /// @param ignored ranks whose spikes come another way; none: this rank
  void build(const Slices& slices, const Owners& owners, const Making& making, RankRange ignored = {});
  /// Dry run: who plays the nodes of other ranks; before build.
  void set_mirror(Mirror mirror) { mirror_ = std::move(mirror); }
  /// Collective. Sends the spikes of outboxes(parity), emitted in steps [from, until).
  void start(const Slices& slices, int parity, Step from, Step until);
  /// The same with given spikes, [slices]; never played.
  void start(const Slices& slices, const std::vector<Emitted>& spikes, Step from);
  /// Collective. Receives what was started; nothing when there is nothing under way.
  void finish();
  /// Schedules what the last finish brought for the rows of a slice. Any thread.
  void schedule(Slice& slice) const;

  const exchange::Counts& counts() const;
  std::string choice() const { return strategy_ ? strategy_->choice() : ""; }
  bool dense() const { return dense_; }
  std::uint64_t exchanges() const { return exchanges_; }  ///< since routes were made, like the counts
  std::uint64_t n_routes() const { return routing_.n_routes(); }
  std::size_t bytes() const;

 private:
  struct Arrivals {
    std::vector<pathways::RowSpike> spikes;  ///< row: of the part (sparse: a table), or number of the source (dense)
    std::vector<double> offsets;  ///< one per spike in a precise network, else empty
  };
  template <class F>
  void for_rows(const tables::EdgeTable& table, std::size_t part, const pathways::RowSpike& spike, F&& f) const;
  void choose_regime(const Slices& slices);
  std::vector<RowsByOwner> list_sources(const Slices& slices, const Owners& owners);
  std::vector<RowsByOwner> list_rows(const Slices& slices, const Owners& owners);
  void make_routes(const Slices& slices, const Owners& owners, const Making& making);
  void join_segments();
  void take_directed();
  void take_all();
  std::pair<std::uint64_t, Step> get_word(const std::byte* at) const;
  exchange::Options options() const;
  void choose_word(const Slices& slices, Step most_lag, Gid highest);
  void play(const Slices& slices, int parity, Step until);
  void send(const Slices& slices);
  void collocate_directed(const Slices& slices);
  void collocate_all(const Slices& slices);
  void number_gids(const Slices& slices);
  Gid gid_of(int source, std::uint64_t id) const;
  void put_word(std::byte* at, std::uint64_t id, Step step) const;
  void put_offset(std::byte* at, double offset) const;
  double get_offset(const std::byte* at) const;

  comm::Communicator& comm_;
  ExchangeSettings settings_;
  bool directed_ = true, dense_ = true, numbered_ = false, precise_ = false;
  std::size_t word_bytes_ = 4, spike_bytes_ = 4;  ///< with offsets a spike is two words
  unsigned lag_bits_ = 0;
  Step from_ = 0;
  bool under_way_ = false;
  RankRange ignored_;
  std::uint64_t exchanges_ = 0;
  std::vector<const Emitted*> emitted_;               ///< [slices] what is sent now
  std::vector<std::size_t> source_base_;                        ///< [slices] number of its first node among this rank's sources
  AddressBook book_;                                             ///< directed: the addresses of other ranks
  std::vector<std::vector<std::size_t>> part_;                   ///< [slice][table] number of the table among all
  std::vector<tables::SourceIndex> rows_;                       ///< dense: [table] row of a number of the source
  std::vector<Buffer<std::uint32_t>> order_;                     ///< sparse: [table] its rows by (owner, gid), empty where they are so themselves
  std::vector<std::vector<Gid>> numbered_gids_;                  ///< allgather of 2-byte words: [rank][number]
  Mirror mirror_;                                                ///< dry run
  std::vector<Emitted> played_;                       ///< dry run: [slice] spikes that leave it
  exchange::Routing routing_;
  std::unique_ptr<exchange::Strategy> strategy_;
  exchange::Outgoing out_;
  exchange::Incoming in_;
  std::vector<Arrivals> arrivals_;  ///< directed: sparse by table, dense all in one
  Emitted received_;     ///< not directed
};

}  // namespace npl::sim
