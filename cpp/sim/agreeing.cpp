// SPDX-License-Identifier: Apache-2.0
/// Before a collective call ranks agree that they all make it, so that none is left waiting (law 6).
#include <array>
#include <limits>

#include "comm/collect.hpp"
#include "sim/network.hpp"

namespace npl::sim {
namespace {

constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

std::int64_t fingerprint(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return static_cast<std::int64_t>(h >> 1);
}

std::string what_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown error";
  }
}

/// Smallest and largest of what the ranks say, and the first rank that failed. Everything collective begins with this one call.
struct Agreement {
  std::array<std::int64_t, 7> least;
  Agreement(comm::Communicator& comm, std::int64_t call, std::int64_t described, std::int64_t step, bool failed)
      : least{call, -call, described, -described, step, -step, failed ? comm.rank() : nobody} {
    comm.allreduce(std::span<std::int64_t>(least), comm::Op::min);
  }
  bool same(std::size_t k) const { return least[2 * k] == -least[2 * k + 1]; }
};

}  // namespace

void Network::note(std::uint64_t what) { described_ = (described_ ^ what) * 0x9E3779B97F4A7C15u; }

void Network::agree(const char* call, std::exception_ptr error) const {
  if (ranks() > 1) {
    const Agreement a(*comm_, fingerprint(call), static_cast<std::int64_t>(described_ >> 1), step_, error != nullptr);
    const std::string where = "rank " + std::to_string(rank()) + " is in " + call;
    if (!a.same(0)) throw RankError("ranks no longer make the same calls: " + where + ", another one is in another call or has ended");
    if (a.least[6] != nobody) {
      const std::string text = error && a.least[6] == rank() ? what_of(error) : "";
      const auto all = comm::gather(*comm_, std::vector<char>(text.begin(), text.end()));
      if (!error) throw RankError("rank " + std::to_string(a.least[6]) + ": " + std::string(all.begin(), all.end()));
    } else if (!a.same(1) || !a.same(2)) {
      throw RankError("ranks have described different networks, or run them for different times: " + where + " after " + std::to_string(n_nodes()) +
                      " nodes, " + std::to_string(n_projections_) + " projections, " + std::to_string(step_) + " steps");
    }
  }
  if (error) std::rethrow_exception(error);
}

void leave(comm::Communicator& comm) {
  if (comm.size() > 1) Agreement(comm, fingerprint("the end"), 0, 0, false);
}

}  // namespace npl::sim
