// SPDX-License-Identifier: Apache-2.0
/// Before a collective call ranks agree that they all make it, so that none is left waiting (law 6).
#include <array>
#include <limits>

#include "comm/collect.hpp"
#include "sim/fingerprint.hpp"
#include "sim/network.hpp"

namespace npl::sim {
namespace {

constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

/// Half of a fingerprint's bits are enough, and its negative exists.
std::int64_t signed_half(std::uint64_t fingerprint) { return static_cast<std::int64_t>(fingerprint >> 1); }

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
  std::array<std::int64_t, 9> least;
  Agreement(comm::Communicator& comm, const char* what, std::array<std::int64_t, 3> state, bool failed) {
    const std::int64_t call = signed_half(fingerprint_of(std::string_view(what)));
    least = {call, -call, state[0], -state[0], state[1], -state[1], state[2], -state[2], failed ? comm.rank() : nobody};
    comm.allreduce(std::span<std::int64_t>(least), comm::Op::min);
  }
  bool same(std::size_t k) const { return least[2 * k] == -least[2 * k + 1]; }
  std::int64_t failed() const { return least.back(); }
};

}  // namespace

void Network::note(std::uint64_t what) { described_ = Fingerprint(described_).add(what).value(); }

/// What all ranks must have set alike; threads and sizes of blocks may differ.
std::uint64_t Network::fingerprint_of_settings() const {
  const ExchangeSettings& e = settings_.exchange;
  return fingerprint_of(settings_.resolution, settings_.seed, settings_.distribution, settings_.rank_map, settings_.areas, e.strategy, e.local, e.regime,
                        std::int64_t{e.halves}, e.phases, static_cast<std::int64_t>(e.conservation), std::uint64_t{e.buffer_bytes},
                        std::int64_t{settings_.count_intervals}, std::int64_t{settings_.keep_sources});
}

/// Memory that runs out here would leave the others waiting: it ends the job.
void Network::agree(const char* call, std::exception_ptr error, std::uint64_t arguments) const {
  try {
    compare(call, error, arguments);
  } catch (const std::bad_alloc&) {
    comm_->abort(1, std::string(call) + ": out of memory");
  }
  if (error) std::rethrow_exception(error);
}

void Network::compare(const char* call, const std::exception_ptr& error, std::uint64_t arguments) const {
  if (ranks() > 1) {
    const Agreement a(*comm_, call, {signed_half(described_), step_, signed_half(arguments)}, error != nullptr);
    const std::string where = "rank " + std::to_string(rank()) + " is in " + call;
    if (!a.same(0))
      throw RankError("ranks no longer make the same calls: " + where + ", another one is in another call or has ended" +
                      (error ? "; besides: " + what_of(error) : ""));
    if (a.failed() != nobody) {
      const std::string text = comm::told(*comm_, error && a.failed() == rank() ? what_of(error) : "");
      if (!error) throw RankError("rank " + std::to_string(a.failed()) + ": " + text);
    } else if (!a.same(1) || !a.same(2)) {
      throw RankError("ranks have described different networks, given them different settings, or run them for different times: " + where +
                      " after " + std::to_string(n_nodes()) + " nodes, " + std::to_string(n_projections_) + " projections, " +
                      std::to_string(step_) + " steps");
    } else if (!a.same(3)) {
      throw RankError("ranks call " + std::string(call) + " with different arguments; all must give the same");
    }
  }
}

void leave(comm::Communicator& comm) {
  if (comm.size() > 1) Agreement(comm, "the end", {}, false);
}

}  // namespace npl::sim
