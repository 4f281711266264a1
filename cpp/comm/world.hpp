// SPDX-License-Identifier: Apache-2.0
/// The ranks this process was launched with.
#pragma once
#include <memory>
#include <string>

#include "comm/communicator.hpp"
#include "comm/mpi.hpp"

namespace npl::comm {

/// One per process, made by the first call. Decides, the first that says something:
///   NEUROPIL_MPI = off | ompi | mpich | site | path of a plug-in
///   a libmpi that is already in the process, e.g. of mpi4py
///   the variables of a launcher (mpiexec, srun)
///   else: single().
/// Throws NoMpi where a launcher started several ranks and no MPI can be opened, or where the MPI opened does not see all ranks: never N
/// runs of one.
std::shared_ptr<Communicator> world();

/// world() if it was made, else null. Starts nothing.
std::shared_ptr<Communicator> world_if_made();

/// Ends this process and, if there are others, the whole job with a non-zero exit code. Starts no MPI.
[[noreturn]] void abort_job(int code, const std::string& why);

/// From now on, an exit with another code than 0 before world() was made ends the job as well.
void guard_exit();

/// What world() would use, for people; starts nothing.
std::string describe_mpi();

}  // namespace npl::comm
