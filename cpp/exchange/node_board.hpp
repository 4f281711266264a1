// SPDX-License-Identifier: Apache-2.0
/// A board in the memory that the ranks of a node share: every rank shows bytes, and all ranks look at what all show. A rank has two slots
/// and uses them in turn, so that one synchronisation per look is enough: before a rank overwrites a slot, all ranks have passed a
/// synchronisation after they read it. Bytes that do not fit into a slot are shown in parts, with a synchronisation each; the total in
/// front of the first part tells all ranks how many parts there are. Resizing slots needs all ranks of the job, so it is done now and then
/// only (settle).
#pragma once
#include "exchange/strategy_base.hpp"

namespace npl::exchange {

class NodeBoard {
 public:
  /// Collective over all ranks. @param room least bytes per slot; rounded up to whole cache lines
  NodeBoard(comm::Communicator& comm, std::size_t room, Counts& counts);

  /// Ranks of this node, ascending. The first one is the leader.
  std::span<const int> ranks() const { return memory_->ranks(); }
  int leader() const { return ranks().front(); }
  bool has(int rank) const;

  /// Does not wait, and may keep a reference: `what` must not change until look has returned.
  void show(wire::Bytes what);
  /// Collective over the node. [ranks()] what each of them shows, valid until the next look or settle. Counts synchronisations as rounds.
  const std::vector<wire::Bytes>& look();
  /// Collective over all ranks, at the end of every exchange. After exchanges 1, 2, 4, .. 64, 128, 192, .. an allreduce finds the most
  /// bytes shown since the last one; slots become 5/4 of that if they were too small, or more than four times as large.
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
