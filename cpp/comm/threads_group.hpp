// SPDX-License-Identifier: Apache-2.0
/// Internal to the back end `threads`: state that the ranks of one group share.
#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "base/epoch.hpp"
#include "comm/communicator.hpp"

namespace npl::comm {

/// Prints "neuropil: rank R of N: why" and ends the process at once.
[[noreturn]] void end_job(int rank, int ranks, int code, const std::string& why);
/// The communicators of a group. @param nodes number of the node of each rank. `single` is a group of one rank with another name.
std::vector<std::shared_ptr<Communicator>> make_group(std::vector<int> nodes, const std::string& name);

/// Wakes a sleeping rank. One per rank: the rank waits, others call wake() after each action that may concern it.
class Signal {
 public:
  explicit Signal(SpinBudget spin_budget) : spin_budget_(spin_budget) {}
  void wake() { epoch_.advance(); }

  /// Returns once ready() is true: spins, then sleeps, so that ranks beyond the number of cores cost nothing.
  template <class Ready>
  void wait(Ready ready) {
    for (;;) {
      const unsigned seen = epoch_.now();
      if (ready()) return;
      epoch_.wait(seen, spin_budget_);
    }
  }

 private:
  Epoch epoch_;
  alignas(64) SpinBudget spin_budget_;
};

/// Kinds of collective operations.
enum class Verb : std::uint8_t { barrier, reduce_integers, reduce_doubles, reduce_scatter, gather, exchange };

/// Arguments of one rank to a collective operation.
struct Part {
  Verb verb = Verb::barrier;
  Op op = Op::sum;
  const std::byte* send = nullptr;
  std::byte* recv = nullptr;
  std::size_t length = 0;                     ///< reduction: number of elements; gather: bytes sent
  std::vector<std::size_t> send_at, recv_at;  ///< byte offsets per rank, and the end; copies: the caller's counts may not live on

  std::size_t bytes() const;
  bool matches(const Part& other) const { return verb == other.verb && op == other.op && (verb == Verb::gather || length == other.length); }
};

/// One collective operation. Each rank stores its arguments. After the last one has, any rank that comes along does the work of any rank,
/// so that none depends on another one calling test(). Reductions are computed in order of ranks: the bits do not depend on the order of
/// arrival.
class Operation {
 public:
  explicit Operation(int ranks) : parts(static_cast<std::size_t>(ranks)) {}

  std::vector<Part> parts;
  int found = 0, left = 0;  ///< number of ranks that have fetched / returned this object; protected by the mutex of the group

  void arrive(int rank);
  bool all_arrived() const { return arrived_.load(std::memory_order_acquire) == ranks(); }
  bool complete() const { return done_.load(std::memory_order_acquire) == ranks(); }
  /// Does work that no other rank has claimed; true if that completed the operation.
  bool help(int rank);
  void reset();

 private:
  static constexpr std::size_t small = 16384;  ///< bytes; for less, sharing the work costs more than the work

  int ranks() const { return static_cast<int>(parts.size()); }
  void check(int rank) const;
  void work(int helper, int task);
  void gather(int helper, int to);
  void exchange(int helper, int to);

  alignas(64) std::atomic<int> arrived_{0};
  std::atomic<std::size_t> bytes_{0};
  std::atomic<int> claimed_{0};
  alignas(64) std::atomic<int> done_{0};
};

/// Messages of a channel are matched by source, in order. Channels 0 to 32767 are tags, those from first_topology on topologies.
using Channel = std::uint64_t;
constexpr Channel first_topology = 1 << 16;

/// A message that is sent.
struct Outgoing {
  int source;
  const std::byte* data;
  std::size_t bytes;
  std::atomic<int>* open;                  ///< decremented when received; null: the message is buffered, and the sender is not told
  std::unique_ptr<std::byte[]> copy = {};  ///< data of a buffered message
};

/// A receive that is posted.
struct Incoming {
  int source;
  std::byte* data;
  std::size_t bytes;
  std::atomic<int>* open;  ///< decremented when received
  bool exact;              ///< a shorter message is an error, too
};

/// Unmatched messages and receives of one rank. Thread-safe.
class alignas(64) Mailbox {
 public:
  /// Returns and removes the receive that matches this message; if there is none, stores the message.
  std::optional<Incoming> put(Channel channel, Outgoing message);
  /// Returns and removes the message that matches this receive; if there is none, stores the receive.
  std::optional<Outgoing> take(Channel channel, const Incoming& receive);
  std::optional<Message> oldest(Channel channel);
  void forget_receives();

 private:
  struct Queue {
    std::deque<Outgoing> messages;
    std::deque<Incoming> receives;
  };
  std::mutex mutex_;
  std::unordered_map<Channel, Queue> queues_;
};

/// State of a group of ranks: collective operations in flight, mailboxes, sleeping ranks. Thread-safe.
class Group {
 public:
  /// @param nodes number of the node of each rank
  Group(std::vector<int> nodes, std::string name);

  const std::string name;
  const std::vector<int> nodes;  ///< of the ranks
  const int ranks;

  [[noreturn]] void fail(int rank, const std::string& why) const { end_job(rank, ranks, 1, why); }

  /// Collective operation number `sequence`. Every rank asks once for each number, in ascending order.
  Operation& operation(std::uint64_t sequence);
  void give_back(Operation& operation);
  void help(int rank, Operation& operation) {
    if (operation.help(rank)) wake_all();
  }

  /// @param open decremented after the message was received; null: the message is buffered
  void send(Channel channel, int from, int to, const void* data, std::size_t bytes, std::atomic<int>* open);
  void receive(Channel channel, int at, const Incoming& receive);
  Mailbox& mailbox(int rank) { return mailboxes_[static_cast<std::size_t>(rank)]; }

  template <class Ready>
  void wait(int rank, Ready ready) {
    signals_[static_cast<std::size_t>(rank)].wait(ready);
  }
  void wake(int rank) { signals_[static_cast<std::size_t>(rank)].wake(); }
  void wake_all() {
    for (Signal& signal : signals_) signal.wake();
  }

 private:
  void deliver(int at, const Outgoing& message, const Incoming& receive);

  std::deque<Signal> signals_;
  std::vector<Mailbox> mailboxes_;
  std::mutex mutex_;  ///< of the following
  std::deque<Operation> all_;
  std::vector<Operation*> free_;
  std::deque<Operation*> started_;   ///< not yet found by all ranks
  std::uint64_t first_started_ = 0;  ///< sequence number of the first of these
};

/// `bytes` of zeroed memory per rank of the node. Collective over the group.
std::unique_ptr<SharedMemory> share_memory(const std::shared_ptr<Group>& group, Communicator& communicator, std::size_t bytes);

}  // namespace npl::comm
