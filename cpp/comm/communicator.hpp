// SPDX-License-Identifier: Apache-2.0
/// Ranks and how they talk: byte-level verbs, the only interface between the kernel and MPI. Back ends: single (one rank), threads (ranks as
/// threads of one process, for tests), dry_run (one rank of many, played alone), mpi (a plug-in opened at run time). Calls of one communicator come from one thread at a time.
/// All verbs but the point-to-point ones are collective: every rank calls them in the same order. No verb throws; what cannot go on ends the job.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace npl::comm {

enum class Op : std::uint8_t { sum, min, max, bit_or };  ///< bit_or: of the bit patterns, also for doubles

/// A started or persistent operation; 0 stands for one that is already complete. Buffers stay untouched by others until it is complete.
using Request = std::uint64_t;

/// A message that has arrived and waits to be received.
struct Message {
  int source;
  std::size_t bytes;
};

/// Memory of the ranks of one node that all of them can read; see Communicator::share.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  virtual std::span<const int> ranks() const = 0;           ///< of this node, ascending
  virtual std::byte* of(int index) const = 0;               ///< segment of ranks()[index]
  /// Waits for the ranks of the node and makes what each wrote before visible to all. Collective over the node.
  virtual void sync() = 0;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual std::string name() const = 0;                     ///< "single", "threads", "mpi (Open MPI 5.0.11)"
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Does it play one rank whose partners are its mirror images? See comm/dry_run.hpp.
  virtual bool mirrored() const { return false; }

  // --- started collectives; counts are bytes per rank, parts lie one after the other in order of ranks
  virtual Request ibarrier() = 0;
  virtual Request iallreduce(std::span<std::int64_t> inout, Op op) = 0;
  virtual Request iallreduce(std::span<double> inout, Op op) = 0;
  virtual Request iallgather(const void* send, std::size_t bytes, void* recv) = 0;
  virtual Request iallgatherv(const void* send, std::size_t bytes, void* recv, std::span<const std::size_t> counts) = 0;
  virtual Request ialltoall(const void* send, std::size_t bytes_each, void* recv) = 0;
  virtual Request ialltoallv(const void* send, std::span<const std::size_t> send_counts, void* recv, std::span<const std::size_t> recv_counts) = 0;
  /// *out = sum over ranks of their send[rank()].
  virtual Request ireduce_scatter(std::span<const std::int64_t> send, std::int64_t* out) = 0;

  // --- neighbourhoods: rank r lists s among its sources if and only if s lists r among its destinations
  /// Collective. Returns the number of the topology.
  virtual int make_topology(std::span<const int> sources, std::span<const int> destinations) = 0;
  virtual Request ineighbor_alltoallv(int topology, const void* send, std::span<const std::size_t> send_counts, void* recv,
                                      std::span<const std::size_t> recv_counts) = 0;

  // --- persistent: made once with fixed buffers, started with start(), completed with test() or wait(), given back with release()
  virtual Request alltoall_init(const void* send, std::size_t bytes_each, void* recv) = 0;
  virtual Request neighbor_alltoall_init(int topology, const void* send, std::size_t bytes_each, void* recv) = 0;
  virtual Request send_init(int to, int tag, const void* data, std::size_t bytes) = 0;
  virtual Request recv_init(int from, int tag, void* data, std::size_t bytes) = 0;
  virtual void start(std::span<const Request> requests) = 0;
  virtual void release(Request request) = 0;

  // --- point to point; messages of one (source, destination, tag) do not overtake one another. tag: 0 .. 32767
  virtual Request isend(int to, int tag, const void* data, std::size_t bytes) = 0;
  /// Complete only once the receiver has begun to receive.
  virtual Request issend(int to, int tag, const void* data, std::size_t bytes) = 0;
  virtual Request irecv(int from, int tag, void* data, std::size_t bytes) = 0;
  /// A message with this tag from any rank; yields the processor when there is none.
  virtual std::optional<Message> iprobe(int tag) = 0;
  virtual void recv(int source, int tag, void* data, std::size_t bytes) = 0;

  // --- completion
  /// True once the operation is complete; the request is then gone (persistent ones: can be started again).
  virtual bool test(Request request) = 0;
  virtual void wait(Request request) = 0;

  // --- ranks of this communicator on the node (machine) of this one
  /// Not collective. At least 1; in a dry run 1.
  virtual int ranks_on_node() const = 0;
  /// Collective over the communicator. Sum of what the ranks of this node give, in the same order on all of them; in a dry run `mine`.
  virtual double sum_on_node(double mine) = 0;

  /// Collective: `bytes` of zeroed memory per rank, readable by the ranks of the same node.
  virtual std::unique_ptr<SharedMemory> share(std::size_t bytes) = 0;

  /// Collective. A communicator of the ranks that give the same color (>= 0), in the same order; a node of it is what is left of a node of
  /// this one. Lives until the end of the process where the back end is mpi: to be made once.
  virtual std::shared_ptr<Communicator> split(int color) = 0;

  /// Ends the whole job, all ranks, with this exit code.
  [[noreturn]] virtual void abort(int code, const std::string& why) = 0;

  // --- blocking forms
  virtual void barrier() { wait(ibarrier()); }
  virtual void allreduce(std::span<std::int64_t> inout, Op op) { wait(iallreduce(inout, op)); }
  virtual void allreduce(std::span<double> inout, Op op) { wait(iallreduce(inout, op)); }
  virtual void allgather(const void* send, std::size_t bytes, void* recv) { wait(iallgather(send, bytes, recv)); }
  virtual void allgatherv(const void* send, std::size_t bytes, void* recv, std::span<const std::size_t> counts) { wait(iallgatherv(send, bytes, recv, counts)); }
  virtual void alltoall(const void* send, std::size_t bytes_each, void* recv) { wait(ialltoall(send, bytes_each, recv)); }
  virtual void alltoallv(const void* send, std::span<const std::size_t> send_counts, void* recv, std::span<const std::size_t> recv_counts) {
    wait(ialltoallv(send, send_counts, recv, recv_counts));
  }
  virtual std::int64_t reduce_scatter(std::span<const std::int64_t> send) {
    std::int64_t out = 0;
    wait(ireduce_scatter(send, &out));
    return out;
  }
};

/// One rank.
std::shared_ptr<Communicator> single();
/// `ranks` communicators of one group, each to be used by a thread of its own; `ranks_per_node` of them share memory (0: all).
std::vector<std::shared_ptr<Communicator>> threads(int ranks, int ranks_per_node = 0);

}  // namespace npl::comm
