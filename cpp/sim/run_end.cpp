// SPDX-License-Identifier: Apache-2.0
#include "sim/run_end.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "comm/collect.hpp"

namespace npl::sim {
namespace {

constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

/// Numbers of a Diverged as they are sent.
struct Numbers {
  double value;
  Gid gid, source;  ///< source: -1: none
  bool overflow;
};

/// Numbers, model and state as one text, to be sent by `told`.
std::string packed(const Diverged& d) {
  const Numbers n{d.value, d.gid, d.source.value_or(-1), d.overflow};
  return std::string(reinterpret_cast<const char*>(&n), sizeof n) + d.model + '\n' + d.state;
}

Diverged unpacked(const std::string& text, Step stamp) {
  Numbers n;
  std::memcpy(&n, text.data(), sizeof n);
  const std::size_t end = text.find('\n', sizeof n);
  const auto source = n.source >= 0 ? std::optional(n.source) : std::nullopt;
  return {stamp, n.gid, text.substr(sizeof n, end - sizeof n), text.substr(end + 1), n.value, n.overflow, source};
}

std::exception_ptr error_of(const Diverged& d, double resolution) {
  const double time = static_cast<double>(d.stamp) * resolution;
  if (d.source) return std::make_exception_ptr(WeightOutgrown(d.model, *d.source, d.gid, d.value, time));
  if (d.overflow) return std::make_exception_ptr(InputOverflow(d.model, d.gid, static_cast<int>(d.value), time));
  return std::make_exception_ptr(NumericalInstability(d.model, d.gid, d.state, d.value, time));
}

/// Result of one reduction over all ranks: the first stamp of what has diverged, the first rank that failed, the first that stopped.
struct Known {
  std::int64_t stamp = nobody, failed = nobody, stopped = nobody, spoiled = 0;  ///< spoiled: -1 or 0

  Known(comm::Communicator& comm, const RunEnd& mine) {
    if (mine.diverged) stamp = mine.diverged->stamp;
    if (mine.error || mine.too_large) failed = comm.rank();
    if (mine.stopped) stopped = comm.rank();
    spoiled = mine.error ? -1 : 0;
    if (comm.size() == 1) return;
    std::array<std::int64_t, 4> least{stamp, failed, stopped, spoiled};
    comm.allreduce(std::span<std::int64_t>(least), comm::Op::min);
    stamp = least[0], failed = least[1], stopped = least[2], spoiled = least[3];
  }
};

/// The first that has diverged on any rank, on all ranks.
Diverged first_of_all(comm::Communicator& comm, const std::optional<Diverged>& mine, Step stamp) {
  if (comm.size() == 1) return *mine;
  const std::int64_t own = mine && mine->stamp == stamp ? mine->order() : nobody;
  std::int64_t first = own;
  comm.allreduce(std::span<std::int64_t>(&first, 1), comm::Op::min);
  return unpacked(comm::told(comm, own == first ? packed(*mine) : ""), stamp);
}

/// The error of this rank, or RankError with the text of the first rank that failed.
std::exception_ptr failure(comm::Communicator& comm, const std::exception_ptr& own, std::int64_t failed) {
  if (comm.size() == 1) return own;
  const std::string text = comm::told(comm, failed == comm.rank() ? text_of(own) : "");
  return own && !is_out_of_memory(own) ? own : std::make_exception_ptr(RankError("rank " + std::to_string(failed) + ": " + text));
}

}  // namespace

void RunErrors::stop(Step due) noexcept {
  Step known = due_.load();
  while (due < known && !due_.compare_exchange_weak(known, due)) {}
}

std::exception_ptr RunErrors::first() const {
  const auto found = std::find_if(errors_.begin(), errors_.end(), [](const std::exception_ptr& e) { return e != nullptr; });
  return found == errors_.end() ? nullptr : *found;
}

RunVerdict agree_on_end(comm::Communicator& comm, const RunEnd& mine, const char* what, double resolution) {
  const Known all(comm, mine);
  const bool spoiled = all.spoiled < 0 || all.stamp != nobody;
  if (all.stamp != nobody) return {error_of(first_of_all(comm, mine.diverged, all.stamp), resolution), spoiled};
  if (all.failed != nobody) return {failure(comm, mine.error ? mine.error : mine.too_large, all.failed), spoiled};
  if (all.stopped == nobody || mine.stopped) return {};
  return {std::make_exception_ptr(RankError("rank " + std::to_string(all.stopped) + " has stopped the " + what +
                                            ": Ctrl-C, or an exception of its progress function")),
          false};
}

}  // namespace npl::sim
