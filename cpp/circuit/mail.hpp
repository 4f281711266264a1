// SPDX-License-Identifier: Apache-2.0
/// Large messages between ranks that do not know beforehand who sends how much to whom. One exchange at a time; start and finish are
/// apart so that work can go on between them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace npl::circuit {

/// One message per rank, empty for most.
using Letters = std::vector<std::vector<std::byte>>;

class Mail {
 public:
  virtual ~Mail() = default;
  /// Collective. letters[r] goes to rank r; the own one is handed over as it is.
  virtual void start(Letters letters) = 0;
  /// Lets the exchange go on while other work is done. Not collective, does not wait.
  virtual void progress() {}
  /// Collective. letters[r] came from rank r.
  virtual Letters finish() = 0;
  Letters exchange(Letters letters) {
    start(std::move(letters));
    return finish();
  }
  /// What this rank sent to others so far.
  struct Counts {
    std::uint64_t messages = 0, bytes = 0;
  };
  const Counts& counts() const { return counts_; }

 protected:
  Counts counts_;
};

/// alltoallv   sizes by an all-to-all of 8 bytes, then one alltoallv
/// neighbor    the same sizes, then an alltoallv among those who ever had something for one another
/// nbx         synchronous messages and a barrier that does not block (Hoefler, Siebert, Lumsdaine 2010): nothing per rank but partners
/// @param at_once bytes that a rank sends or receives in one round of a collective: what is larger goes in several, so that buffers do not
/// grow with the letters
/// Throws UnknownName.
std::unique_ptr<Mail> make_mail(comm::Communicator& comm, const std::string& strategy, std::size_t at_once = std::size_t{1} << 24);

/// The names that make_mail knows.
const std::vector<std::string>& mail_strategies();

}  // namespace npl::circuit
