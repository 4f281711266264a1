// SPDX-License-Identifier: Apache-2.0
/// Collective operations of the MPI back end: whole communicators, neighbourhoods, persistent ones. Part of plugin.cpp.
#pragma once
#include "worlds.hpp"

namespace {

// --- collectives; without a request they wait

void barrier(NplRequest* request) {
  if (!request) {
    MPI_Barrier(world->comm);
    return;
  }
  *request = started([](MPI_Request* r) { MPI_Ibarrier(world->comm, r); });
}

void allreduce(void* inout, std::size_t n, int type, int op, NplRequest* request) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_BOR};
  const MPI_Datatype t = type == NPL_MPI_DOUBLE && op != NPL_MPI_BIT_OR ? MPI_DOUBLE : MPI_INT64_T;
  const MPI_Op o = ops[op];
  if (n <= most) {
    const int count = static_cast<int>(n);
    if (!request) {
      MPI_Allreduce(MPI_IN_PLACE, out(inout), count, t, o, world->comm);
      return;
    }
    *request = started([&](MPI_Request* r) { MPI_Iallreduce(MPI_IN_PLACE, out(inout), count, t, o, world->comm, r); });
    return;
  }
#ifdef NPL_LARGE
  const MPI_Count count = static_cast<MPI_Count>(n);
  if (!request && MPI_Allreduce_c) {
    MPI_Allreduce_c(MPI_IN_PLACE, out(inout), count, t, o, world->comm);
    return;
  }
  if (request && MPI_Iallreduce_c) {
    *request = started([&](MPI_Request* r) { MPI_Iallreduce_c(MPI_IN_PLACE, out(inout), count, t, o, world->comm, r); });
    return;
  }
#endif
  refuse("allreduce");
}

void allgather(const void* send, std::size_t bytes, void* recv, NplRequest* request) {
  const Block b(bytes);
  if (!request) {
    MPI_Allgather(in(send), b.count, b.type, out(recv), b.count, b.type, world->comm);
    return;
  }
  *request = started([&](MPI_Request* r) { MPI_Iallgather(in(send), b.count, b.type, out(recv), b.count, b.type, world->comm, r); });
}

void allgatherv_large(Operation& o, const void* send, std::size_t bytes, void* recv, const std::size_t* counts, bool wait) {
  o.large.clear();
  o.begins.clear();
  append_parts(o, counts, static_cast<std::size_t>(world->size));
#ifdef NPL_LARGE
  const auto n = static_cast<MPI_Count>(bytes);
  if (wait && MPI_Allgatherv_c) {
    MPI_Allgatherv_c(in(send), n, MPI_BYTE, out(recv), o.large.data(), o.begins.data(), MPI_BYTE, world->comm);
    return;
  }
  if (!wait && MPI_Iallgatherv_c) {
    MPI_Iallgatherv_c(in(send), n, MPI_BYTE, out(recv), o.large.data(), o.begins.data(), MPI_BYTE, world->comm, o.requests.data());
    return;
  }
#endif
  (void)send, (void)bytes, (void)recv, (void)wait;
  refuse("allgatherv");
}

void allgatherv(const void* send, std::size_t bytes, void* recv, const std::size_t* counts, NplRequest* request) {
  const auto n = static_cast<std::size_t>(world->size);
  Operation* o = take();
  if (is_large(counts, n)) {
    allgatherv_large(*o, send, bytes, recv, counts, !request);
  } else {
    o->numbers.clear();
    append_parts(o->numbers, counts, n);
    const int* c = o->numbers.data();
    const int own = static_cast<int>(bytes);
    if (request)
      MPI_Iallgatherv(in(send), own, MPI_BYTE, out(recv), c, c + n, MPI_BYTE, world->comm, o->requests.data());
    else
      MPI_Allgatherv(in(send), own, MPI_BYTE, out(recv), c, c + n, MPI_BYTE, world->comm);
  }
  if (request)
    *request = name_of(o);
  else
    idle.push_back(o);
}

void alltoall(const void* send, std::size_t bytes, void* recv, NplRequest* request) {
  const Block b(bytes);
  if (!request) {
    MPI_Alltoall(in(send), b.count, b.type, out(recv), b.count, b.type, world->comm);
    return;
  }
  *request = started([&](MPI_Request* r) { MPI_Ialltoall(in(send), b.count, b.type, out(recv), b.count, b.type, world->comm, r); });
}

/// Alltoallv over the world (topology null) or over a neighbourhood.
struct Exchange {
  const Topology* topology;
  const void* send;
  const std::size_t* send_counts;
  void* recv;
  const std::size_t* recv_counts;
  std::size_t n_send() const { return topology ? topology->destinations.size() : static_cast<std::size_t>(world->size); }
  std::size_t n_recv() const { return topology ? topology->sources.size() : static_cast<std::size_t>(world->size); }
};

void exchange_large(const Exchange& e, Operation& o, bool wait) {
  o.large.clear();
  o.begins.clear();
  append_parts(o, e.send_counts, e.n_send());
  append_parts(o, e.recv_counts, e.n_recv());
#ifdef NPL_LARGE
  const MPI_Count *sc = o.large.data(), *rc = sc + e.n_send();
  const MPI_Aint *sb = o.begins.data(), *rb = sb + e.n_send();
  MPI_Request* r = o.requests.data();
  if (!e.topology && wait && MPI_Alltoallv_c)
    MPI_Alltoallv_c(in(e.send), sc, sb, MPI_BYTE, out(e.recv), rc, rb, MPI_BYTE, world->comm);
  else if (!e.topology && !wait && MPI_Ialltoallv_c)
    MPI_Ialltoallv_c(in(e.send), sc, sb, MPI_BYTE, out(e.recv), rc, rb, MPI_BYTE, world->comm, r);
  else if (e.topology && wait && MPI_Neighbor_alltoallv_c)
    MPI_Neighbor_alltoallv_c(in(e.send), sc, sb, MPI_BYTE, out(e.recv), rc, rb, MPI_BYTE, e.topology->comm);
  else if (e.topology && !wait && MPI_Ineighbor_alltoallv_c)
    MPI_Ineighbor_alltoallv_c(in(e.send), sc, sb, MPI_BYTE, out(e.recv), rc, rb, MPI_BYTE, e.topology->comm, r);
  else
    refuse("alltoallv");
#else
  (void)wait;
  refuse("alltoallv");
#endif
}

void exchange_small(const Exchange& e, Operation& o, bool wait) {
  const std::size_t s = e.n_send(), n = e.n_recv();
  o.numbers.clear();
  append_parts(o.numbers, e.send_counts, s);
  append_parts(o.numbers, e.recv_counts, n);
  o.numbers.push_back(0);  // never an empty array: some libraries check the address
  const int *sc = o.numbers.data(), *sb = sc + s, *rc = sb + s, *rb = rc + n;
  MPI_Request* r = o.requests.data();
  if (!e.topology && wait)
    MPI_Alltoallv(in(e.send), sc, sb, MPI_BYTE, out(e.recv), rc, rb, MPI_BYTE, world->comm);
  else if (!e.topology)
    MPI_Ialltoallv(in(e.send), sc, sb, MPI_BYTE, out(e.recv), rc, rb, MPI_BYTE, world->comm, r);
  else if (wait)
    MPI_Neighbor_alltoallv(in(e.send), sc, sb, MPI_BYTE, out(e.recv), rc, rb, MPI_BYTE, e.topology->comm);
  else
    MPI_Ineighbor_alltoallv(in(e.send), sc, sb, MPI_BYTE, out(e.recv), rc, rb, MPI_BYTE, e.topology->comm, r);
}

void run_exchange(const Exchange& e, NplRequest* request) {
  Operation* o = take();
  if (is_large(e.send_counts, e.n_send()) || is_large(e.recv_counts, e.n_recv()))
    exchange_large(e, *o, !request);
  else
    exchange_small(e, *o, !request);
  if (request)
    *request = name_of(o);
  else
    idle.push_back(o);
}

void alltoallv(const void* send, const std::size_t* send_counts, void* recv, const std::size_t* recv_counts, NplRequest* request) {
  run_exchange({nullptr, send, send_counts, recv, recv_counts}, request);
}

void reduce_scatter(const std::int64_t* send, std::int64_t* out, NplRequest* request) {
  if (!request) {
    MPI_Reduce_scatter_block(send, out, 1, MPI_INT64_T, MPI_SUM, world->comm);
    return;
  }
  *request = started([&](MPI_Request* r) { MPI_Ireduce_scatter_block(send, out, 1, MPI_INT64_T, MPI_SUM, world->comm, r); });
}

// --- neighbourhoods

int make_topology(const int* sources, int n_sources, const int* destinations, int n_destinations) {
  Topology t{MPI_COMM_NULL, {sources, sources + n_sources}, {destinations, destinations + n_destinations}};
  const int none = 0;
  MPI_Dist_graph_create_adjacent(world->comm, n_sources, n_sources ? sources : &none, MPI_UNWEIGHTED, n_destinations,
                                 n_destinations ? destinations : &none, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &t.comm);
  handle_errors(t.comm);
  world->topologies.push_back(std::move(t));
  return static_cast<int>(world->topologies.size()) - 1;
}

const Topology* topology(int i) { return &world->topologies[static_cast<std::size_t>(i)]; }

void neighbor_alltoallv(int t, const void* send, const std::size_t* send_counts, void* recv, const std::size_t* recv_counts,
                        NplRequest* request) {
  run_exchange({topology(t), send, send_counts, recv, recv_counts}, request);
}

// --- persistent

/// A persistent all-to-all of messages, for libraries without the collective. Every rank makes these in the same order: their number is
/// the tag.
NplRequest messages(MPI_Comm comm, int tag, const std::vector<int>& destinations, const std::vector<int>& sources, const void* send,
                    std::size_t bytes, void* recv) {
  const Block b(bytes);
  Operation* o = take();
  o->persistent = true;
  o->requests.assign(destinations.size() + sources.size(), MPI_REQUEST_NULL);
  MPI_Request* r = o->requests.data();
  for (std::size_t i = 0; i < sources.size(); ++i)
    MPI_Recv_init(static_cast<char*>(recv) + i * bytes, b.count, b.type, sources[i], tag % 32768, comm, r++);
  for (std::size_t i = 0; i < destinations.size(); ++i)
    MPI_Send_init(static_cast<const char*>(send) + i * bytes, b.count, b.type, destinations[i], tag % 32768, comm, r++);
  return name_of(o);
}

/// NEUROPIL_MPI_PERSISTENT=messages: for tests.
[[maybe_unused]] bool by_messages() {
  const char* chosen = std::getenv("NEUROPIL_MPI_PERSISTENT");
  return chosen && std::strcmp(chosen, "messages") == 0;
}

NplRequest alltoall_init(const void* send, std::size_t bytes, void* recv) {
#ifdef NPL_PERSISTENT
  if (MPI_Alltoall_init && !by_messages()) {
    const Block b(bytes);
    return persistent(
        [&](MPI_Request* r) { MPI_Alltoall_init(in(send), b.count, b.type, out(recv), b.count, b.type, world->comm, MPI_INFO_NULL, r); });
  }
#endif
  if (world->inner == MPI_COMM_NULL) {
    MPI_Comm_dup(world->comm, &world->inner);
    handle_errors(world->inner);
  }
  std::vector<int> all(static_cast<std::size_t>(world->size));
  std::iota(all.begin(), all.end(), 0);
  return messages(world->inner, world->inits++, all, all, send, bytes, recv);
}

NplRequest neighbor_alltoall_init(int number, const void* send, std::size_t bytes, void* recv) {
  Topology& t = world->topologies[static_cast<std::size_t>(number)];
#ifdef NPL_PERSISTENT
  if (MPI_Neighbor_alltoall_init && !by_messages()) {
    const Block b(bytes);
    return persistent([&](MPI_Request* r) {
      MPI_Neighbor_alltoall_init(in(send), b.count, b.type, out(recv), b.count, b.type, t.comm, MPI_INFO_NULL, r);
    });
  }
#endif
  return messages(t.comm, t.inits++, t.destinations, t.sources, send, bytes, recv);
}

NplRequest send_init(int to, int tag, const void* data, std::size_t bytes) {
  const Block b(bytes);
  return persistent([&](MPI_Request* r) { MPI_Send_init(in(data), b.count, b.type, to, tag, world->comm, r); });
}

NplRequest recv_init(int from, int tag, void* data, std::size_t bytes) {
  const Block b(bytes);
  return persistent([&](MPI_Request* r) { MPI_Recv_init(out(data), b.count, b.type, from, tag, world->comm, r); });
}

void start(const NplRequest* requests, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (MPI_Request& r : of(requests[i])->requests) MPI_Start(&r);
}

void release(NplRequest request) {
  if (!request) return;
  Operation* o = of(request);
  for (MPI_Request& r : o->requests)
    if (r != MPI_REQUEST_NULL) MPI_Request_free(&r);
  idle.push_back(o);
}

}  // namespace
