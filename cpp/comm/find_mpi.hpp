// SPDX-License-Identifier: Apache-2.0
/// What there is of MPI around this process: who launched it, which libmpi it holds, which plug-ins and libraries lie on disk.
#pragma once
#include <string>
#include <vector>

namespace npl::comm {

/// What the environment says of a launcher.
struct Launch {
  std::string by;       ///< the variable that tells; empty: no launcher
  int ranks = 0;        ///< 0: launched, the number is not known
  std::string flavour;  ///< "ompi", "mpich" or "" where the launcher serves both
};
Launch launch();

/// Paths of the libmpi that are mapped into this process.
std::vector<std::string> mapped_libmpi();

/// "ompi" (libmpi.so.40), "mpich" (libmpi.so.12, libmpich.so.12) or "" by the name of the file.
std::string flavour_of_library(const std::string& path);

struct Plugin {
  std::string flavour, path;
};
/// Plug-ins _mpi_<flavour>.so, best first: of `neuropil build-mpi` ("site"), then the others. In NEUROPIL_MPI_DIR if set, else in the
/// user's directory and beside the object this code is in.
std::vector<Plugin> plugins();

/// Libraries to try for a flavour: NEUROPIL_LIBMPI, the launcher's own, the Python environment's (wheels), beside mpiexec, the system's.
std::vector<std::string> libraries(const std::string& flavour);

}  // namespace npl::comm
