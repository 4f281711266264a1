// SPDX-License-Identifier: Apache-2.0
/// The presynaptic tier of the connection infrastructure (Jordan 2018, section 3.1.2): for every source of this rank, the ranks that have
/// targets of it and the address under which they want its spikes. Built once from the lists of the target ranks; nothing is proportional
/// to the number of ranks or nodes. An entry takes about 3 bytes: the distance to the next destination and the address, both in groups of 7
/// bits. The address is a number among all entries that this destination wants of this rank.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/slabs.hpp"
#include "base/team.hpp"
#include "base/varint.hpp"
#include "exchange/strategy.hpp"

namespace npl::exchange {

/// The sources whose spikes this rank wants, owner by owner. The address of an entry is its number among all entries of its owner.
class WantedList {
 public:
  virtual ~WantedList() = default;
  /// Moves to the next owner that has an entry: ascending, never this rank; -1 after the last one. `lists` gets the names of its sources in
  /// one or more ascending lists (their number may differ from owner to owner).
  virtual int next(std::vector<std::vector<std::uint64_t>>& lists) = 0;
};

class Routing {
 public:
  /// Translates names of sources of this rank, as other ranks know them, to their numbers here, below n_sources.
  using Numbers = std::function<void(std::span<const std::uint64_t> names, std::uint32_t* numbers)>;

  /// Resources for making routes.
  struct Means {
    Team& team;
    SlabPool& pool;  ///< of the calling thread
    std::size_t round_bytes = std::size_t{16} << 20;
  };

  Routing() = default;
  /// Collective. Exchanges the wanted entries in as many rounds of about round_bytes per rank as needed.
  /// @param numbers called by all threads of the team at once
  Routing(comm::Communicator& comm, WantedList& wanted, std::size_t n_sources, const Numbers& numbers, const Means& means);

  const Partners& partners() const { return partners_; }
  /// Calls f(destination, address) for the routes of a source; destination is an index into partners().destinations.
  template <class F>
  void for_each(std::size_t source, F&& f) const {
    if (n_routes_ == 0) return;
    const std::uint8_t* end = bytes_.data() + begin_[source + 1];
    std::uint32_t destination = 0;
    for (const std::uint8_t* at = bytes_.data() + begin_[source]; at != end;) {
      destination += static_cast<std::uint32_t>(read_varint(at));
      f(destination, read_varint(at));
    }
  }
  std::uint64_t n_routes() const { return n_routes_; }
  std::size_t bytes() const { return begin_.bytes() + bytes_.bytes(); }

 private:
  Partners partners_;
  std::uint64_t n_routes_ = 0;
  Buffer<std::uint64_t> begin_;  ///< [sources + 1] first byte
  Buffer<std::uint8_t> bytes_;
};

}  // namespace npl::exchange
