// SPDX-License-Identifier: Apache-2.0
/// Communicators, requests and counts of the MPI back end. Part of plugin.cpp, the one translation unit of a plug-in.
#pragma once
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

std::deque<World> worlds(1);  ///< the first one has all ranks of the job; each split and adopt adds one
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

/// Makes this communicator the last world, and the current one. Returns its number.
int added(MPI_Comm comm) {
  worlds.emplace_back();
  world = &worlds.back();
  settle(comm);
  return static_cast<int>(worlds.size()) - 1;
}

int split(int color) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(world->comm, color, world->rank, &part);
  return added(part);
}

int adopt(const void* comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(*static_cast<const MPI_Comm*>(comm), &copy);
  return added(copy);
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

}  // namespace
