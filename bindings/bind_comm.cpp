// SPDX-License-Identifier: Apache-2.0
/// MPI and the job: rank and size of this process, gathering bytes over ranks, ending all processes of the job.
#include "comm/collect.hpp"
#include "comm/find_mpi.hpp"
#include "comm/world.hpp"
#include "convert.hpp"
#include "sim/network.hpp"

namespace npl::bindings {
namespace {

/// List of the bytes of every rank, in order of ranks, on every rank. Collective.
nb::list gather_bytes(comm::Communicator& comm, const nb::bytes& data) {
  const std::vector<char> mine(data.c_str(), data.c_str() + data.size());
  std::vector<std::uint64_t> lengths;
  std::vector<char> all;
  {
    nb::gil_scoped_release release;
    lengths = comm::gather(comm, std::vector<std::uint64_t>{mine.size()});
    all = comm::gather(comm, mine);
  }
  nb::list found;
  const char* begin = all.data();
  for (const std::uint64_t length : lengths) {
    found.append(nb::bytes(begin, length));
    begin += length;
  }
  return found;
}

/// Whether it is so on some rank. Collective; O(1) memory.
bool on_some_rank(comm::Communicator& comm, bool here) {
  nb::gil_scoped_release release;
  std::int64_t any = here;
  comm.allreduce(std::span<std::int64_t>(&any, 1), comm::Op::max);
  return any != 0;
}

}  // namespace

void bind_comm(nb::module_& m) {
  // {rank, size, name} of MPI, or {} without MPI. make: open MPI if a launcher started this process; False: only report an open one.
  m.def(
      "world",
      [](bool make) {
        nb::dict d;
        const auto world = make ? comm::world() : comm::world_if_made();
        if (!world) return d;
        d["rank"] = world->rank();
        d["size"] = world->size();
        d["name"] = world->name();
        return d;
      },
      "make"_a = true);
  m.def("launched_ranks", [] {  // number of processes; -1: no launcher, 0: launched, number unknown
    const auto launch = comm::launch();
    return launch.by.empty() ? -1 : launch.ranks;
  });
  m.def("guard_exit", comm::guard_exit);
  comm::before_end(sim::leave);
  m.def("ends_mpi", comm::ends_mpi);
  m.def("gather_bytes", gather_bytes, "comm"_a, "data"_a);
  m.def("on_some_rank", on_some_rank, "comm"_a, "here"_a);
  m.def("mpi", comm::describe_mpi);
  m.def("abort_job", [](int code, const std::string& why) { comm::abort_job(code, why); }, "code"_a, "why"_a);
}

}  // namespace npl::bindings
