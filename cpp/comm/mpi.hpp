// SPDX-License-Identifier: Apache-2.0
/// MPI by a plug-in that is opened at run time; the kernel itself is not linked to MPI.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"

namespace npl::comm {

/// MPI is needed and not available; the message says what to install.
struct NoMpi : Error {
  using Error::Error;
};

/// Opens libmpi if the plug-in is not linked to one (the first of `libraries` that can be opened; with global symbols), then the plug-in,
/// and initialises MPI if that is not done yet. MPI ends with the process: by MPI_Finalize at exit with status 0, else by MPI_Abort, so
/// that no other rank waits for this one. Throws NoMpi. To be called at most once.
std::shared_ptr<Communicator> open_mpi(const std::string& plugin, const std::vector<std::string>& libraries);

/// Whether open_mpi was called with success.
bool mpi_is_open();
/// A duplicate of a communicator of the program: `comm` is the address of an MPI_Comm, of the library that open_mpi opened. It lives until
/// the end of the process. Call after open_mpi. Collective over the communicator.
std::shared_ptr<Communicator> adopt_mpi(const void* comm);

/// Sets a function to be called at exit with status 0 before MPI_Finalize, if open_mpi initialised MPI. It may use collective operations.
void before_end(void (*call)(Communicator&));
/// Whether open_mpi initialised MPI, so that this process also finalises it.
bool ends_mpi();

}  // namespace npl::comm
