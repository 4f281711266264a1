// SPDX-License-Identifier: Apache-2.0
/// A board in the memory that the ranks of a node share: each shows bytes, all look at what all show. Two slots per rank, used in turn, so
/// that one synchronisation per look is enough: who writes a slot again has passed the synchronisation that all readers of its old content
/// passed on their way. What does not fit into a slot is shown in parts, with a synchronisation each; the node agrees on how many by the
/// totals in front. Larger slots need all ranks of the job and are agreed on now and then only (settle).
#pragma once
#include "exchange/strategy_base.hpp"

namespace npl::exchange {

class NodeBoard {
 public:
  /// Collective over all ranks. room: bytes per slot at first, and never less; rounded up to whole cache lines.
  NodeBoard(comm::Communicator& comm, std::size_t room, Counts& counts);

  /// Of this node, ascending. The first one leads.
  std::span<const int> ranks() const { return memory_->ranks(); }
  int leader() const { return ranks().front(); }
  bool has(int rank) const;

  /// Does not wait. `what` stays as it is until look has returned.
  void show(wire::Bytes what);
  /// Collective over the node. What each of ranks() shows; stays as it is until the next look. Counts synchronisations as rounds.
  const std::vector<wire::Bytes>& look();
  /// Collective over all ranks, at the end of every exchange; what was looked at is gone afterwards. An allreduce after the exchanges
  /// 1, 2, 4, .. 64, 128, 192, ..: makes slots as large as the largest thing shown since, smaller where that is less than a quarter.
  void settle();
  std::size_t held_bytes() const { return segment_bytes() + held(shown_, in_parts_); }

 private:
  std::size_t segment_bytes() const { return 2 * (sizeof(wire::PartHeader) + room_); }
  std::byte* slot(int index) const { return memory_->of(index) + step_ % 2 * (sizeof(wire::PartHeader) + room_); }
  wire::Bytes part_of(int index, std::size_t done, std::size_t total) const;
  void write_part(std::size_t done);
  void look_in_parts(std::size_t most);

  comm::Communicator& comm_;
  Counts& counts_;
  const std::size_t least_room_;
  std::size_t room_;
  std::unique_ptr<comm::SharedMemory> memory_;
  int index_ = 0;
  std::uint64_t step_ = 0, exchanges_ = 0;
  std::int64_t most_shown_ = 0;
  wire::Bytes mine_;
  std::vector<wire::Bytes> shown_;
  std::vector<std::vector<std::byte>> in_parts_;
};

}  // namespace npl::exchange
