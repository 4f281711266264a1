// SPDX-License-Identifier: Apache-2.0
/// Alltoall with equal blocks (Jordan et al. 2018, section 3.2; the exchange of NEST 3).
///   start   ialltoall of one block per rank; in front the records in it and the most records this rank has for any one rank
///   finish  wait; if the largest of those numbers, which every rank gets from every rank, is more than a block holds, all do one more
///           round with blocks as large as what is left
/// Blocks grow after such a round and shrink when little used, by the same numbers: no rank ever has to ask.
/// NEST doubles its buffers round by round; here the size is known after the first round, so there are never more than two.
/// Memory: 2 x ranks x block, by the method. Messages: one collective call, two in a burst.
/// Wins for dense partners and even loads: one call without counts, which MPI libraries know how to do well.
#include <algorithm>

#include "exchange/capacity.hpp"
#include "exchange/strategy_base.hpp"

namespace npl::exchange {
namespace {

class Alltoall final : public StrategyBase {
 public:
  static constexpr Knows knows{.buffer = true};
  Alltoall(comm::Communicator& comm, const Partners& partners, const Options& options)
      : StrategyBase(comm, partners, options, knows), capacity_(first_capacity()) {}

  void start(const Outgoing& out) override {
    accept(out, partners_.destinations.size());
    begin_round(0, capacity_.records());
  }

  void finish(Incoming& in) override {
    in.clear();
    const std::size_t room = capacity_.records(), most = finish_round(in);
    if (most > room) {
      ++counts_.rounds;
      begin_round(room, most - room);
      finish_round(in);
    }
    if (capacity_.observe(most)) send_ = {}, recv_ = {};
    counts_.buffer_bytes = held(out_.data, send_, recv_);
  }

 private:
  // Records [done, done + room) for each rank.
  void begin_round(std::size_t done, std::size_t room) {
    block_ = sizeof(wire::BlockHeader) + room * options_.record_bytes;
    send_.resize(block_ * ranks());
    recv_.resize(block_ * ranks());
    const std::uint32_t most = most_left(done);
    for (int r = 0; r < ranks(); ++r) wire::store(send_.data() + block_ * r, wire::BlockHeader{0, most});
    for (std::size_t d = 0; d < partners_.destinations.size(); ++d)
      if (records(part(d).size()) > done)
        fill(send_.data() + block_ * partners_.destinations[d], part(d).subspan(done * options_.record_bytes), most);
    request_ = comm_.ialltoall(send_.data(), block_, recv_.data());
    count_sent(block_ * (ranks() - 1));
    counts_.bytes_received += block_ * (ranks() - 1);
  }

  std::uint32_t most_left(std::size_t done) const {
    std::size_t most = done;
    for (std::size_t d = 0; d < partners_.destinations.size(); ++d) most = std::max(most, records(part(d).size()));
    return static_cast<std::uint32_t>(most - done);
  }

  void fill(std::byte* block, wire::Bytes data, std::uint32_t most) const {
    const std::size_t bytes = std::min(data.size(), block_ - sizeof(wire::BlockHeader));
    wire::store(block, wire::BlockHeader{static_cast<std::uint32_t>(records(bytes)), most});
    std::copy_n(data.data(), bytes, block + sizeof(wire::BlockHeader));
  }

  // The most records that any rank had for any other.
  std::size_t finish_round(Incoming& in) {
    comm_.wait(request_);
    std::size_t most = 0;
    for (int r = 0; r < ranks(); ++r) {
      const wire::Block block = wire::read_block({recv_.data() + block_ * r, block_}, options_.record_bytes);
      most = std::max(most, block.most);
      if (block.data.empty()) continue;
      check_source(r);
      take(in, r, block.data);
    }
    return most;
  }

  Capacity capacity_;
  std::size_t block_ = 0;
  std::vector<std::byte> send_, recv_;
  comm::Request request_ = 0;
};

double alltoall_bytes(const Load& l) { return 2 * l.ranks * l.block(l.most_per_partner()); }

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(alltoall, Alltoall, "equal blocks to all ranks by Alltoall, counts in band, another round when full (Jordan 2018)",
             {.knows = Alltoall::knows, .tried = Tried::always, .bytes = &alltoall_bytes})
