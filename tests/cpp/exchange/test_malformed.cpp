// SPDX-License-Identifier: Apache-2.0
/// Rank 1 speaks the protocol of a strategy by hand and lies; rank 0 must refuse with BadMessage. The lies cover what the decoders
/// (test_wire) cannot know: who is a partner, who is to forward to whom.
#include <barrier>

#include "exchange/sparse.hpp"
#include "exchange/tags.hpp"
#include "harness.hpp"

namespace npl::exchange::test_malformed {
namespace {

using Liar = std::function<void(comm::Communicator&)>;

const Partners both_ways{{1}, {1}};

// Not by the communicator: a barrier there would be the one that nbx waits for.
void meet() {
  static std::barrier both(2);
  both.arrive_and_wait();
}

// Rank 0 sends one record to rank 1 and listens.
void expect_refusal(const std::string& strategy, const Liar& liar, const Options& options = {}, const Partners& partners = both_ways,
                    int per_node = 1) {
  as_ranks(2, per_node, [&](comm::Communicator& comm) {
    if (comm.rank() == 1) return liar(comm);
    const auto honest = find_strategy(strategy).make(comm, partners, options);
    Outgoing out{Bytes(4), {0, 4}};
    if (partners.destinations.empty()) out.begin = {0};
    honest->start(out);
    Incoming in;
    EXPECT_THROW(honest->finish(in), BadMessage) << strategy;
    meet();
  });
}

Bytes block_of(std::uint32_t records, std::uint32_t most) {
  Bytes block;
  wire::append_value(block, wire::BlockHeader{records, most});
  block.resize(8 + 64);
  return block;
}

const std::vector<Bytes> bad_blocks{block_of(17, 17), block_of(2, 1), block_of(0xffffffff, 0xffffffff), block_of(1, 0x80000000)};

TEST(Malformed, Allgather) {
  for (const Bytes& block : bad_blocks)
    expect_refusal("allgather", [&](comm::Communicator& comm) {
      Bytes all(2 * block.size());
      comm.allgather(block.data(), block.size(), all.data());
      meet();
    });
}

TEST(Malformed, Alltoall) {
  for (const Bytes& block : bad_blocks)
    expect_refusal("alltoall", [&](comm::Communicator& comm) {
      Bytes out = block, in(2 * block.size());
      out.insert(out.end(), block.begin(), block.end());
      comm.alltoall(out.data(), block.size(), in.data());
      meet();
    });
}

TEST(Malformed, AlltoallvCounts) {
  expect_refusal("alltoallv", [](comm::Communicator& comm) {
    const std::uint32_t counts[2]{0x80000000, 0};
    std::uint32_t in[2];
    comm.alltoall(counts, sizeof counts[0], in);
    meet();
  });
}

TEST(Malformed, RecordsFromNoSource) {
  const Liar counts_one = [](comm::Communicator& comm) {
    const std::uint32_t counts[2]{1, 0};
    std::uint32_t in[2];
    comm.alltoall(counts, sizeof counts[0], in);
    meet();
  };
  expect_refusal("alltoallv", counts_one, {}, {});
}

TEST(Malformed, NeighborCounts) {
  expect_refusal("neighbor", [](comm::Communicator& comm) {
    const int topology = comm.make_topology(std::vector{0}, std::vector{0});
    const std::uint32_t count = 0xfffffff0;
    std::uint32_t in;
    const std::size_t size = sizeof count;
    comm.wait(comm.ineighbor_alltoallv(topology, &count, {&size, 1}, &in, {&size, 1}));
    meet();
  });
}

TEST(Malformed, Persistent) {
  for (const Bytes& block : bad_blocks)
    expect_refusal("persistent", [&](comm::Communicator& comm) {
      const int tag = agree_on_tags(comm);
      Bytes in(block.size());
      const auto sent = comm.isend(0, tag, block.data(), block.size()), received = comm.irecv(0, tag, in.data(), in.size());
      comm.wait(sent);
      comm.wait(received);
      meet();
    });
}

// Takes part once in the conservation loop, if there is one, for rank 0 may look for messages before this one is there.
Liar sends(const std::string& strategy, const Bytes& bytes) {
  return [=](comm::Communicator& comm) {
    const int tag = agree_on_tags(comm);
    const auto sent = comm.isend(0, tag, bytes.data(), bytes.size());
    std::int64_t missing = 1;
    if (strategy != "nbx") comm.iallreduce({&missing, 1}, comm::Op::sum);
    meet();
    comm.wait(sent);
  };
}

TEST(Malformed, MessagesThatAreNoRecords) {
  for (const std::string name : {"multisend", "multisend_aggregated", "nbx"})
    for (const std::size_t bytes : {0, 3, 6}) expect_refusal(name, sends(name, Bytes(bytes)), {}, {{1}, {}});
  expect_refusal("multisend", sends("multisend", Bytes(8)), {}, {{1}, {}});
}

TEST(Malformed, MessagesFromNoSource) {
  for (const std::string name : {"multisend", "multisend_aggregated", "nbx"}) expect_refusal(name, sends(name, Bytes(4)), {}, {});
}

Bytes packet(int source, int destination, std::uint64_t records) {
  Bytes bytes;
  wire::append_value(bytes, wire::PacketHeader{std::uint32_t(source), std::uint32_t(destination), records});
  bytes.resize(bytes.size() + 4);
  return bytes;
}

const std::vector<Bytes> bad_packets{packet(0, 0, 1),  // not its own
                                     packet(1, 1, 1),  // to be forwarded to where nothing is to go
                                     packet(1, -1, 1), packet(1, 0, 2), packet(1, 0, 0), Bytes(8)};

// With two ranks every destination is its own intermediate: all goes in the first phase.
TEST(Malformed, PacketsInTwoPhases) {
  for (const Bytes& bad : bad_packets)
    expect_refusal("nbx",
                   [&](comm::Communicator& comm) {
                     Counts counts;
                     SparseExchange setup(comm, Ending::barrier, counts);
                     const int way = 0;
                     std::vector<int> told(1);
                     setup.send(0, std::as_bytes(std::span(&way, 1)));
                     setup.sent_all();
                     setup.finish([&](int, std::size_t) { return reinterpret_cast<std::byte*>(told.data()); });
                     const auto first = find_strategy("nbx").make(comm, {{0}, {0}}, {}), second = find_strategy("nbx").make(comm, {}, {});
                     first->start({bad, {0, bad.size()}});
                     Incoming in;
                     first->finish(in);
                     meet();
                   },
                   {.phases = 2});
}

TEST(Malformed, PacketsOnTheBoardOfANode) {
  for (const Bytes& bad : bad_packets) {
    if (bad == bad_packets[1]) continue;  // for another rank of the node: not ours to judge
    expect_refusal(
        "shared",
        [&](comm::Communicator& comm) {
          const auto memory = comm.share(2 * (8 + 4088));
          agree_on_tags(comm);
          wire::store(memory->of(1), wire::PartHeader{bad.size()});
          std::copy(bad.begin(), bad.end(), memory->of(1) + 8);
          memory->sync();
          meet();
        },
        {}, both_ways, 2);
  }
}

}  // namespace
}  // namespace npl::exchange::test_malformed
