// SPDX-License-Identifier: Apache-2.0
/// A communicator that lets ranks fail together. Inside a guarded section each collective operation begins with a word of all ranks: a rank
/// that has failed (out of memory, say) tells it there, and the others leave the section with it instead of waiting for ever. Outside of
/// sections operations go to the communicator inside unchanged.
#pragma once
#include <cstdlib>
#include <new>

#include "comm/communicator.hpp"

namespace npl::comm {

/// Thrown on ranks in a guarded section when another rank has failed.
struct OtherRankFailed {};

class Guarded final : public Communicator {
 public:
  explicit Guarded(std::shared_ptr<Communicator> inner)
      : inner_(std::move(inner)), rank_(inner_->rank()), size_(inner_->size()), several_(size_ > 1 && !inner_->mirrored()) {}

  /// All ranks enter and leave sections together; sections nest.
  class Section {
   public:
    explicit Section(Guarded& comm) : comm_(comm) { ++comm_.depth_; }
    ~Section() { --comm_.depth_; }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    /// Call at the end of the work. Throws OtherRankFailed. Collective.
    void end() { comm_.before_messages(); }
    /// This rank has failed, and has not heard that another one has. Collective: it is heard by the next operation of the others.
    void fail() noexcept { comm_.all_go_on(false); }

   private:
    Guarded& comm_;
  };

 private:
  /// Other ranks wait for what the communicator inside does: if it has no memory for it, the job ends.
  template <class F>
  auto sure(F&& f) -> decltype(f()) {
    try {
      return f();
    } catch (const std::bad_alloc&) {
      inner_->abort(1, "out of memory");  // so short a text needs no memory
      throw;                              // never reached: at -Og gcc does not see that a virtual function never returns
    }
  }

 public:
  void before_messages() override {
    if (depth_ > 0 && !all_go_on(true)) throw OtherRankFailed();
  }

  std::string name() const override { return inner_->name(); }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool mirrored() const override { return inner_->mirrored(); }

  Request ibarrier() override {
    return sure([&] { return inner_->ibarrier(); });
  }
  Request iallreduce(std::span<std::int64_t> inout, Op op) override {
    return sure([&] { return inner_->iallreduce(inout, op); });
  }
  Request iallreduce(std::span<double> inout, Op op) override {
    return sure([&] { return inner_->iallreduce(inout, op); });
  }
  Request iallgather(const void* send, std::size_t bytes, void* recv) override {
    return sure([&] { return inner_->iallgather(send, bytes, recv); });
  }
  Request iallgatherv(const void* send, std::size_t bytes, void* recv, std::span<const std::size_t> counts) override {
    return sure([&] { return inner_->iallgatherv(send, bytes, recv, counts); });
  }
  Request ialltoall(const void* send, std::size_t bytes_each, void* recv) override {
    return sure([&] { return inner_->ialltoall(send, bytes_each, recv); });
  }
  Request ialltoallv(const void* send, std::span<const std::size_t> send_counts, void* recv,
                     std::span<const std::size_t> recv_counts) override {
    return sure([&] { return inner_->ialltoallv(send, send_counts, recv, recv_counts); });
  }
  Request ireduce_scatter(std::span<const std::int64_t> send, std::int64_t* out) override {
    return sure([&] { return inner_->ireduce_scatter(send, out); });
  }

  int make_topology(std::span<const int> sources, std::span<const int> destinations) override {
    before_messages();
    return sure([&] { return inner_->make_topology(sources, destinations); });
  }
  Request ineighbor_alltoallv(int topology, const void* send, std::span<const std::size_t> send_counts, void* recv,
                              std::span<const std::size_t> recv_counts) override {
    return sure([&] { return inner_->ineighbor_alltoallv(topology, send, send_counts, recv, recv_counts); });
  }
  Request alltoall_init(const void* send, std::size_t bytes_each, void* recv) override {
    before_messages();
    return sure([&] { return inner_->alltoall_init(send, bytes_each, recv); });
  }
  Request neighbor_alltoall_init(int topology, const void* send, std::size_t bytes_each, void* recv) override {
    before_messages();
    return sure([&] { return inner_->neighbor_alltoall_init(topology, send, bytes_each, recv); });
  }
  Request send_init(int to, int tag, const void* data, std::size_t bytes) override {
    return sure([&] { return inner_->send_init(to, tag, data, bytes); });
  }
  Request recv_init(int from, int tag, void* data, std::size_t bytes) override {
    return sure([&] { return inner_->recv_init(from, tag, data, bytes); });
  }
  void start(std::span<const Request> requests) override {
    return sure([&] { return inner_->start(requests); });
  }
  void release(Request request) override {
    return sure([&] { return inner_->release(request); });
  }

  Request isend(int to, int tag, const void* data, std::size_t bytes) override {
    return sure([&] { return inner_->isend(to, tag, data, bytes); });
  }
  Request issend(int to, int tag, const void* data, std::size_t bytes) override {
    return sure([&] { return inner_->issend(to, tag, data, bytes); });
  }
  Request irecv(int from, int tag, void* data, std::size_t bytes) override {
    return sure([&] { return inner_->irecv(from, tag, data, bytes); });
  }
  std::optional<Message> iprobe(int tag) override {
    return sure([&] { return inner_->iprobe(tag); });
  }
  void recv(int source, int tag, void* data, std::size_t bytes) override {
    return sure([&] { return inner_->recv(source, tag, data, bytes); });
  }
  bool test(Request request) override {
    return sure([&] { return inner_->test(request); });
  }
  void wait(Request request) override {
    return sure([&] { return inner_->wait(request); });
  }

  int ranks_on_node() const override { return inner_->ranks_on_node(); }
  double sum_on_node(double mine) override {
    before_messages();
    return sure([&] { return inner_->sum_on_node(mine); });
  }
  std::unique_ptr<SharedMemory> share(std::size_t bytes) override {
    before_messages();
    return sure([&] { return inner_->share(bytes); });
  }
  /// Operations of the part are not guarded.
  std::shared_ptr<Communicator> split(int color) override {
    before_messages();
    return sure([&] { return inner_->split(color); });
  }
  [[noreturn]] void abort(int code, const std::string& why) override { inner_->abort(code, why), std::abort(); }

  void barrier() override {
    before_messages();
    return sure([&] { return inner_->barrier(); });
  }
  void allreduce(std::span<std::int64_t> inout, Op op) override {
    before_messages();
    return sure([&] { return inner_->allreduce(inout, op); });
  }
  void allreduce(std::span<double> inout, Op op) override {
    before_messages();
    return sure([&] { return inner_->allreduce(inout, op); });
  }
  void allgather(const void* send, std::size_t bytes, void* recv) override {
    before_messages();
    return sure([&] { return inner_->allgather(send, bytes, recv); });
  }
  void allgatherv(const void* send, std::size_t bytes, void* recv, std::span<const std::size_t> counts) override {
    before_messages();
    return sure([&] { return inner_->allgatherv(send, bytes, recv, counts); });
  }
  void alltoall(const void* send, std::size_t bytes_each, void* recv) override {
    before_messages();
    return sure([&] { return inner_->alltoall(send, bytes_each, recv); });
  }
  void alltoallv(const void* send, std::span<const std::size_t> send_counts, void* recv,
                 std::span<const std::size_t> recv_counts) override {
    before_messages();
    return sure([&] { return inner_->alltoallv(send, send_counts, recv, recv_counts); });
  }
  std::int64_t reduce_scatter(std::span<const std::int64_t> send) override {
    before_messages();
    return sure([&] { return inner_->reduce_scatter(send); });
  }

 private:
  bool all_go_on(bool mine) {
    std::int64_t all = mine;
    if (several_) sure([&] { inner_->allreduce(std::span<std::int64_t>(&all, 1), Op::min); });
    return all != 0;
  }

  std::shared_ptr<Communicator> inner_;
  const int rank_, size_;
  const bool several_;
  int depth_ = 0;  ///< of sections
};

}  // namespace npl::comm
