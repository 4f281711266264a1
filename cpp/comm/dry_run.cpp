// SPDX-License-Identifier: Apache-2.0
#include "comm/dry_run.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "comm/threads_group.hpp"

namespace npl::comm {
namespace {

class OwnMemory final : public SharedMemory {
 public:
  OwnMemory(int rank, std::size_t bytes) : rank_(rank), memory_(bytes) {}
  std::span<const int> ranks() const override { return {&rank_, 1}; }
  std::byte* of(int) const override { return memory_.data(); }
  void sync() override {}

 private:
  int rank_;
  mutable Buffer<std::byte> memory_;
};

/// A sent message, to be received as one from its destination.
struct Pending {
  int with;
  const std::byte* data;
  std::size_t bytes;
  Request request;  ///< of the sender; 0 after its buffer is free
  std::unique_ptr<std::byte[]> copy = {};
};

enum class Kind : std::uint8_t { send, synchronous_send, receive, alltoall, neighbor };

/// A persistent operation, or one that is not complete when it starts.
struct DryOperation {
  Kind kind;
  bool persistent = false, active = false;
  int with = 0, tag = 0;  ///< tag, or number of the topology
  const void* send = nullptr;
  void* recv = nullptr;
  std::size_t bytes = 0;  ///< of the message, or of each part
};

class DryRun final : public Communicator {
 public:
  DryRun(int ranks, int rank) : ranks_(ranks), rank_(rank) {}
  std::string name() const override { return "dry run"; }
  int rank() const override { return rank_; }
  int size() const override { return ranks_; }
  bool mirrored() const override { return true; }
  int ranks_on_node() const override { return 1; }
  double sum_on_node(double mine) override { return mine; }

  // --- collectives: complete when they start
  Request ibarrier() override { return 0; }
  Request iallreduce(std::span<std::int64_t> inout, Op op) override { return reduce(inout, op); }
  Request iallreduce(std::span<double> inout, Op op) override { return reduce(inout, op); }
  Request iallgather(const void* send, std::size_t bytes, void* recv) override {
    for (std::size_t r = 0; r < ranks(); ++r) copy(recv, r * bytes, send, 0, bytes);
    return 0;
  }
  Request iallgatherv(const void* send, std::size_t bytes, void* recv, std::span<const std::size_t> counts) override {
    check_length("counts", counts.size(), ranks());
    std::size_t at = 0;
    for (std::size_t count : counts) {
      check_length("a part", count, bytes);
      copy(recv, at, send, 0, bytes);
      at += bytes;
    }
    return 0;
  }
  Request ialltoall(const void* send, std::size_t bytes_each, void* recv) override {
    copy(recv, 0, send, 0, bytes_each * ranks());
    return 0;
  }
  Request ialltoallv(const void* send, std::span<const std::size_t> send_counts, void* recv,
                     std::span<const std::size_t> recv_counts) override {
    check_length("send_counts", send_counts.size(), ranks());
    check_length("recv_counts", recv_counts.size(), ranks());
    std::size_t bytes = 0;
    for (std::size_t r = 0; r < ranks(); ++r) {
      check_length("a part", recv_counts[r], send_counts[r]);
      bytes += send_counts[r];
    }
    copy(recv, 0, send, 0, bytes);
    return 0;
  }
  Request ireduce_scatter(std::span<const std::int64_t> send, std::int64_t* out) override {
    check_length("send", send.size(), ranks());
    *out = 0;
    for (std::int64_t value : send) *out += value;
    return 0;
  }

  // --- neighbourhoods: sources are destinations
  int make_topology(std::span<const int> sources, std::span<const int> destinations) override {
    if (!std::equal(sources.begin(), sources.end(), destinations.begin(), destinations.end()))
      fail("the ranks it hears from are not those that it sends to: this has no mirror");
    neighbors_.push_back(sources.size());
    return static_cast<int>(neighbors_.size()) - 1;
  }
  Request ineighbor_alltoallv(int topology, const void* send, std::span<const std::size_t> send_counts, void* recv,
                              std::span<const std::size_t> recv_counts) override {
    const std::size_t n = known_topology(topology);
    check_length("send_counts", send_counts.size(), n);
    check_length("recv_counts", recv_counts.size(), n);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < n; ++i) {
      check_length("a part", recv_counts[i], send_counts[i]);
      bytes += send_counts[i];
    }
    copy(recv, 0, send, 0, bytes);
    return 0;
  }

  // --- persistent
  Request alltoall_init(const void* send, std::size_t bytes_each, void* recv) override {
    return add({Kind::alltoall, true, false, 0, 0, send, recv, bytes_each * ranks()});
  }
  Request neighbor_alltoall_init(int topology, const void* send, std::size_t bytes_each, void* recv) override {
    return add({Kind::neighbor, true, false, 0, topology, send, recv, bytes_each * known_topology(topology)});
  }
  Request send_init(int to, int tag, const void* data, std::size_t bytes) override {
    return add({Kind::send, true, false, known(to), channel(tag), data, nullptr, bytes});
  }
  Request recv_init(int from, int tag, void* data, std::size_t bytes) override {
    return add({Kind::receive, true, false, known(from), channel(tag), nullptr, data, bytes});
  }
  void start(std::span<const Request> requests) override {
    for (Request request : requests) {
      DryOperation& o = operation(request);
      if (!o.persistent || o.active) fail("a request is started that is not persistent or not complete");
      o.active = true;
      if (o.kind == Kind::send) post(o, request);
      if (o.kind == Kind::alltoall || o.kind == Kind::neighbor) copy(o.recv, 0, o.send, 0, o.bytes);
    }
  }
  void release(Request request) override {
    if (!request) return;
    if (operation(request).active) fail("a request is released that is not complete");
    operations_.erase(request);
  }

  // --- point to point
  Request isend(int to, int tag, const void* data, std::size_t bytes) override {
    return sent({Kind::send, false, true, known(to), channel(tag), data, nullptr, bytes});
  }
  Request issend(int to, int tag, const void* data, std::size_t bytes) override {
    return sent({Kind::synchronous_send, false, true, known(to), channel(tag), data, nullptr, bytes});
  }
  Request irecv(int from, int tag, void* data, std::size_t bytes) override {
    if (receive(known(from), channel(tag), data, bytes)) return 0;
    return add({Kind::receive, false, true, from, tag, nullptr, data, bytes});
  }
  std::optional<Message> iprobe(int tag) override {
    const auto queue = queues_.find(channel(tag));
    if (queue == queues_.end() || queue->second.empty()) return {};
    return Message{queue->second.front().with, queue->second.front().bytes};
  }
  void recv(int source, int tag, void* data, std::size_t bytes) override { wait(irecv(source, tag, data, bytes)); }

  // --- completion
  bool test(Request request) override {
    if (!request) return true;
    DryOperation& o = operation(request);
    if (o.active && !complete(o, request)) return false;
    o.active = false;
    if (!o.persistent) operations_.erase(request);
    return true;
  }
  void wait(Request request) override {
    if (!test(request)) fail("waits for a message that no rank sends, or for a rank to receive one");
  }

  std::shared_ptr<Communicator> split(int) override { abort(1, "a dry run has no parts"); }
  std::unique_ptr<SharedMemory> share(std::size_t bytes) override { return std::make_unique<OwnMemory>(rank_, bytes); }
  [[noreturn]] void abort(int code, const std::string& why) override { end_job(rank_, ranks_, code, why); }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(ranks_); }
  [[noreturn]] void fail(const std::string& why) const { end_job(rank_, ranks_, 1, "dry run: " + why); }
  void check_length(const char* what, std::size_t length, std::size_t wanted) const {
    if (length != wanted) fail(std::string(what) + " has length " + std::to_string(length) + ", not " + std::to_string(wanted));
  }
  int known(int rank) const {
    if (rank < 0 || rank >= ranks_) fail("no rank " + std::to_string(rank));
    return rank;
  }
  int channel(int tag) const {
    if (tag < 0 || tag > 32767) fail("tag " + std::to_string(tag) + " is not in 0 .. 32767");
    return tag;
  }
  std::size_t known_topology(int topology) const {
    if (topology < 0 || static_cast<std::size_t>(topology) >= neighbors_.size()) fail("no topology " + std::to_string(topology));
    return neighbors_[static_cast<std::size_t>(topology)];
  }

  static void copy(void* to, std::size_t to_at, const void* from, std::size_t from_at, std::size_t bytes) {
    if (bytes) std::memcpy(static_cast<std::byte*>(to) + to_at, static_cast<const std::byte*>(from) + from_at, bytes);
  }
  template <class T>
  Request reduce(std::span<T> inout, Op op) const {
    if (op == Op::sum)
      for (T& value : inout) value *= static_cast<T>(ranks_);
    return 0;
  }

  Request add(DryOperation o) {
    operations_.emplace(next_, o);
    return next_++;
  }
  DryOperation& operation(Request request) {
    const auto found = operations_.find(request);
    if (found == operations_.end()) fail("a request is used that is gone");
    return found->second;
  }
  Request sent(const DryOperation& o) {
    const Request request = add(o);
    post(o, request);
    return request;
  }
  void post(const DryOperation& o, Request request) {
    queues_[o.tag].push_back({o.with, static_cast<const std::byte*>(o.send), o.bytes, request});
    if (o.kind == Kind::send || o.kind == Kind::synchronous_send) unreceived_.insert(request);
  }

  /// Copies the first message from that rank to `data`; false if there is none yet.
  bool receive(int from, int tag, void* data, std::size_t bytes) {
    const auto queue = queues_.find(tag);
    if (queue == queues_.end()) return false;
    const auto found = std::find_if(queue->second.begin(), queue->second.end(), [&](const Pending& p) { return p.with == from; });
    if (found == queue->second.end()) return false;
    if (found->bytes > bytes)
      fail("a message of " + std::to_string(found->bytes) + " bytes is longer than the " + std::to_string(bytes) + " of its receiver");
    copy(data, 0, found->data, 0, found->bytes);
    if (found->request) unreceived_.erase(found->request);
    found == queue->second.begin() ? queue->second.pop_front() : void(queue->second.erase(found));
    return true;
  }

  bool complete(const DryOperation& o, Request request) {
    if (o.kind == Kind::receive) return receive(o.with, o.tag, o.recv, o.bytes);
    if ((o.kind != Kind::send && o.kind != Kind::synchronous_send) || !unreceived_.contains(request)) return true;
    if (o.kind == Kind::send) buffer(o.tag, request);
    return o.kind == Kind::send;
  }

  /// Completes a send: keeps a copy of the message, so that the sender can use its buffer again.
  void buffer(int tag, Request request) {
    for (Pending& p : queues_[tag]) {
      if (p.request != request) continue;
      p.copy = std::make_unique<std::byte[]>(p.bytes);
      copy(p.copy.get(), 0, p.data, 0, p.bytes);
      p.data = p.copy.get();
      p.request = 0;
    }
    unreceived_.erase(request);
  }

  int ranks_, rank_;
  Request next_ = 1;
  std::vector<std::size_t> neighbors_;  ///< number of neighbours, by topology
  std::unordered_map<Request, DryOperation> operations_;
  std::unordered_set<Request> unreceived_;               ///< sends whose message is not received yet
  std::unordered_map<int, std::deque<Pending>> queues_;  ///< by tag
};

}  // namespace

std::shared_ptr<Communicator> dry_run(int ranks, int rank) {
  if (ranks < 1) throw BadParameter("ranks", ranks, "at least 1");
  if (rank < 0 || rank >= ranks) throw BadParameter("rank", rank, "from 0 to " + std::to_string(ranks - 1));
  return std::make_shared<DryRun>(ranks, rank);
}

}  // namespace npl::comm
