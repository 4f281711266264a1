// SPDX-License-Identifier: Apache-2.0
/// Finds MPI: the launcher of this process, a libmpi that is already loaded, plug-ins and libraries on disk.
#pragma once
#include <string>
#include <vector>

namespace npl::comm {

/// The launcher of this process, as far as environment variables tell.
struct Launch {
  std::string by;       ///< name of the variable; empty: no launcher
  int ranks = 0;        ///< 0: number not known
  std::string flavour;  ///< "ompi", "mpich", or "" if the launcher serves both
};
Launch launch();

/// Paths of the libmpi that are loaded in this process.
std::vector<std::string> mapped_libmpi();

/// Flavour by the name of the file: "ompi" (libmpi.so.40), "mpich" (libmpi.so.12, libmpich.so.12), else "".
std::string flavour_of_library(const std::string& path);

/// A plug-in on disk.
struct Plugin {
  std::string flavour, path;
};
/// Plug-ins _mpi_<flavour>.so, best first: the one made by `neuropil build-mpi` ("site"), then the others. Searched in NEUROPIL_MPI_DIR if
/// set, else in the user's directory and in that of the shared object of this code.
std::vector<Plugin> plugins();

/// Libraries to try for a flavour, in this order: NEUROPIL_LIBMPI, that of the launcher, that of the Python environment (wheels), near
/// mpiexec, the system's.
std::vector<std::string> libraries(const std::string& flavour);

}  // namespace npl::comm
