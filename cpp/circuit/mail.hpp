// SPDX-License-Identifier: Apache-2.0
/// Exchange of large messages between ranks that do not know beforehand who sends how much to whom. One exchange at a time; start and
/// finish are separate, so that work can be done in between.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace npl::circuit {

/// One message per rank, empty for most.
using Letters = std::vector<std::vector<std::byte>>;

/// A strategy of exchange.
class Mail {
 public:
  virtual ~Mail() = default;
  /// Sends letters[r] to rank r; that to the own rank is not copied. Collective.
  virtual void start(Letters letters) = 0;
  /// Advances the exchange between start and finish. Does not wait; not collective.
  virtual void progress() {}
  /// Returns the letters received, [r] from rank r. Collective.
  virtual Letters finish() = 0;
  /// start and finish.
  Letters exchange(Letters letters) {
    start(std::move(letters));
    return finish();
  }
  /// Messages and bytes that this rank has sent to others so far.
  struct Counts {
    std::uint64_t messages = 0, bytes = 0;
  };
  const Counts& counts() const { return counts_; }

 protected:
  Counts counts_;
};

/// Strategies:
/// alltoallv   sizes by an alltoall of 8 bytes, then one alltoallv
/// neighbor    sizes in the same way, then a neighbourhood alltoallv among ranks that have ever exchanged a letter
/// nbx         synchronous sends and a non-blocking barrier (Hoefler, Siebert, Lumsdaine 2010): memory grows with the partners, not with
/// the ranks
/// @param at_once most bytes that a rank sends or receives in one round of a collective; larger letters take several rounds, so that
/// buffers stay small. Throws UnknownName. Collective.
std::unique_ptr<Mail> make_mail(comm::Communicator& comm, const std::string& strategy, std::size_t at_once = std::size_t{1} << 24);

/// Names of the strategies.
const std::vector<std::string>& mail_strategies();

}  // namespace npl::circuit
