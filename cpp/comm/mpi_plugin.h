/* SPDX-License-Identifier: Apache-2.0 */
/* Interface between the kernel, which knows no MPI, and the plug-in (plugins/mpi/plugin.cpp), which is compiled once per MPI.
 * Only bytes and plain C types. A plug-in works on duplicates of MPI_COMM_WORLD and of communicators of the program, and on parts of
 * them. No function throws or returns an error: it is printed and ends the job by MPI_Abort. Meaning and order of calls:
 * comm/communicator.hpp. */
#ifndef NPL_COMM_MPI_PLUGIN_H
#define NPL_COMM_MPI_PLUGIN_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NPL_MPI_VERSION 4u             /* to be incremented when NplMpi changes */
#define NPL_MPI_ENTRY "npl_mpi_plugin" /* name of the function that a plug-in exports */

enum { NPL_MPI_INT64 = 0, NPL_MPI_DOUBLE = 1 };
enum { NPL_MPI_SUM = 0, NPL_MPI_MIN = 1, NPL_MPI_MAX = 2, NPL_MPI_BIT_OR = 3 };

typedef uint64_t NplRequest; /* 0: none */

/* Collectives take `request`: NULL waits for the end, else the operation is started and *request names it. */
typedef struct NplMpi {
  uint32_t version; /* NPL_MPI_VERSION */
  uint32_t bytes;   /* sizeof(NplMpi) */
  const char* flavour;

  /* 1: this call initialised MPI, 0: it was initialised before, -1: it is finalised already. */
  int (*open)(void);
  /* To be called when the process ends. status 0: MPI_Finalize, unless called before; else MPI_Abort, or the others would wait for ever. */
  void (*close)(int status);
  /* Calls that follow use communicator `number`: 0 is the duplicate of MPI_COMM_WORLD, others are made by split. */
  void (*use)(int number);
  int (*split)(int color);        /* MPI_Comm_split of the one in use, in order of ranks; returns the new number, which is then in use */
  int (*adopt)(const void* comm); /* a duplicate of the MPI_Comm at this address; else as split */
  const char* (*library)(void);
  int (*rank)(void);
  int (*size)(void);
  int (*node_size)(void);          /* ranks on this machine */
  void (*node_sum)(double* inout); /* collective over the ranks of this machine; the same bits on all of them */
  void (*abort)(int code);

  void (*barrier)(NplRequest* request);
  void (*allreduce)(void* inout, size_t n, int type, int op, NplRequest* request);
  void (*allgather)(const void* send, size_t bytes, void* recv, NplRequest* request);
  void (*allgatherv)(const void* send, size_t bytes, void* recv, const size_t* counts, NplRequest* request);
  void (*alltoall)(const void* send, size_t bytes_each, void* recv, NplRequest* request);
  void (*alltoallv)(const void* send, const size_t* send_counts, void* recv, const size_t* recv_counts, NplRequest* request);
  void (*reduce_scatter)(const int64_t* send, int64_t* out, NplRequest* request);

  int (*make_topology)(const int* sources, int n_sources, const int* destinations, int n_destinations);
  void (*neighbor_alltoallv)(int topology, const void* send, const size_t* send_counts, void* recv, const size_t* recv_counts,
                             NplRequest* request);

  NplRequest (*alltoall_init)(const void* send, size_t bytes_each, void* recv);
  NplRequest (*neighbor_alltoall_init)(int topology, const void* send, size_t bytes_each, void* recv);
  NplRequest (*send_init)(int to, int tag, const void* data, size_t bytes);
  NplRequest (*recv_init)(int from, int tag, void* data, size_t bytes);
  void (*start)(const NplRequest* requests, size_t n);
  void (*release)(NplRequest request);

  NplRequest (*isend)(int to, int tag, const void* data, size_t bytes);
  NplRequest (*issend)(int to, int tag, const void* data, size_t bytes);
  NplRequest (*irecv)(int from, int tag, void* data, size_t bytes);
  int (*iprobe)(int tag, int* source, size_t* bytes); /* 1: there is a message */
  void (*recv)(int source, int tag, void* data, size_t bytes);
  int (*test)(NplRequest request); /* 1: complete */

  void* (*share)(size_t bytes, int* n_ranks, const int** ranks); /* a handle; ranks live as long as it */
  void* (*share_of)(void* shared, int index);
  void (*share_sync)(void* shared);
  void (*share_free)(void* shared);
} NplMpi;

/* What a plug-in exports as NPL_MPI_ENTRY. */
typedef const NplMpi* (*NplMpiEntry)(void);

#ifdef __cplusplus
}
#endif
#endif
