// SPDX-License-Identifier: Apache-2.0
// Back end whose ranks are threads of one process: the operations of Communicator, on the shared state of threads_group.hpp.
#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "comm/threads_group.hpp"

namespace npl::comm {
namespace {

/// A started or persistent operation of one rank.
struct Slot {
  std::atomic<int> open{0};  ///< number of transfers that are not complete
  Operation* operation = nullptr;
  std::function<void(Slot&)> start = {};  ///< persistent requests only
  bool active = false;
  std::uint32_t generation = 1;  ///< upper half of the request: tells a freed request from the present one
};

struct Topology {
  std::vector<int> sources, destinations;
};

void offsets(std::span<const std::size_t> counts, std::vector<std::size_t>& at) {
  at.assign(1, 0);
  for (std::size_t count : counts) at.push_back(at.back() + count);
}

void even_offsets(int ranks, std::size_t bytes, std::vector<std::size_t>& at) {
  at.assign(1, 0);
  for (int r = 0; r < ranks; ++r) at.push_back(at.back() + bytes);
}

class Threads final : public Communicator {
 public:
  Threads(std::shared_ptr<Group> group, int rank) : group_(std::move(group)), rank_(rank) {}
  ~Threads() override { group_->mailbox(rank_).forget_receives(); }

  std::string name() const override { return group_->name; }
  int rank() const override { return rank_; }
  int size() const override { return group_->ranks; }
  int ranks_on_node() const override { return static_cast<int>(std::count(group_->nodes.begin(), group_->nodes.end(), group_->nodes[static_cast<std::size_t>(rank_)])); }
  double sum_on_node(double mine) override {
    std::vector<double> all(ranks());
    allgather(&mine, sizeof mine, all.data());
    double sum = 0;
    for (std::size_t r = 0; r < ranks(); ++r)
      if (group_->nodes[r] == group_->nodes[static_cast<std::size_t>(rank_)]) sum += all[r];
    return sum;
  }

  // --- started collectives
  Request ibarrier() override {
    return collective(Verb::barrier, [](Part&) {});
  }
  Request iallreduce(std::span<std::int64_t> inout, Op op) override { return reduction(Verb::reduce_integers, inout, op); }
  Request iallreduce(std::span<double> inout, Op op) override { return reduction(Verb::reduce_doubles, inout, op); }

  Request iallgather(const void* send, std::size_t bytes, void* recv) override {
    return collective(Verb::gather, [&](Part& part) {
      buffers(part, send, recv);
      part.length = bytes;
      even_offsets(size(), bytes, part.recv_at);
    });
  }

  Request iallgatherv(const void* send, std::size_t bytes, void* recv, std::span<const std::size_t> counts) override {
    check_length("counts", counts.size(), ranks());
    return collective(Verb::gather, [&](Part& part) {
      buffers(part, send, recv);
      part.length = bytes;
      offsets(counts, part.recv_at);
    });
  }

  Request ialltoall(const void* send, std::size_t bytes_each, void* recv) override {
    Slot& slot = new_slot();
    begin_alltoall(slot, send, bytes_each, recv);
    return started(slot);
  }

  Request ialltoallv(const void* send, std::span<const std::size_t> send_counts, void* recv,
                     std::span<const std::size_t> recv_counts) override {
    check_length("send_counts", send_counts.size(), ranks());
    check_length("recv_counts", recv_counts.size(), ranks());
    return collective(Verb::exchange, [&](Part& part) {
      buffers(part, send, recv);
      offsets(send_counts, part.send_at);
      offsets(recv_counts, part.recv_at);
    });
  }

  Request ireduce_scatter(std::span<const std::int64_t> send, std::int64_t* out) override {
    check_length("send", send.size(), ranks());
    return collective(Verb::reduce_scatter, [&](Part& part) {
      buffers(part, send.data(), out);
      part.length = send.size();
    });
  }

  // --- neighbourhoods
  int make_topology(std::span<const int> sources, std::span<const int> destinations) override {
    std::vector<int> sends(ranks()), receives(ranks());
    for (int to : destinations) ++sends[known(to)];
    alltoall(sends.data(), sizeof(int), receives.data());
    for (int from : sources) --receives[known(from)];
    for (std::size_t r = 0; r < ranks(); ++r)
      if (receives[r]) group_->fail(rank_, "rank " + std::to_string(r) + " and this one disagree on being neighbours");
    topologies_.push_back({{sources.begin(), sources.end()}, {destinations.begin(), destinations.end()}});
    return static_cast<int>(topologies_.size()) - 1;
  }

  Request ineighbor_alltoallv(int topology, const void* send, std::span<const std::size_t> send_counts, void* recv,
                              std::span<const std::size_t> recv_counts) override {
    Slot& slot = new_slot();
    begin_neighbors(slot, topology, send, send_counts, recv, recv_counts);
    return started(slot);
  }

  // --- persistent
  Request alltoall_init(const void* send, std::size_t bytes_each, void* recv) override {
    return persistent([=, this](Slot& slot) { begin_alltoall(slot, send, bytes_each, recv); });
  }

  Request neighbor_alltoall_init(int topology, const void* send, std::size_t bytes_each, void* recv) override {
    const Topology& neighbors = known_topology(topology);
    const std::vector<std::size_t> sent(neighbors.destinations.size(), bytes_each), received(neighbors.sources.size(), bytes_each);
    return persistent([=, this](Slot& slot) { begin_neighbors(slot, topology, send, sent, recv, received); });
  }

  Request send_init(int to, int tag, const void* data, std::size_t bytes) override {
    return persistent([=, this](Slot&) { group_->send(channel(tag), rank_, to, data, bytes, nullptr); });
  }

  Request recv_init(int from, int tag, void* data, std::size_t bytes) override {
    return persistent([=, this](Slot& slot) { begin_receive(slot, from, tag, data, bytes); });
  }

  void start(std::span<const Request> requests) override {
    for (Request request : requests) {
      Slot& slot = known_slot(request);
      if (!slot.start || slot.active)
        group_->fail(rank_, slot.start ? "a request is started that is not complete" : "a request is started that is not persistent");
      slot.active = true;
      slot.start(slot);
    }
  }

  void release(Request request) override {
    if (!request) return;
    Slot& slot = known_slot(request);
    if (slot.active) group_->fail(rank_, "a request is released that is not complete");
    recycle(slot, request);
  }

  // --- point to point
  Request isend(int to, int tag, const void* data, std::size_t bytes) override {
    group_->send(channel(tag), rank_, to, data, bytes, nullptr);
    return 0;  // complete: the message was received or copied
  }

  Request issend(int to, int tag, const void* data, std::size_t bytes) override {
    Slot& slot = new_slot();
    slot.open.store(1, std::memory_order_relaxed);
    group_->send(channel(tag), rank_, to, data, bytes, &slot.open);
    return started(slot);
  }

  Request irecv(int from, int tag, void* data, std::size_t bytes) override {
    Slot& slot = new_slot();
    begin_receive(slot, from, tag, data, bytes);
    return started(slot);
  }

  std::optional<Message> iprobe(int tag) override {
    const auto found = group_->mailbox(rank_).oldest(channel(tag));
    if (!found) std::this_thread::yield();
    return found;
  }

  void recv(int source, int tag, void* data, std::size_t bytes) override { wait(irecv(source, tag, data, bytes)); }

  // --- completion
  bool test(Request request) override {
    if (!request) return true;
    Slot& slot = known_slot(request);
    if (!complete(slot)) {
      std::this_thread::yield();
      return false;
    }
    retire(slot, request);
    return true;
  }

  void wait(Request request) override {
    if (!request) return;
    Slot& slot = known_slot(request);
    group_->wait(rank_, [&] { return complete(slot); });
    retire(slot, request);
  }

  std::unique_ptr<SharedMemory> share(std::size_t bytes) override { return share_memory(group_, *this, bytes); }

  /// The first rank of each color makes the communicators of that color; each rank takes its own.
  std::shared_ptr<Communicator> split(int color) override {
    std::vector<int> colors(ranks());
    allgather(&color, sizeof color, colors.data());
    std::vector<int> nodes, members;
    for (std::size_t r = 0; r < ranks(); ++r)
      if (colors[r] == color) members.push_back(static_cast<int>(r)), nodes.push_back(group_->nodes[r]);
    std::vector<std::shared_ptr<Communicator>> made;
    if (members.front() == rank_) made = make_group(std::move(nodes), group_->name);
    const auto* address = &made;
    std::vector<const std::vector<std::shared_ptr<Communicator>>*> addresses(ranks());
    allgather(&address, sizeof address, addresses.data());
    const auto place = std::lower_bound(members.begin(), members.end(), rank_) - members.begin();
    const auto mine = (*addresses[static_cast<std::size_t>(members.front())])[static_cast<std::size_t>(place)];
    barrier();  // all ranks have read the list before its owner destroys it
    return mine;
  }

  [[noreturn]] void abort(int code, const std::string& why) override { end_job(rank_, size(), code, why); }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(size()); }

  void check_length(const char* what, std::size_t length, std::size_t wanted) const {
    if (length != wanted)
      group_->fail(rank_, std::string(what) + " has " + std::to_string(length) + " elements, not " + std::to_string(wanted));
  }

  std::size_t known(int rank) const {
    if (rank < 0 || rank >= size()) group_->fail(rank_, "no rank " + std::to_string(rank));
    return static_cast<std::size_t>(rank);
  }

  const Topology& known_topology(int topology) const {
    if (topology < 0 || static_cast<std::size_t>(topology) >= topologies_.size())
      group_->fail(rank_, "no topology " + std::to_string(topology));
    return topologies_[static_cast<std::size_t>(topology)];
  }

  Channel channel(int tag) const {
    if (tag < 0 || tag > 32767) group_->fail(rank_, "tag " + std::to_string(tag) + " is not in 0 .. 32767");
    return static_cast<Channel>(tag);
  }

  // --- slots: the number of a slot, from 1 on, is the lower half of a request
  Slot& new_slot() {
    if (free_.empty()) {
      slots_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    }
    Slot& slot = slots_[free_.back() - 1];
    slot.active = true;
    return slot;
  }

  /// The request of a slot that new_slot returned; 0 if the operation is already complete.
  Request started(Slot& slot) {
    if (complete(slot)) return 0;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return (Request{slot.generation} << 32) | number;
  }

  Request persistent(std::function<void(Slot&)> start) {
    Slot& slot = new_slot();
    const std::uint32_t number = free_.back();
    free_.pop_back();
    slot.start = std::move(start);
    slot.active = false;
    return (Request{slot.generation} << 32) | number;
  }

  Slot& known_slot(Request request) {
    const std::size_t number = request & 0xffffffff;
    if (number == 0 || number > slots_.size() || slots_[number - 1].generation != request >> 32)
      group_->fail(rank_, "a request is used that is gone");
    return slots_[number - 1];
  }

  void retire(Slot& slot, Request request) {
    slot.active = false;
    if (!slot.start) recycle(slot, request);
  }

  void recycle(Slot& slot, Request request) {
    slot.start = nullptr;
    ++slot.generation;
    free_.push_back(static_cast<std::uint32_t>(request));
  }

  bool complete(Slot& slot) {
    if (!slot.operation) return slot.open.load(std::memory_order_acquire) == 0;
    group_->help(rank_, *slot.operation);
    if (!slot.operation->complete()) return false;
    group_->give_back(*slot.operation);
    slot.operation = nullptr;
    return true;
  }

  // --- beginnings
  static void buffers(Part& part, const void* send, void* recv) {
    part.send = static_cast<const std::byte*>(send);
    part.recv = static_cast<std::byte*>(recv);
  }

  template <class Fill>
  void begin(Slot& slot, Verb verb, Fill fill) {
    Operation& operation = group_->operation(sequence_++);
    Part& part = operation.parts[static_cast<std::size_t>(rank_)];
    part.verb = verb;
    part.op = Op::sum;
    part.length = 0;
    part.send_at.clear();
    part.recv_at.clear();
    fill(part);
    operation.arrive(rank_);
    slot.operation = &operation;
    group_->help(rank_, operation);
  }

  template <class Fill>
  Request collective(Verb verb, Fill fill) {
    Slot& slot = new_slot();
    begin(slot, verb, fill);
    return started(slot);
  }

  template <class T>
  Request reduction(Verb verb, std::span<T> inout, Op op) {
    return collective(verb, [&](Part& part) {
      buffers(part, nullptr, inout.data());
      part.length = inout.size();
      part.op = op;
    });
  }

  void begin_alltoall(Slot& slot, const void* send, std::size_t bytes_each, void* recv) {
    begin(slot, Verb::exchange, [&](Part& part) {
      buffers(part, send, recv);
      even_offsets(size(), bytes_each, part.send_at);
      even_offsets(size(), bytes_each, part.recv_at);
    });
  }

  void begin_receive(Slot& slot, int from, int tag, void* data, std::size_t bytes) {
    slot.open.store(1, std::memory_order_relaxed);
    group_->receive(channel(tag), rank_, {from, static_cast<std::byte*>(data), bytes, &slot.open, false});
  }

  void begin_neighbors(Slot& slot, int topology, const void* send, std::span<const std::size_t> send_counts, void* recv,
                       std::span<const std::size_t> recv_counts) {
    const Topology& neighbors = known_topology(topology);
    check_length("send_counts", send_counts.size(), neighbors.destinations.size());
    check_length("recv_counts", recv_counts.size(), neighbors.sources.size());
    const Channel mine = first_topology + static_cast<Channel>(topology);
    slot.open.store(static_cast<int>(recv_counts.size()), std::memory_order_relaxed);
    auto* to = static_cast<std::byte*>(recv);
    for (std::size_t i = 0; i < recv_counts.size(); to += recv_counts[i++])
      group_->receive(mine, rank_, {neighbors.sources[i], to, recv_counts[i], &slot.open, true});
    const auto* from = static_cast<const std::byte*>(send);
    for (std::size_t i = 0; i < send_counts.size(); from += send_counts[i++])
      group_->send(mine, rank_, neighbors.destinations[i], from, send_counts[i], nullptr);
  }

  std::shared_ptr<Group> group_;
  int rank_;
  std::uint64_t sequence_ = 0;
  std::vector<Topology> topologies_;
  std::deque<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

std::vector<std::shared_ptr<Communicator>> make_group(std::vector<int> nodes, const std::string& name) {
  const auto group = std::make_shared<Group>(std::move(nodes), name);
  std::vector<std::shared_ptr<Communicator>> all;
  for (int r = 0; r < group->ranks; ++r) all.push_back(std::make_shared<Threads>(group, r));
  return all;
}

std::vector<std::shared_ptr<Communicator>> threads(int ranks, int ranks_per_node) {
  if (ranks < 1) throw BadParameter("ranks", ranks, ">= 1");
  if (ranks_per_node < 0) throw BadParameter("ranks_per_node", ranks_per_node, ">= 0");
  std::vector<int> nodes;
  for (int r = 0; r < ranks; ++r) nodes.push_back(ranks_per_node ? r / ranks_per_node : 0);
  return make_group(std::move(nodes), "threads");
}

}  // namespace npl::comm
