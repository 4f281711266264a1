// SPDX-License-Identifier: Apache-2.0
/// Communication between ranks in byte-level operations: the only interface between the kernel and MPI. Back ends: single (one rank),
/// threads (ranks as threads of one process, for tests), dry_run (one rank of many, without the others), mpi (a plug-in opened at run
/// time). A communicator may be used by one thread at a time. All operations but point-to-point ones are collective: every rank calls them
/// in the same order. None throws; errors end the job.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace npl::comm {

/// Reductions; bit_or combines the bit patterns, also of doubles.
enum class Op : std::uint8_t { sum, min, max, bit_or };

/// Handle of a started or persistent operation; 0: already complete. Its buffers may not be used otherwise until it is complete.
using Request = std::uint64_t;

/// A message that has arrived and is not received yet.
struct Message {
  int source;
  std::size_t bytes;
};

/// Memory of the ranks of one node, readable by all of them; see Communicator::share.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  virtual std::span<const int> ranks() const = 0;  ///< ranks of this node, ascending
  virtual std::byte* of(int index) const = 0;      ///< memory of ranks()[index]
  /// Barrier of the ranks of the node; what each wrote before is then visible to all of them. Collective over the node.
  virtual void sync() = 0;
};

/// A group of ranks; see the top of this file.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual std::string name() const = 0;  ///< "single", "threads", "mpi (Open MPI 5.0.11)"
  virtual int rank() const = 0;          ///< of the caller, from 0
  virtual int size() const = 0;          ///< number of ranks
  /// Whether this is a dry run, in which the other ranks are mirror images of this one. See comm/dry_run.hpp.
  virtual bool mirrored() const { return false; }

  /// Call before messages without a collective operation that other ranks will wait for: in a guarded section (guarded.hpp) it throws on
  /// all ranks if one has failed since the last operation. Collective there; else nothing happens.
  virtual void before_messages() {}

  // --- non-blocking collectives; counts are bytes per rank, parts are contiguous and in order of ranks
  virtual Request ibarrier() = 0;
  virtual Request iallreduce(std::span<std::int64_t> inout, Op op) = 0;
  virtual Request iallreduce(std::span<double> inout, Op op) = 0;
  virtual Request iallgather(const void* send, std::size_t bytes, void* recv) = 0;
  virtual Request iallgatherv(const void* send, std::size_t bytes, void* recv, std::span<const std::size_t> counts) = 0;
  virtual Request ialltoall(const void* send, std::size_t bytes_each, void* recv) = 0;
  virtual Request ialltoallv(const void* send, std::span<const std::size_t> send_counts, void* recv,
                             std::span<const std::size_t> recv_counts) = 0;
  /// *out = sum over all ranks of their send[r], r being this rank.
  virtual Request ireduce_scatter(std::span<const std::int64_t> send, std::int64_t* out) = 0;

  // --- neighbourhoods: rank r lists s as a source if and only if s lists r as a destination
  /// Returns the number of the new topology. Collective.
  virtual int make_topology(std::span<const int> sources, std::span<const int> destinations) = 0;
  virtual Request ineighbor_alltoallv(int topology, const void* send, std::span<const std::size_t> send_counts, void* recv,
                                      std::span<const std::size_t> recv_counts) = 0;

  // --- persistent operations: made once with fixed buffers, started with start(), completed with test() or wait(), freed with release()
  virtual Request alltoall_init(const void* send, std::size_t bytes_each, void* recv) = 0;
  virtual Request neighbor_alltoall_init(int topology, const void* send, std::size_t bytes_each, void* recv) = 0;
  virtual Request send_init(int to, int tag, const void* data, std::size_t bytes) = 0;
  virtual Request recv_init(int from, int tag, void* data, std::size_t bytes) = 0;
  virtual void start(std::span<const Request> requests) = 0;
  virtual void release(Request request) = 0;

  // --- point to point; messages with the same source, destination and tag keep their order. tag: 0 to 32767
  virtual Request isend(int to, int tag, const void* data, std::size_t bytes) = 0;
  /// Synchronous send: complete only after the receiver has begun to receive.
  virtual Request issend(int to, int tag, const void* data, std::size_t bytes) = 0;
  virtual Request irecv(int from, int tag, void* data, std::size_t bytes) = 0;
  /// A message with this tag that has arrived from any rank; without one the processor is yielded.
  virtual std::optional<Message> iprobe(int tag) = 0;
  /// Receives a message; waits for it.
  virtual void recv(int source, int tag, void* data, std::size_t bytes) = 0;

  // --- completion
  /// Whether the operation is complete. If so, the request is freed; a persistent one can be started again.
  virtual bool test(Request request) = 0;
  /// Returns when the operation is complete; then as test().
  virtual void wait(Request request) = 0;

  // --- ranks of this communicator on the node (machine) of this one
  /// Not collective. At least 1; in a dry run 1.
  virtual int ranks_on_node() const = 0;
  /// Collective over the communicator. Sum of what the ranks of this node give, in the same order on all of them; in a dry run `mine`.
  virtual double sum_on_node(double mine) = 0;

  /// `bytes` of zeroed memory per rank, readable by the ranks of the same node. Collective.
  virtual std::unique_ptr<SharedMemory> share(std::size_t bytes) = 0;

  /// A communicator of the ranks that give the same color (>= 0), in the same order; its nodes are parts of the nodes of this one. With MPI
  /// it lives until the end of the process, so it should be made once. Collective.
  virtual std::shared_ptr<Communicator> split(int color) = 0;

  /// Ends the whole job, all ranks, with this exit code.
  [[noreturn]] virtual void abort(int code, const std::string& why) = 0;

  // --- blocking forms
  virtual void barrier() { wait(ibarrier()); }
  virtual void allreduce(std::span<std::int64_t> inout, Op op) { wait(iallreduce(inout, op)); }
  virtual void allreduce(std::span<double> inout, Op op) { wait(iallreduce(inout, op)); }
  virtual void allgather(const void* send, std::size_t bytes, void* recv) { wait(iallgather(send, bytes, recv)); }
  virtual void allgatherv(const void* send, std::size_t bytes, void* recv, std::span<const std::size_t> counts) {
    wait(iallgatherv(send, bytes, recv, counts));
  }
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

/// A communicator of one rank.
std::shared_ptr<Communicator> single();
/// The communicators of a group of `ranks` >= 1 ranks, each for a thread of its own. Groups of `ranks_per_node` ranks form a node, whose
/// ranks share memory (0: all ranks are on one node). Throws BadParameter.
std::vector<std::shared_ptr<Communicator>> threads(int ranks, int ranks_per_node = 0);

}  // namespace npl::comm
