// SPDX-License-Identifier: Apache-2.0
#include "sim/agreement.hpp"

#include <array>
#include <limits>

#include "base/run_error.hpp"
#include "base/told_error.hpp"
#include "comm/collect.hpp"
#include "sim/fingerprint.hpp"

namespace npl::sim {
namespace {

constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

/// Half of the bits of a fingerprint: sufficient, and its negative can be represented.
std::int64_t signed_half(std::uint64_t fingerprint) { return static_cast<std::int64_t>(fingerprint >> 1); }

/// Reduces minimum and maximum of the fingerprints and the first rank that failed. Every collective call starts with this one reduction.
struct Comparison {
  std::array<std::int64_t, 9> least;
  Comparison(comm::Communicator& comm, const char* what, std::array<std::int64_t, 3> state, bool failed) {
    const std::int64_t call = signed_half(fingerprint_of(std::string_view(what)));
    least = {call, -call, state[0], -state[0], state[1], -state[1], state[2], -state[2], failed ? comm.rank() : nobody};
    comm.allreduce(std::span<std::int64_t>(least), comm::Op::min);
  }
  bool same(std::size_t k) const { return least[2 * k] == -least[2 * k + 1]; }
  bool all_same() const { return same(0) && same(1) && same(2) && same(3); }
  std::int64_t failed() const { return least.back(); }
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
void Agreement::agree(const char* call, std::exception_ptr error, std::uint64_t arguments) const {
  if (ranks_ > 1) {
    const std::exception_ptr unfilled = fill_reserve();
    if (!error) error = unfilled;
    const Reserve::Scope scope(reserve_);
    try {
      compare(call, error, arguments);
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

void Agreement::compare(const char* call, const std::exception_ptr& error, std::uint64_t arguments) const {
  const Comparison a(comm_, call, {signed_half(described_), progress_.step, signed_half(arguments)}, error != nullptr);
  const auto where = [&] { return "rank " + std::to_string(comm_.rank()) + " is in " + call; };
  if (!a.same(0))
    throw RankError("ranks no longer make the same calls: " + where() + ", another one is in another call or has ended" +
                    (error ? "; besides: " + text_of(error) : ""));
  if (a.failed() != nobody) {
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
