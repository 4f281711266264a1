// SPDX-License-Identifier: Apache-2.0
/// MPI through a plug-in that is opened at run time; the kernel itself links no MPI.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"

namespace npl::comm {

/// MPI is wanted and cannot be had; the message says what to install.
struct NoMpi : Error {
  using Error::Error;
};

/// Opens libmpi if the plug-in is not linked to one (the first of `libraries` that opens; with symbols for all), then the plug-in, and
/// initialises MPI if nobody has. MPI ends with the process: at exit with status 0 by MPI_Finalize, else by MPI_Abort, so that no other rank
/// waits for this one. Throws NoMpi. Call at most once.
std::shared_ptr<Communicator> open_mpi(const std::string& plugin, const std::vector<std::string>& libraries);

/// Called at exit with status 0, before MPI ends, if open_mpi initialised it; collective calls are allowed in it.
void before_end(void (*call)(Communicator&));
/// Whether MPI ends with this process because open_mpi initialised it.
bool ends_mpi();

}  // namespace npl::comm
