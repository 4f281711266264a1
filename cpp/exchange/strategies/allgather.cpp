// SPDX-License-Identifier: Apache-2.0
/// Allgather (Hines et al. 2011, Methods; the first exchange of NEURON): every rank gets all records of all ranks.
///   start   iallgather of a block of fixed size per rank, the number of all its records in front
///   finish  wait; where a rank had more than fits, which all see from the numbers, allgatherv of what is left
/// The size of the block follows the largest load (Capacity); all ranks see the same loads and so agree.
/// Memory: ranks x block, by the method. Messages: one collective call, two in a burst.
/// Wins where most ranks need most records: few ranks, or more connections per neuron than ranks.
#include "exchange/capacity.hpp"
#include "exchange/strategy_base.hpp"

namespace npl::exchange {
namespace {

class Allgather final : public StrategyBase {
 public:
  static constexpr Knows knows{.buffer = true};
  Allgather(comm::Communicator& comm, const Partners& partners, const Options& options)
      : StrategyBase(comm, partners, options, knows), capacity_(first_capacity()), left_(ranks()) {}

  void start(const Outgoing& out) override {
    accept(out, 1);
    const std::size_t room = capacity_.records() * options_.record_bytes, bytes = std::min(room, part(0).size());
    block_ = sizeof(wire::BlockHeader) + room;
    send_.resize(block_);
    recv_.resize(block_ * ranks());
    wire::store(send_.data(),
                wire::BlockHeader{static_cast<std::uint32_t>(records(bytes)), static_cast<std::uint32_t>(records(part(0).size()))});
    std::copy_n(part(0).data(), bytes, send_.data() + sizeof(wire::BlockHeader));
    sent_ = bytes;
    request_ = comm_.iallgather(send_.data(), block_, recv_.data());
    count_call(block_, block_ * (ranks() - 1));
  }

  void finish(Incoming& in) override {
    in.clear();
    comm_.wait(request_);
    std::size_t most = 0, left = 0;
    for (int r = 0; r < ranks(); ++r) {
      const wire::Block block = block_of(r);
      left += left_[r] = block.most * options_.record_bytes - block.data.size();
      most = std::max(most, block.most);
    }
    if (left > 0) fetch_overflow(left);
    deliver(in);
    if (capacity_.observe(most)) send_ = {}, recv_ = {};
    rest_ = {};
    counts_.buffer_bytes = held(out_.data, send_, recv_, left_);
  }

 private:
  wire::Block block_of(int rank) const { return wire::read_first_block({recv_.data() + block_ * rank, block_}, options_.record_bytes); }

  void count_call(std::size_t sent, std::size_t received) { count_sent(sent), counts_.bytes_received += received; }

  void fetch_overflow(std::size_t bytes) {
    rest_.resize(bytes);
    comm_.allgatherv(out_.data.data() + sent_, left_[comm_.rank()], rest_.data(), left_);
    count_call(left_[comm_.rank()], bytes - left_[comm_.rank()]);
    ++counts_.rounds;
  }

  void deliver(Incoming& in) {
    const std::byte* rest = rest_.data();
    for (int r = 0; r < ranks(); rest += left_[r++]) {
      if (r == comm_.rank()) continue;
      take(in, r, block_of(r).data);
      take(in, r, {rest, left_[r]});
    }
  }

  Capacity capacity_;
  std::vector<std::size_t> left_;  // bytes per rank that did not fit
  std::size_t block_ = 0, sent_ = 0;
  std::vector<std::byte> send_, recv_, rest_;
  comm::Request request_ = 0;
};

double allgather_bytes(const Load& l) { return (l.ranks + 1) * l.block(largest_of(l.spikes, l.ranks)) + 8 * l.ranks; }

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(allgather, Allgather, "every spike to every rank by Allgather, overflow by Allgatherv (Hines 2011)",
             {.directed = false, .knows = Allgather::knows, .bytes = &allgather_bytes})
