// SPDX-License-Identifier: Apache-2.0
/// The presynaptic tier of the connection infrastructure (Jordan 2018, section 3.1.2): for every source of this rank, the ranks that have
/// targets of it and the address under which they want its spikes. Built once from what the target ranks hold, without anything
/// proportional to the number of ranks or nodes.
#pragma once
#include <functional>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"
#include "exchange/strategy.hpp"

namespace npl::exchange {

/// A source that this rank wants to hear of.
struct Wanted {
  int owner;              ///< rank of the source, another one
  Gid gid;
  std::uint64_t address;  ///< what the spikes shall carry
};

/// What is wanted, in parts: fills `out`, which is empty, with at most `most` entries; fewer when there are no more. `restart` begins anew.
class WantedList {
 public:
  virtual ~WantedList() = default;
  virtual void restart() = 0;
  virtual void next(std::size_t most, std::vector<Wanted>& out) = 0;
};

class Routing {
 public:
  Routing() = default;
  /// Collective. Exchanges the wanted entries in as many rounds of at most round_entries per rank as needed, twice: count, then fill.
  /// @param source_index of a gid of this rank, below n_sources
  Routing(comm::Communicator& comm, WantedList& wanted, std::size_t n_sources, const std::function<std::size_t(Gid)>& source_index,
          std::size_t round_entries = std::size_t{1} << 20);

  const Partners& partners() const { return partners_; }
  /// Calls f(destination, address) for the routes of a source; destination is an index into partners().destinations.
  template <class F>
  void for_each(std::size_t source, F&& f) const {
    if (begin_.empty()) return;
    for (std::uint64_t k = begin_[source]; k < begin_[source + 1]; ++k) f(destination_[k], address_[k]);
  }
  std::uint64_t n_routes() const { return destination_.size(); }
  std::size_t bytes() const { return begin_.bytes() + destination_.bytes() + address_.bytes(); }

 private:
  Partners partners_;
  Buffer<std::uint64_t> begin_;  ///< [sources + 1]
  Buffer<std::uint32_t> destination_;
  Buffer<std::uint32_t> address_;
};

}  // namespace npl::exchange
