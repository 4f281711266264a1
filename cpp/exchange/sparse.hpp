// SPDX-License-Identifier: Apache-2.0
/// Messages that the receiver does not expect: isend or issend on one side, iprobe and recv on the other, and three ways to know that all
/// have arrived. Used by multisend, multisend_aggregated, nbx, shared, the set-up of two-phase, and the exchange of routes.
#pragma once
#include <exception>
#include <functional>

#include "exchange/strategy_base.hpp"

namespace npl::exchange {

/// allreduce       sum over ranks of messages sent - received, again until it is zero: the conservation loop of Hines et al. 2011, Methods
/// reduce_scatter  every rank learns the exact number of messages it will get (their discussion). Needs 8 bytes per rank of the job on
///                 every rank.
/// barrier         sends are synchronous; a rank whose sends have all been received enters a non-blocking barrier; once the barrier is
///                 complete, all messages of all ranks have been received (Hoefler, Siebert, Lumsdaine 2010, algorithm NBX)
enum class Ending : std::uint8_t { allreduce, reduce_scatter, barrier };

class SparseExchange {
 public:
  /// Collective. Counts messages, bytes and rounds in `counts`.
  SparseExchange(comm::Communicator& comm, Ending ending, Counts& counts);

  /// Sends `data` without a copy: it must not change until finish has returned. Never throws, as other ranks wait: if there is no memory,
  /// finish throws.
  void send(int to, wire::Bytes data) noexcept;
  /// Collective, does not wait. After the last send of an exchange.
  void sent_all();

  /// Where a message of this size from this rank goes; throws BadMessage if it cannot be right. The place is filled before the next call.
  using Place = std::function<std::byte*(int source, std::size_t bytes)>;
  /// Collective. Returns once all messages of all ranks have arrived, also if `place` or a send has failed on this rank: then it throws.
  /// A rank that has no memory even to receive a message and drop it ends the job.
  void finish(const Place& place);
  std::size_t held_bytes() const { return held(requests_, to_each_); }

 private:
  bool receive(const Place& place);
  std::byte* placed(const Place& place, const comm::Message& message);
  void until_conserved(const Place& place);
  void until_counted(const Place& place);
  void until_all_received(const Place& place);
  bool sends_complete();

  comm::Communicator& comm_;
  const Ending ending_;
  Counts& counts_;
  const int tags_;
  // Two tags in turn (intervals A and B of Hines et al.): a rank may learn that an exchange is complete, and send for the next one, before
  // this rank has learnt it. It cannot be two exchanges ahead, since every exchange needs something of every rank.
  int phase_ = 0;
  std::int64_t sent_ = 0, received_ = 0, expected_ = 0;
  std::vector<std::int64_t> to_each_;  // messages per rank, only for reduce_scatter
  std::vector<comm::Request> requests_;
  std::size_t complete_ = 0;  // number of requests_ from the front that are complete
  comm::Request counting_ = 0;
  std::exception_ptr failed_;  // of this exchange
  std::vector<std::byte> dropped_;
};

/// A strategy that sends a message per record (`single_records`), or one per destination; destinations without records get no message.
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
