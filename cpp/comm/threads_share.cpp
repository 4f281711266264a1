// SPDX-License-Identifier: Apache-2.0
// Shared memory of a group of threads: plain memory, owned jointly by the ranks of the node.
#include <algorithm>

#include "base/buffer.hpp"
#include "comm/threads_group.hpp"

namespace npl::comm {
namespace {

struct Segment {
  explicit Segment(std::size_t bytes) : memory(bytes) {}
  Buffer<std::byte> memory;
  // The barrier of the node is that of its first segment.
  alignas(64) std::atomic<int> arrived{0};
  alignas(64) std::atomic<unsigned> generation{0};
};

class ThreadMemory final : public SharedMemory {
 public:
  ThreadMemory(std::shared_ptr<Group> group, int rank, std::vector<int> ranks, std::vector<std::shared_ptr<Segment>> segments)
      : group_(std::move(group)), rank_(rank), ranks_(std::move(ranks)), segments_(std::move(segments)) {}

  std::span<const int> ranks() const override { return ranks_; }
  std::byte* of(int index) const override { return segments_[static_cast<std::size_t>(index)]->memory.data(); }

  void sync() override {
    Segment& first = *segments_[0];
    const unsigned mine = first.generation.load(std::memory_order_relaxed);
    if (first.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<int>(ranks_.size()))
      return group_->wait(rank_, [&] { return first.generation.load(std::memory_order_acquire) != mine; });
    first.arrived.store(0, std::memory_order_relaxed);
    first.generation.store(mine + 1, std::memory_order_release);
    for (int r : ranks_) group_->wake(r);
  }

 private:
  std::shared_ptr<Group> group_;
  int rank_;
  std::vector<int> ranks_;
  std::vector<std::shared_ptr<Segment>> segments_;
};

}  // namespace

std::unique_ptr<SharedMemory> share_memory(const std::shared_ptr<Group>& group, Communicator& communicator, std::size_t bytes) {
  const auto mine = std::make_shared<Segment>(bytes);
  const std::shared_ptr<Segment>* address = &mine;
  std::vector<const std::shared_ptr<Segment>*> addresses(static_cast<std::size_t>(group->ranks));
  communicator.allgather(&address, sizeof address, addresses.data());
  std::vector<int> ranks;
  std::vector<std::shared_ptr<Segment>> segments;
  for (int r = 0; r < group->ranks; ++r) {
    if (group->nodes[static_cast<std::size_t>(r)] != group->nodes[static_cast<std::size_t>(communicator.rank())]) continue;
    ranks.push_back(r);
    segments.push_back(*addresses[static_cast<std::size_t>(r)]);
  }
  // A barrier, so that all ranks have copied the pointer before its owner returns.
  communicator.barrier();
  return std::make_unique<ThreadMemory>(group, communicator.rank(), std::move(ranks), std::move(segments));
}

}  // namespace npl::comm
