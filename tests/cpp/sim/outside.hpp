// SPDX-License-Identifier: Apache-2.0
/// A communicator whose own allocations never fail: it stands for MPI, whose memory is not the kernel's.
#pragma once
#include <cstdlib>

#include "comm/communicator.hpp"

namespace npl::sim {

/// Allocations of this thread cannot be made to fail by fail_common_allocation(); returns what was set before. In test_allocations.cpp.
bool set_exempt(bool is);

struct Exempt {
  bool before = set_exempt(true);
  ~Exempt() { set_exempt(before); }
};

class Outside final : public comm::Communicator {
  using Request = comm::Request;
  using Op = comm::Op;
  template <class F>
  auto quietly(F&& f) {
    const Exempt exempt;
    return f();
  }

 public:
  explicit Outside(std::shared_ptr<Communicator> inner) : inner_(std::move(inner)) {}

  std::string name() const override { return inner_->name(); }
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  Request ibarrier() override {
    return quietly([&] { return inner_->ibarrier(); });
  }
  Request iallreduce(std::span<std::int64_t> x, Op op) override {
    return quietly([&] { return inner_->iallreduce(x, op); });
  }
  Request iallreduce(std::span<double> x, Op op) override {
    return quietly([&] { return inner_->iallreduce(x, op); });
  }
  Request iallgather(const void* send, std::size_t n, void* recv) override {
    return quietly([&] { return inner_->iallgather(send, n, recv); });
  }
  Request iallgatherv(const void* send, std::size_t n, void* recv, std::span<const std::size_t> counts) override {
    return quietly([&] { return inner_->iallgatherv(send, n, recv, counts); });
  }
  Request ialltoall(const void* send, std::size_t n, void* recv) override {
    return quietly([&] { return inner_->ialltoall(send, n, recv); });
  }
  Request ialltoallv(const void* send, std::span<const std::size_t> sent, void* recv, std::span<const std::size_t> received) override {
    return quietly([&] { return inner_->ialltoallv(send, sent, recv, received); });
  }
  Request ireduce_scatter(std::span<const std::int64_t> send, std::int64_t* out) override {
    return quietly([&] { return inner_->ireduce_scatter(send, out); });
  }
  int make_topology(std::span<const int> sources, std::span<const int> destinations) override {
    return quietly([&] { return inner_->make_topology(sources, destinations); });
  }
  Request ineighbor_alltoallv(int topology, const void* send, std::span<const std::size_t> sent, void* recv,
                              std::span<const std::size_t> received) override {
    return quietly([&] { return inner_->ineighbor_alltoallv(topology, send, sent, recv, received); });
  }
  Request alltoall_init(const void* send, std::size_t n, void* recv) override {
    return quietly([&] { return inner_->alltoall_init(send, n, recv); });
  }
  Request neighbor_alltoall_init(int topology, const void* send, std::size_t n, void* recv) override {
    return quietly([&] { return inner_->neighbor_alltoall_init(topology, send, n, recv); });
  }
  Request send_init(int to, int tag, const void* data, std::size_t n) override {
    return quietly([&] { return inner_->send_init(to, tag, data, n); });
  }
  Request recv_init(int from, int tag, void* data, std::size_t n) override {
    return quietly([&] { return inner_->recv_init(from, tag, data, n); });
  }
  void start(std::span<const Request> requests) override {
    quietly([&] { inner_->start(requests); });
  }
  void release(Request request) override {
    quietly([&] { inner_->release(request); });
  }
  Request isend(int to, int tag, const void* data, std::size_t n) override {
    return quietly([&] { return inner_->isend(to, tag, data, n); });
  }
  Request issend(int to, int tag, const void* data, std::size_t n) override {
    return quietly([&] { return inner_->issend(to, tag, data, n); });
  }
  Request irecv(int from, int tag, void* data, std::size_t n) override {
    return quietly([&] { return inner_->irecv(from, tag, data, n); });
  }
  std::optional<comm::Message> iprobe(int tag) override {
    return quietly([&] { return inner_->iprobe(tag); });
  }
  void recv(int source, int tag, void* data, std::size_t n) override {
    quietly([&] { inner_->recv(source, tag, data, n); });
  }
  bool test(Request request) override {
    return quietly([&] { return inner_->test(request); });
  }
  void wait(Request request) override {
    quietly([&] { inner_->wait(request); });
  }
  int ranks_on_node() const override { return inner_->ranks_on_node(); }
  double sum_on_node(double mine) override {
    return quietly([&] { return inner_->sum_on_node(mine); });
  }
  std::unique_ptr<comm::SharedMemory> share(std::size_t n) override {
    return quietly([&] { return inner_->share(n); });
  }
  std::shared_ptr<Communicator> split(int color) override {
    return quietly([&] { return std::make_shared<Outside>(inner_->split(color)); });
  }
  [[noreturn]] void abort(int code, const std::string& why) override {
    inner_->abort(code, why);
    std::abort();  // gcc does not know that a virtual call does not return
  }

 private:
  std::shared_ptr<Communicator> inner_;
};

}  // namespace npl::sim
