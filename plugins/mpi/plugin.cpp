// SPDX-License-Identifier: Apache-2.0
/// The MPI back end: one source, compiled once per MPI with its headers only (comm/mpi_plugin.h is the contract). libmpi is not linked: the
/// loader (cpp/comm/mpi.cpp) has opened it with RTLD_GLOBAL before. Functions that older libraries of the same ABI lack are weak.
#include "comm/mpi_plugin.h"

#include <mpi.h>
#include <unistd.h>

#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <numeric>
#include <vector>

#ifndef NPL_MPI_FLAVOUR
#define NPL_MPI_FLAVOUR "site"
#endif
// Persistent collectives are MPI-4; the Open MPI 5 headers have them and say MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define NPL_PERSISTENT 1
#pragma weak MPI_Alltoall_init
#pragma weak MPI_Neighbor_alltoall_init
#endif
#if MPI_VERSION >= 4
#define NPL_LARGE 1
#pragma weak MPI_Allreduce_c
#pragma weak MPI_Iallreduce_c
#pragma weak MPI_Allgatherv_c
#pragma weak MPI_Iallgatherv_c
#pragma weak MPI_Alltoallv_c
#pragma weak MPI_Ialltoallv_c
#pragma weak MPI_Neighbor_alltoallv_c
#pragma weak MPI_Ineighbor_alltoallv_c
#endif

namespace {

/// A request of the kernel: one MPI request, or several for a persistent collective made of messages. Owns the arrays that MPI reads during
/// the operation.
struct Operation {
  std::vector<MPI_Request> requests;
  std::vector<int> numbers;
  std::vector<MPI_Count> large;
  std::vector<MPI_Aint> begins;
  bool persistent = false;
};

struct Topology {
  MPI_Comm comm;
  std::vector<int> sources, destinations;
  int inits = 0;  ///< persistent operations made of messages: their tags
};

struct Shared;

/// A communicator with its topologies.
struct World {
  MPI_Comm comm = MPI_COMM_NULL, inner = MPI_COMM_NULL, node = MPI_COMM_NULL;
  int rank = 0, size = 1, inits = 0;
  std::vector<Topology> topologies;
  std::vector<Shared*> shared;  ///< in the order in which all ranks of the node have made them
};

std::deque<World> worlds(1);  ///< the first is the whole job; the others are subsets
World* world = &worlds[0];    ///< the current one
std::vector<Operation*> idle;
bool ending = false;

void end_job(int code) {
  ending = true;  // MPI_Abort of MPICH calls exit
  std::fflush(stdout);
  std::fflush(stderr);
  MPI_Abort(worlds[0].comm == MPI_COMM_NULL ? MPI_COMM_WORLD : worlds[0].comm, code);
  _exit(code);
}

[[gnu::format(printf, 2, 3)]] void fail(int code, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  std::fprintf(stderr, "neuropil: rank %d of %d: ", worlds[0].rank, worlds[0].size);
  std::vfprintf(stderr, format, values);
  std::fputc('\n', stderr);
  va_end(values);
  end_job(code);
}

void on_error(MPI_Comm*, int* code, ...) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(*code, text, &length);
  fail(1, "MPI: %s", text);
}

void handle_errors(MPI_Comm comm) {
  static MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (handler == MPI_ERRHANDLER_NULL) MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
}

/// MPICH refuses null buffers, even for 0 bytes, and the same buffer for sending and receiving.
const void* in(const void* data) {
  static const char none[16] = {};
  return data ? data : none;
}
void* out(void* data) {
  static char none[16];
  return data ? data : none;
}

// --- requests

Operation* take() {
  if (idle.empty()) idle.push_back(new Operation);
  Operation* operation = idle.back();
  idle.pop_back();
  operation->requests.assign(1, MPI_REQUEST_NULL);
  operation->persistent = false;
  return operation;
}

Operation* of(NplRequest request) { return reinterpret_cast<Operation*>(request); }
NplRequest name_of(Operation* operation) { return reinterpret_cast<NplRequest>(operation); }

/// Starts an operation by call(MPI_Request*) and stores its request.
template <class Call>
NplRequest started(Call&& call) {
  Operation* operation = take();
  call(operation->requests.data());
  return name_of(operation);
}

template <class Call>
NplRequest persistent(Call&& call) {
  const NplRequest request = started(call);
  of(request)->persistent = true;
  return request;
}

// --- counts. A block of bytes beyond what an int counts is one element of a type made for it; the many counts of the v-forms go to MPI-4.

constexpr std::size_t most = INT_MAX;

class Block {
 public:
  explicit Block(std::size_t bytes) : count(static_cast<int>(bytes)) {
    if (bytes <= most) return;
    constexpr int chunk = 1 << 30;
    const auto chunks = bytes / chunk, rest = bytes % chunk;
    if (chunks > most) fail(1, "a message of %zu bytes is more than MPI can take", bytes);
    MPI_Datatype part[2] = {MPI_BYTE, MPI_BYTE}, whole = MPI_BYTE;
    MPI_Type_contiguous(chunk, MPI_BYTE, &whole);
    MPI_Type_contiguous(static_cast<int>(chunks), whole, &part[0]);
    MPI_Type_free(&whole);
    int lengths[2] = {1, static_cast<int>(rest)};
    MPI_Aint begins[2] = {0, static_cast<MPI_Aint>(chunks * chunk)};
    MPI_Type_create_struct(2, lengths, begins, part, &type);
    MPI_Type_free(&part[0]);
    MPI_Type_commit(&type);
    count = 1;
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (type != MPI_BYTE) MPI_Type_free(&type);  // operations in progress keep it alive
  }
  int count;
  MPI_Datatype type = MPI_BYTE;
};

bool is_large(const std::size_t* counts, std::size_t n) { return std::accumulate(counts, counts + n, std::size_t{0}) > most; }

/// Appends counts and begins of parts that lie one after the other.
void append_parts(std::vector<int>& numbers, const std::size_t* counts, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) numbers.push_back(static_cast<int>(counts[i]));
  int begin = 0;
  for (std::size_t i = 0; i < n; ++i) {
    numbers.push_back(begin);
    begin += static_cast<int>(counts[i]);
  }
}

[[maybe_unused]] void append_parts(Operation& o, const std::size_t* counts, std::size_t n) {
  MPI_Aint begin = 0;
  for (std::size_t i = 0; i < n; ++i) {
    o.large.push_back(static_cast<MPI_Count>(counts[i]));
    o.begins.push_back(begin);
    begin += static_cast<MPI_Aint>(counts[i]);
  }
}

void refuse(const char* what) {
  fail(1, "%s of more than %d bytes on one rank: this MPI has no MPI-4 large counts; use more ranks or an MPI that has them (MPICH >= 4)",
       what, INT_MAX);
}

// --- opening and closing

/// Makes this communicator the current world.
void settle(MPI_Comm comm) {
  world->comm = comm;
  handle_errors(comm);
  MPI_Comm_rank(comm, &world->rank);
  MPI_Comm_size(comm, &world->size);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, world->rank, MPI_INFO_NULL, &world->node);
  handle_errors(world->node);
}

void use(int number) { world = &worlds[static_cast<std::size_t>(number)]; }

int split(int color) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(world->comm, color, world->rank, &part);
  worlds.emplace_back();
  world = &worlds.back();
  settle(part);
  return static_cast<int>(worlds.size()) - 1;
}

int open_mpi() {
  int initialised = 0, finalised = 0, provided = 0;
  MPI_Finalized(&finalised);
  if (finalised) return -1;
  MPI_Initialized(&initialised);
  if (!initialised) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  settle(comm);
  return initialised ? 0 : 1;
}

void close_mpi(int status) {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised || ending) return;
  if (status == 0)
    MPI_Finalize();
  else if (worlds[0].size > 1)
    fail(status, "ends with exit code %d, which ends all ranks", status);
}

const char* library() {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
  int length = 0;
  if (!text[0]) MPI_Get_library_version(text, &length);
  return text;
}

int rank() { return world->rank; }
int size() { return world->size; }
int node_size() {
  int n = 1;
  MPI_Comm_size(world->node, &n);
  return n;
}

void node_sum(double* inout) {
  std::vector<double> all(static_cast<std::size_t>(node_size()));
  MPI_Allgather(inout, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, world->node);
  *inout = std::accumulate(all.begin(), all.end(), 0.0);
}

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
