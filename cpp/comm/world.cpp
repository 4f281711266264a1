// SPDX-License-Identifier: Apache-2.0
#include "comm/world.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>

#include "comm/find_mpi.hpp"

namespace npl::comm {
namespace {

constexpr const char* advice =
    "Install one with `pip install \"neuropil[mpi]\"` (Open MPI) or `pip install mpich`, and call ./run once if neuropil is a clone; or "
    "compile the plug-in for the MPI of this machine with `neuropil build-mpi`; NEUROPIL_MPI=off makes every process a run of its own.";

std::string chosen() {
  const char* value = std::getenv("NEUROPIL_MPI");
  return value ? value : "";
}

std::string flavours(const std::vector<Plugin>& all) {
  std::string text;
  for (const Plugin& p : all) text += (text.empty() ? "" : ", ") + p.flavour;
  return text.empty() ? "none" : text;
}

/// The plug-in named by NEUROPIL_MPI: a flavour or a path.
Plugin named_plugin(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    const std::string stem = std::filesystem::path(name).stem().string();
    if (!std::filesystem::exists(name)) throw NoMpi("NEUROPIL_MPI=" + name + ": no such file");
    return {stem.starts_with("_mpi_") ? stem.substr(5) : "site", name};
  }
  const auto all = plugins();
  for (const Plugin& p : all)
    if (p.flavour == name) return p;
  throw NoMpi("NEUROPIL_MPI=" + name + ": no such plug-in; there are: " + flavours(all) + ", off, or the path of one. " + advice);
}

/// The plug-in for a libmpi that is already loaded. One made by build-mpi is linked to its own library, which may be another one: checked
/// after opening.
std::optional<Plugin> plugin_for(const std::string& library) {
  const std::string flavour = flavour_of_library(library);
  for (const Plugin& p : plugins())
    if (p.flavour == flavour || (flavour.empty() && p.flavour == "site")) return p;
  return std::nullopt;
}

/// Tries plug-ins in turn, the launcher's flavour first.
std::shared_ptr<Communicator> open_any(const Launch& l) {
  auto all = plugins();
  std::stable_partition(all.begin(), all.end(), [&](const Plugin& p) { return p.flavour == "site" || p.flavour == l.flavour; });
  std::string tried;
  for (const Plugin& p : all) {
    try {
      return open_mpi(p.path, libraries(p.flavour));
    } catch (const NoMpi& error) {
      if (!mapped_libmpi().empty()) throw;  // never load a second MPI library into this process
      tried += std::string("\n") + error.what();
    }
  }
  throw NoMpi("no MPI can be opened (plug-ins: " + flavours(all) + "). " + advice + tried);
}

std::shared_ptr<Communicator> choose(const Launch& l) {
  const std::string name = chosen();
  const auto mapped = mapped_libmpi();
  if (name == "off") return single();
  if (!name.empty()) {
    const Plugin p = named_plugin(name);
    if (!mapped.empty() && !flavour_of_library(mapped[0]).empty() && p.flavour != "site" && p.flavour != flavour_of_library(mapped[0]))
      throw NoMpi("NEUROPIL_MPI=" + name + ", but this process already holds another MPI library: " + mapped[0]);
    return open_mpi(p.path, mapped.empty() ? libraries(p.flavour) : mapped);
  }
  if (!mapped.empty()) {
    const auto p = plugin_for(mapped[0]);
    if (p) return open_mpi(p->path, mapped);
    if (l.ranks == 1 || l.by.empty()) return single();  // the program loaded MPI for other purposes
    throw NoMpi("this process was launched as one of several ranks (" + l.by + ") and holds the MPI library " + mapped[0] +
                ", for which there is no plug-in (there are: " + flavours(plugins()) + "). " + advice);
  }
  if (l.by.empty()) return single();
  try {
    return open_any(l);
  } catch (const NoMpi& error) {
    if (l.ranks == 1) return single();
    throw NoMpi("this process was launched as one of several ranks (" + l.by + "), but " + error.what());
  }
}

/// A library that does not know the launcher makes each process the only rank of its own world.
void check(const Communicator& world, const Launch& l) {
  if (chosen() == "off") return;
  if (l.ranks > 1 && world.size() != l.ranks)
    throw NoMpi(
        "this process was launched as one of several ranks (" + l.by + "), but " + world.name() + " sees " + std::to_string(world.size()) +
        ": launcher and MPI library are of different kinds. Use the mpiexec that belongs to the library, or choose the library with "
        "NEUROPIL_MPI=ompi, NEUROPIL_MPI=mpich or NEUROPIL_LIBMPI=<path of libmpi>.");
  if (const auto mapped = mapped_libmpi(); mapped.size() > 1)
    throw NoMpi("two MPI libraries in one process: " + mapped[0] + " and " + mapped[1]);
}

struct State {
  std::mutex mutex;
  std::shared_ptr<Communicator> world;
  std::atomic<bool> made = false;  // from then on `world` does not change
};
State& state() {
  static auto* it = new State;  // never destroyed: it is used at exit
  return *it;
}

}  // namespace

std::shared_ptr<Communicator> world() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!s.world) {
    const Launch l = launch();
    auto made = choose(l);
    check(*made, l);
    s.world = std::move(made);
    s.made = true;
  }
  return s.world;
}

std::shared_ptr<Communicator> adopted(const void* comm) {
  world();
  const std::lock_guard lock(state().mutex);
  if (!mpi_is_open()) {
    const auto mapped = mapped_libmpi();
    const auto plugin = mapped.empty() ? std::nullopt : plugin_for(mapped[0]);
    if (!plugin)
      throw NoMpi("comm: no MPI plug-in of neuropil fits the MPI library of this process (plug-ins: " + flavours(plugins()) + "). " +
                  advice);
    open_mpi(plugin->path, mapped);
  }
  return adopt_mpi(comm);
}

std::shared_ptr<Communicator> world_if_made() {
  State& s = state();
  return s.made ? s.world : nullptr;  // no lock: MPI_Init may call exit, which calls this function
}

void abort_job(int code, const std::string& why) {
  const auto made = world_if_made();
  if (made) made->abort(code, why);
  if (!why.empty()) std::fprintf(stderr, "neuropil: %s\n", why.c_str());
  std::fflush(nullptr);
  // MPI is not initialised: the launcher must notice the failure, or the other ranks wait in MPI_Init. The launcher of Open MPI looks at
  // the exit code, that of MPICH only at signals.
  if (launch().flavour == "mpich") {
    std::signal(SIGTERM, SIG_DFL);
    std::raise(SIGTERM);
  }
  _exit(code >= 1 && code <= 255 ? code : 1);
}

void guard_exit() {
#ifdef __GLIBC__
  static pid_t process = 0;
  if (process == getpid()) return;
  process = getpid();
  on_exit(
      [](int status, void*) {
        if (status != 0 && process == getpid() && !world_if_made()) abort_job(status, "");
      },
      nullptr);
#endif
}

std::string describe_mpi() {
  const auto made = world_if_made();
  if (made && made->name() != "single") return made->name() + ", " + std::to_string(made->size()) + " ranks";
  std::string text;
  for (const Plugin& p : plugins()) {
    text += (text.empty() ? "" : ", ") + p.flavour;
    if (p.flavour == "site") continue;
    for (const std::string& library : libraries(p.flavour))
      if (library.find('/') != std::string::npos) {
        text += " (" + library + ")";
        break;
      }
  }
  return text.empty() ? "none (one process)" : "one process; plug-ins: " + text;
}

}  // namespace npl::comm
