// SPDX-License-Identifier: Apache-2.0
/// Runs the bodies of tests/cpp/comm/verbs.hpp on world(): mpiexec -n N mpi_verbs [NAME...]. Prints one line when all ranks agree with the
/// answers; else the failures, and exits with 1. Besides: what only MPI has.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <string>

#include "comm/find_mpi.hpp"
#include "comm/verbs.hpp"
#include "comm/world.hpp"

namespace {

using npl::comm::Communicator;

/// A rank whose only part is larger than an int counts: as one block, and as parts of unequal size where the library has large counts.
void large_blocks(Communicator& c) {
  const std::size_t n = (std::size_t{1} << 31) + 5;
  std::vector<char> out(n), in(n);
  out[0] = 1, out[n - 1] = static_cast<char>(2 + c.rank());
  const int next = (c.rank() + 1) % c.size(), previous = (c.rank() + c.size() - 1) % c.size();
  const auto sent = c.isend(next, 1, out.data(), n);
  std::optional<npl::comm::Message> found;
  while (!(found = c.iprobe(1))) {}
  EXPECT_EQ(found->bytes, n);
  c.recv(previous, 1, in.data(), n);
  c.wait(sent);
  EXPECT_EQ(in[0], 1);
  EXPECT_EQ(in[n - 1], static_cast<char>(2 + previous));
}

void large_parts(Communicator& c) {
  const std::size_t n = (std::size_t{1} << 31) + 5;
  std::vector<char> out(n), in(n);
  out[n - 1] = static_cast<char>(2 + c.rank());
  const int next = (c.rank() + 1) % c.size(), previous = (c.rank() + c.size() - 1) % c.size();
  std::vector<std::size_t> to(static_cast<std::size_t>(c.size())), from(to);
  to[static_cast<std::size_t>(next)] = n;
  from[static_cast<std::size_t>(previous)] = n;
  c.alltoallv(out.data(), to, in.data(), from);
  EXPECT_EQ(in[n - 1], static_cast<char>(2 + previous));
}

bool failed() { return testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed(); }

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::set<std::string> names(argv + 1, argv + argc);
  std::shared_ptr<Communicator> world;
  try {
    world = npl::comm::world();
  } catch (const npl::comm::NoMpi& error) {
    npl::comm::abort_job(3, error.what());
  }
  int ran = 0;
  const auto run = [&](const std::string& name, void (*body)(Communicator&)) {
    if (failed()) return;
    body(*world);
    ++ran;
    if (failed()) std::fprintf(stderr, "rank %d: %s failed\n", world->rank(), name.c_str());
  };
  for (const auto& body : npl::comm::verbs::bodies)
    if (names.empty() || names.contains(body.name)) run(body.name, body.run);
  if (names.contains("large_blocks")) run("large_blocks", large_blocks);
  if (names.contains("large_parts")) run("large_parts", large_parts);
  if (failed() || ran == 0) return 1;
  world->barrier();
  if (world->rank() == 0) {
    const auto libraries = npl::comm::mapped_libmpi().size();
    std::printf("%d bodies on %d ranks of %s, %zu libmpi\n", ran, world->size(), world->name().c_str(), libraries);
  }
  return 0;
}
