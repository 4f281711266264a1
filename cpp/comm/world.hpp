// SPDX-License-Identifier: Apache-2.0
/// The ranks this process was launched with.
#pragma once
#include <memory>
#include <string>

#include "comm/communicator.hpp"
#include "comm/mpi.hpp"

namespace npl::comm {

/// The communicator of all launched ranks, one per process, made by the first call. It is chosen by the first of these that is set:
///   NEUROPIL_MPI = off | ompi | mpich | site | path of a plug-in
///   a libmpi that is already loaded, e.g. by mpi4py
///   the variables of a launcher (mpiexec, srun)
///   else: single(). Throws NoMpi if a launcher started several ranks and no MPI can be opened, or if the MPI that was opened does not see
/// all ranks: otherwise every rank would run the whole network by itself.
std::shared_ptr<Communicator> world();

/// world() if it was made before, else null. Does not open MPI.
std::shared_ptr<Communicator> world_if_made();

/// The ranks of a communicator of the program, see adopt_mpi. If world() did without MPI, the plug-in for the library of this process is
/// opened. Throws NoMpi. Collective over the communicator.
std::shared_ptr<Communicator> adopted(const void* comm);

/// Ends this process and the whole job with a non-zero exit code. Does not open MPI.
[[noreturn]] void abort_job(int code, const std::string& why);

/// From now on an exit with a code other than 0 ends the whole job, even if world() was not called yet.
void guard_exit();

/// Text that tells what world() would use. Does not open MPI.
std::string describe_mpi();

}  // namespace npl::comm
