// SPDX-License-Identifier: Apache-2.0
#include "sim/agreement.hpp"

#include <array>
#include <limits>

#include "base/run_error.hpp"
#include "base/told_error.hpp"
#include "comm/collect.hpp"
#include "sim/fingerprint.hpp"
#include "sim/first_refusal.hpp"

namespace npl::sim {
namespace {

constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();
constexpr int rank_bits = 22;

/// The error of a node that a rank has refused, and its gid; other errors as they are, and 0.
std::pair<std::exception_ptr, Gid> unwrapped(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const NodeRefused& refused) {
    return {refused.error, refused.gid};
  } catch (...) {}
  return {std::move(error), 0};
}

/// Half of the bits of a fingerprint: sufficient, and its negative can be represented.
std::int64_t signed_half(std::uint64_t fingerprint) { return static_cast<std::int64_t>(fingerprint >> 1); }

/// Reduces minimum and maximum of the fingerprints and the first rank that failed: with an error of its own, else that of the node with the
/// lowest gid. Every collective call starts with this one reduction.
struct Comparison {
  std::array<std::int64_t, 9> least;
  Comparison(comm::Communicator& comm, const char* what, std::array<std::int64_t, 3> state, bool failed, Gid refused = 0) {
    const std::int64_t call = signed_half(fingerprint_of(std::string_view(what)));
    least = {
        call, -call, state[0], -state[0], state[1], -state[1], state[2], -state[2], failed ? refused << rank_bits | comm.rank() : nobody};
    comm.allreduce(std::span<std::int64_t>(least), comm::Op::min);
  }
  bool same(std::size_t k) const { return least[2 * k] == -least[2 * k + 1]; }
  bool all_same() const { return same(0) && same(1) && same(2) && same(3); }
  bool any_failed() const { return least.back() != nobody; }
  std::int64_t failed() const { return least.back() & ((std::int64_t{1} << rank_bits) - 1); }
};

}  // namespace

bool is_out_of_memory(const std::exception_ptr& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {}
  return false;
}

void Agreement::note(std::uint64_t what) { described_ = Fingerprint(described_).add(what).value(); }

std::exception_ptr Agreement::fill_reserve() const noexcept {
  try {
    reserve_.fill();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// Running out of memory in here, the reserve included, ends the job, because the other ranks would wait for ever.
void Agreement::agree(const char* call, std::exception_ptr given, std::uint64_t arguments) const {
  auto [error, refused] = unwrapped(std::move(given));
  if (ranks_ > 1) {
    const std::exception_ptr unfilled = fill_reserve();
    if (!error) error = unfilled;
    const Reserve::Scope scope(reserve_);
    try {
      compare(call, error, refused, arguments);
    } catch (const std::bad_alloc&) {
      comm_.abort(1, "out of memory");  // so short a text needs no memory
    }
  }
  if (error) std::rethrow_exception(error);
}

/// The ranks have given the same arguments, so the first one that refuses them does so for all: only it may see what is refused. Returns if
/// its error concerns that rank alone (memory).
void Agreement::throw_alike(const std::exception_ptr& error, std::int64_t failed) const {
  const std::string text = comm::told(comm_, failed == comm_.rank() ? packed(error) : "");
  if (!text.empty()) throw_packed(text);
}

void Agreement::compare(const char* call, const std::exception_ptr& error, Gid refused, std::uint64_t arguments) const {
  const Comparison a(comm_, call, {signed_half(described_), progress_.step, signed_half(arguments)}, error != nullptr, refused);
  const auto where = [&] { return "rank " + std::to_string(comm_.rank()) + " is in " + call; };
  if (!a.same(0))
    throw RankError("ranks no longer make the same calls: " + where() + ", another one is in another call or has ended" +
                    (error ? "; besides: " + text_of(error) : ""));
  if (a.any_failed()) {
    if (arguments && a.all_same()) throw_alike(error, a.failed());
    const std::string text = comm::told(comm_, error && a.failed() == comm_.rank() ? text_of(error) : "");
    if (!error || is_out_of_memory(error)) throw RankError("rank " + std::to_string(a.failed()) + ": " + text);
  } else if (!a.same(1) || !a.same(2)) {
    throw RankError("ranks have described different networks, given them different settings, or run them for different times: " + where() +
                    " after " + std::to_string(progress_.nodes) + " nodes, " + std::to_string(progress_.projections) + " projections, " +
                    std::to_string(progress_.step) + " steps");
  } else if (!a.same(3)) {
    throw RankError("ranks call " + std::string(call) + " with different arguments; all must give the same");
  }
}

void leave(comm::Communicator& comm) {
  if (comm.size() > 1) Comparison(comm, "the end", {}, false);
}

}  // namespace npl::sim
