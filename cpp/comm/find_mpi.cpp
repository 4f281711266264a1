// SPDX-License-Identifier: Apache-2.0
#include "comm/find_mpi.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace npl::comm {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int number(const char* name) { return std::atoi(variable(name).c_str()); }

/// The directory of the shared object (or program) that holds this function.
fs::path own_directory() {
  Dl_info info{};
  std::error_code error;
  if (!dladdr(reinterpret_cast<const void*>(&own_directory), &info) || !info.dli_fname) return {};
  return fs::weakly_canonical(info.dli_fname, error).parent_path();
}

void add_plugins(const fs::path& directory, std::vector<Plugin>& found) {
  std::error_code error;
  std::vector<Plugin> here;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string(), prefix = "_mpi_", suffix = ".so";
    if (name.starts_with(prefix) && name.ends_with(suffix))
      here.push_back({name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()), entry.path().string()});
  }
  const auto known = [](const Plugin& p) { return p.flavour == "ompi" || p.flavour == "mpich"; };
  std::sort(here.begin(), here.end(), [&](const Plugin& a, const Plugin& b) {
    return std::pair(known(a), b.flavour) < std::pair(known(b), a.flavour);  // the site's own first, ompi before mpich
  });
  found.insert(found.end(), here.begin(), here.end());
}

void add_prefix(const fs::path& prefix, const std::vector<std::string>& names, std::vector<std::string>& found) {
  std::error_code error;
  for (const std::string& name : names)
    if (const fs::path path = prefix / "lib" / name; fs::exists(path, error)) found.push_back(path.string());
}

void add_path_of_mpiexec(const std::vector<std::string>& names, std::vector<std::string>& found) {
  std::istringstream path(variable("PATH"));
  std::error_code error;
  for (std::string directory; std::getline(path, directory, ':');)
    if (const fs::path program = fs::path(directory) / "mpiexec"; !directory.empty() && fs::exists(program, error)) {
      add_prefix(fs::path(directory).parent_path(), names, found);
      add_prefix(fs::weakly_canonical(program, error).parent_path().parent_path(), names, found);
      return;
    }
}

}  // namespace

Launch launch() {
  if (const int n = number("OMPI_COMM_WORLD_SIZE"); n > 0) return {"OMPI_COMM_WORLD_SIZE=" + std::to_string(n), n, "ompi"};
  if (const int n = number("SLURM_STEP_NUM_TASKS"); n > 1 && !variable("SLURM_STEP_ID").empty() && !variable("SLURM_PROCID").empty())
    return {"SLURM_STEP_NUM_TASKS=" + std::to_string(n), n, variable("PMIX_RANK").empty() ? "mpich" : "ompi"};
  if (const int n = number("PMI_SIZE"); n > 0 && !variable("PMI_RANK").empty()) return {"PMI_SIZE=" + std::to_string(n), n, "mpich"};
  if (const int n = number("MV2_COMM_WORLD_SIZE"); n > 0) return {"MV2_COMM_WORLD_SIZE=" + std::to_string(n), n, "mpich"};
  if (!variable("PMIX_RANK").empty() && !variable("PMIX_NAMESPACE").empty()) return {"PMIX_RANK=" + variable("PMIX_RANK"), 0, ""};
  return {};
}

std::string flavour_of_library(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  if (name.starts_with("libmpi.so.40")) return "ompi";
  if (name.starts_with("libmpi.so.12") || name.starts_with("libmpich.so")) return "mpich";
  return "";
}

std::vector<std::string> mapped_libmpi() {
  std::vector<std::string> found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        const std::string path = info->dlpi_name ? info->dlpi_name : "", name = fs::path(path).filename().string();
        if (name.starts_with("libmpi.so") || name.starts_with("libmpich.so") || name.starts_with("libmpi_abi.so") ||
            name.starts_with("libmpi_cray.so"))
          static_cast<std::vector<std::string>*>(data)->push_back(path);
        return 0;
      },
      &found);
  return found;
}

std::vector<Plugin> plugins() {
  std::vector<Plugin> found;
  if (const std::string given = variable("NEUROPIL_MPI_DIR"); !given.empty()) {
    add_plugins(given, found);
    return found;
  }
  const std::string data = variable("XDG_DATA_HOME"), home = variable("HOME");
  if (!data.empty() || !home.empty()) add_plugins((data.empty() ? fs::path(home) / ".local/share" : fs::path(data)) / "neuropil", found);
  add_plugins(own_directory(), found);
  return found;
}

std::vector<std::string> libraries(const std::string& flavour) {
  const std::vector<std::string> names =
      flavour == "ompi" ? std::vector<std::string>{"libmpi.so.40"} : std::vector<std::string>{"libmpi.so.12", "libmpich.so.12"};
  std::vector<std::string> found;
  std::error_code error;
  if (const std::string given = variable("NEUROPIL_LIBMPI"); !given.empty()) return {given};
  if (const std::string given = variable("OMPI_LIBDIR_LOC"); flavour == "ompi" && !given.empty())
    add_prefix(fs::path(given).parent_path(), names, found);
  // The parent process of a rank is usually the daemon of its launcher: PREFIX/bin/prted, hydra_pmi_proxy.
  if (!launch().by.empty())
    if (const fs::path parent = fs::read_symlink("/proc/" + std::to_string(getppid()) + "/exe", error); !error)
      add_prefix(parent.parent_path().parent_path(), names, found);
  // PREFIX/lib/python3.x/site-packages/neuropil: wheels put libmpi into PREFIX/lib.
  const fs::path own = own_directory();
  add_prefix(own.parent_path().parent_path().parent_path().parent_path(), names, found);
  if (const std::string given = variable("VIRTUAL_ENV"); !given.empty()) add_prefix(given, names, found);
  add_path_of_mpiexec(names, found);
  found.insert(found.end(), names.begin(), names.end());
  std::vector<std::string> once;
  for (const std::string& path : found)
    if (std::find(once.begin(), once.end(), path) == once.end()) once.push_back(path);
  return once;
}

}  // namespace npl::comm
