// SPDX-License-Identifier: Apache-2.0
/// The MPI back end: one source, compiled once per MPI with its headers only (comm/mpi_plugin.h is the contract). libmpi is not linked: the
/// loader (cpp/comm/mpi.cpp) has opened it with RTLD_GLOBAL before. Functions that older libraries of the same ABI lack are weak.
#include "collectives.hpp"

namespace {

// --- messages

NplRequest isend(int to, int tag, const void* data, std::size_t bytes) {
  const Block b(bytes);
  return started([&](MPI_Request* r) { MPI_Isend(in(data), b.count, b.type, to, tag, world->comm, r); });
}

NplRequest issend(int to, int tag, const void* data, std::size_t bytes) {
  const Block b(bytes);
  return started([&](MPI_Request* r) { MPI_Issend(in(data), b.count, b.type, to, tag, world->comm, r); });
}

NplRequest irecv(int from, int tag, void* data, std::size_t bytes) {
  const Block b(bytes);
  return started([&](MPI_Request* r) { MPI_Irecv(out(data), b.count, b.type, from, tag, world->comm, r); });
}

int iprobe(int tag, int* source, std::size_t* bytes) {
  int found = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, world->comm, &found, &status);
  if (!found) return 0;
  MPI_Count n = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &n);
  *source = status.MPI_SOURCE;
  *bytes = static_cast<std::size_t>(n);
  return 1;
}

void recv(int source, int tag, void* data, std::size_t bytes) {
  const Block b(bytes);
  MPI_Recv(out(data), b.count, b.type, source, tag, world->comm, MPI_STATUS_IGNORE);
}

int test(NplRequest request) {
  if (!request) return 1;
  Operation* o = of(request);
  int done = 0;
  if (o->requests.size() == 1)
    MPI_Test(o->requests.data(), &done, MPI_STATUS_IGNORE);
  else
    MPI_Testall(static_cast<int>(o->requests.size()), o->requests.data(), &done, MPI_STATUSES_IGNORE);
  if (done && !o->persistent) idle.push_back(o);
  return done;
}

// --- shared memory of a node

struct Shared {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Win window = MPI_WIN_NULL;
  std::vector<int> ranks{};  // {}: clang asks for it where only the first member is given
  std::vector<void*> segments{};
  bool unused = false;
};

/// Frees what no rank of the node uses any more. Collective over the node.
void free_unused() {
  std::vector<int> unused;
  for (const Shared* s : world->shared) unused.push_back(s->unused);
  MPI_Allreduce(MPI_IN_PLACE, unused.data(), static_cast<int>(unused.size()), MPI_INT, MPI_MIN, world->node);
  std::vector<Shared*> used;
  for (std::size_t i = 0; i < unused.size(); ++i) {
    Shared* s = world->shared[i];
    if (!unused[i]) {
      used.push_back(s);
      continue;
    }
    MPI_Win_unlock_all(s->window);
    MPI_Win_free(&s->window);
    delete s;
  }
  world->shared = std::move(used);
}

void* share(std::size_t bytes, int* n_ranks, const int** ranks) {
  free_unused();
  auto* shared = new Shared{world->node};
  world->shared.push_back(shared);
  const int n = node_size();
  shared->ranks.resize(static_cast<std::size_t>(n));
  MPI_Allgather(&world->rank, 1, MPI_INT, shared->ranks.data(), 1, MPI_INT, world->node);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");  // segments on pages of their own
  void* own = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, info, world->node, &own, &shared->window);
  MPI_Info_free(&info);
  for (int i = 0; i < n; ++i) {
    MPI_Aint length = 0;
    int unit = 0;
    void* at = nullptr;
    MPI_Win_shared_query(shared->window, i, &length, &unit, &at);
    shared->segments.push_back(at);
  }
  MPI_Win_lock_all(MPI_MODE_NOCHECK, shared->window);
  if (bytes > 0) std::memset(own, 0, bytes);
  MPI_Win_sync(shared->window);
  MPI_Barrier(world->node);
  *n_ranks = n;
  *ranks = shared->ranks.data();
  return shared;
}

void* share_of(void* shared, int index) { return static_cast<Shared*>(shared)->segments[static_cast<std::size_t>(index)]; }

void share_sync(void* shared) {
  MPI_Win window = static_cast<Shared*>(shared)->window;
  MPI_Win_sync(window);
  MPI_Barrier(static_cast<Shared*>(shared)->node);
  MPI_Win_sync(window);
}

/// Not collective: ranks end the use of a network when they like, as Python's collection of garbage does. MPI_Win_free would wait for all,
/// and the others may be in a message that waits for this one: the next share() frees it.
void share_free(void* handle) { static_cast<Shared*>(handle)->unused = true; }

constexpr NplMpi table{NPL_MPI_VERSION,
                       sizeof(NplMpi),
                       NPL_MPI_FLAVOUR,
                       open_mpi,
                       close_mpi,
                       use,
                       split,
                       adopt,
                       library,
                       rank,
                       size,
                       node_size,
                       node_sum,
                       end_job,
                       barrier,
                       allreduce,
                       allgather,
                       allgatherv,
                       alltoall,
                       alltoallv,
                       reduce_scatter,
                       make_topology,
                       neighbor_alltoallv,
                       alltoall_init,
                       neighbor_alltoall_init,
                       send_init,
                       recv_init,
                       start,
                       release,
                       isend,
                       issend,
                       irecv,
                       iprobe,
                       recv,
                       test,
                       share,
                       share_of,
                       share_sync,
                       share_free};

}  // namespace

extern "C" __attribute__((visibility("default"))) const NplMpi* npl_mpi_plugin() { return &table; }
