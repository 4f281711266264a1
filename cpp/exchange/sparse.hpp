// SPDX-License-Identifier: Apache-2.0
/// Messages to anybody who need not know that they come: isend or issend on one side, iprobe and recv on the other, and three ways to know
/// that all have arrived. What multisend, multisend_aggregated, nbx, shared and the set-up of two-phase have in common.
#pragma once
#include <functional>

#include "exchange/strategy_base.hpp"

namespace npl::exchange {

/// allreduce       sum over ranks of messages sent - received, again until it is zero: the conservation loop of Hines et al. 2011, Methods
/// reduce_scatter  the number of messages that are to come, exactly (their discussion). Needs 8 bytes per rank of the job on every rank.
/// barrier         synchronous sends; who knows that all of his have been received enters a non-blocking barrier; when it is complete, all
///                 have (Hoefler, Siebert, Lumsdaine 2010, algorithm NBX)
enum class Ending : std::uint8_t { allreduce, reduce_scatter, barrier };

class SparseExchange {
 public:
  /// Collective. Counts messages, bytes and rounds in `counts`.
  SparseExchange(comm::Communicator& comm, Ending ending, Counts& counts);

  /// `data` stays as it is until finish has returned.
  void send(int to, wire::Bytes data);
  /// Collective, does not wait. Nothing more will be sent before finish.
  void sent_all();

  /// Says where to put a message, or throws where it cannot be right. The place is filled at once.
  using Place = std::function<std::byte*(int source, std::size_t bytes)>;
  /// Collective. Returns once all messages of all ranks have arrived.
  void finish(const Place& place);
  std::size_t held_bytes() const { return held(requests_, to_each_); }

 private:
  bool receive(const Place& place);
  void until_conserved(const Place& place);
  void until_counted(const Place& place);
  void until_all_received(const Place& place);
  bool sends_complete();

  comm::Communicator& comm_;
  const Ending ending_;
  Counts& counts_;
  const int tags_;
  // A and B of Hines et al.: a rank that knows sooner than we that an exchange is over may send for the next one. It cannot be two ahead,
  // as every exchange needs something of every rank.
  int phase_ = 0;
  std::int64_t sent_ = 0, received_ = 0, expected_ = 0;
  std::vector<std::int64_t> to_each_;  // messages per rank, only for reduce_scatter
  std::vector<comm::Request> requests_;
  std::size_t complete_ = 0;  // so many of requests_ from the front
  comm::Request counting_ = 0;
};

/// A strategy whose messages are records (`single_records`) or all records for a destination; a destination without records gets no message.
class SparseStrategy : public StrategyBase {
 public:
  void start(const Outgoing& out) final;
  void finish(Incoming& in) final;

 protected:
  SparseStrategy(comm::Communicator& comm, const Partners& partners, const Options& options, bool single_records, Ending ending);
  static Ending ending_of(const Options& options) {
    return options.conservation == Conservation::allreduce ? Ending::allreduce : Ending::reduce_scatter;
  }

 private:
  const bool single_records_;
  SparseExchange exchange_;
};

}  // namespace npl::exchange
