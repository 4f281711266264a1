// SPDX-License-Identifier: Apache-2.0
#include "exchange/node_board.hpp"

#include <algorithm>
#include <bit>

namespace npl::exchange {
namespace {

constexpr std::size_t header = sizeof(wire::PartHeader);

bool time_to_agree(std::uint64_t exchanges) { return std::has_single_bit(exchanges) || exchanges % 64 == 0; }

// Slots begin at cache lines, as shared memory does.
std::size_t whole_lines(std::size_t room) { return (room + header + 63) / 64 * 64 - header; }

}  // namespace

NodeBoard::NodeBoard(comm::Communicator& comm, std::size_t room, Counts& counts)
    : comm_(comm), counts_(counts), least_room_(whole_lines(room)), room_(least_room_), memory_(comm.share(segment_bytes())) {
  index_ = static_cast<int>(std::lower_bound(ranks().begin(), ranks().end(), comm.rank()) - ranks().begin());
  shown_.resize(ranks().size());
}

bool NodeBoard::has(int rank) const { return std::binary_search(ranks().begin(), ranks().end(), rank); }

void NodeBoard::show(wire::Bytes what) {
  mine_ = what;
  most_shown_ = std::max(most_shown_, static_cast<std::int64_t>(what.size()));
  wire::store(slot(index_), wire::PartHeader{what.size()});
  write_part(0);
}

void NodeBoard::write_part(std::size_t done) {
  if (done >= mine_.size()) return;
  std::copy_n(mine_.data() + done, std::min(room_, mine_.size() - done), slot(index_) + header);
}

wire::Bytes NodeBoard::part_of(int index, std::size_t done, std::size_t total) const {
  return {slot(index) + header, done < total ? std::min(room_, total - done) : 0};
}

const std::vector<wire::Bytes>& NodeBoard::look() {
  memory_->sync();
  ++counts_.rounds;
  std::size_t most = 0;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const std::size_t total = wire::read_total({slot(static_cast<int>(i)), header});
    shown_[i] = part_of(static_cast<int>(i), 0, total);
    most = std::max(most, total);
  }
  most > room_ ? look_in_parts(most) : in_parts_.clear();
  ++step_;
  return shown_;
}

// Totals are read once, from the first part: later slots hold those of earlier exchanges.
void NodeBoard::look_in_parts(std::size_t most) {
  in_parts_.assign(shown_.size(), {});
  std::vector<std::size_t> totals(shown_.size());
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i] = wire::read_total({slot(static_cast<int>(i)), header});
  for (std::size_t done = 0; done < most; done += room_) {
    if (done > 0) {
      ++step_;
      write_part(done);
      memory_->sync();
      ++counts_.rounds;
    }
    for (std::size_t i = 0; i < totals.size(); ++i) wire::append(in_parts_[i], part_of(static_cast<int>(i), done, totals[i]));
  }
  for (std::size_t i = 0; i < shown_.size(); ++i) shown_[i] = in_parts_[i];
}

void NodeBoard::settle() {
  if (!time_to_agree(++exchanges_)) return;
  std::int64_t most = most_shown_;
  comm_.allreduce({&most, 1}, comm::Op::max);
  ++counts_.rounds;
  most_shown_ = 0;
  const std::size_t wanted = std::max(least_room_, whole_lines(most + most / 4));
  if (static_cast<std::size_t>(most) <= room_ && wanted * 4 >= room_) return;
  room_ = wanted;
  memory_ = comm_.share(segment_bytes());  // nobody reads the old memory any more: every rank has come to the allreduce above
  in_parts_.clear();
}

}  // namespace npl::exchange
