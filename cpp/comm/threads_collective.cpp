// SPDX-License-Identifier: Apache-2.0
// The work of the collective operations of a group of threads.
#include <algorithm>
#include <bit>
#include <cstring>

#include "comm/threads_group.hpp"

namespace npl::comm {
namespace {

std::int64_t combine(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::sum: return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    case Op::bit_or: return a | b;
  }
  return 0;
}

double combine(Op op, double a, double b) {
  switch (op) {
    case Op::sum: return a + b;
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    case Op::bit_or: return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) | std::bit_cast<std::uint64_t>(b));
  }
  return 0;
}

template <class T>
T* elements(const Part& part) {
  return reinterpret_cast<T*>(part.recv);
}

/// Reduces elements [begin, end) in order of ranks and writes the result to every rank, in place. No other thread uses these elements.
template <class T>
void reduce(std::vector<Part>& parts, std::size_t begin, std::size_t end) {
  constexpr std::size_t block = 256;
  const Op op = parts[0].op;
  T total[block];
  for (std::size_t at = begin; at < end; at += block) {
    const std::size_t n = std::min(block, end - at);
    std::copy_n(elements<T>(parts[0]) + at, n, total);
    for (std::size_t r = 1; r < parts.size(); ++r) {
      const T* more = elements<T>(parts[r]) + at;
      for (std::size_t i = 0; i < n; ++i) total[i] = combine(op, total[i], more[i]);
    }
    for (const Part& part : parts) std::copy_n(total, n, elements<T>(part) + at);
  }
}

void reduce_scatter(const std::vector<Part>& parts, std::size_t to) {
  std::int64_t total = 0;
  for (const Part& part : parts) total = combine(Op::sum, total, reinterpret_cast<const std::int64_t*>(part.send)[to]);
  *elements<std::int64_t>(parts[to]) = total;
}

std::string differ(std::size_t from, std::size_t sent, std::size_t to, std::size_t expected) {
  return "rank " + std::to_string(from) + " sends " + std::to_string(sent) + " bytes to rank " + std::to_string(to) + ", which expects " +
         std::to_string(expected);
}

}  // namespace

std::size_t Part::bytes() const { return recv_at.empty() ? 8 * length : recv_at.back(); }

void Operation::arrive(int rank) {
  bytes_.fetch_add(parts[static_cast<std::size_t>(rank)].bytes(), std::memory_order_relaxed);
  arrived_.fetch_add(1, std::memory_order_acq_rel);
}

bool Operation::help(int rank) {
  if (!all_arrived() || claimed_.load(std::memory_order_relaxed) >= ranks()) return false;
  const int at_once = bytes_.load(std::memory_order_relaxed) <= small ? ranks() : 1;
  for (;;) {
    const int first = claimed_.fetch_add(at_once, std::memory_order_relaxed);
    if (first >= ranks()) return false;
    check(rank);
    for (int task = first; task < first + at_once; ++task) work(rank, task);
    if (done_.fetch_add(at_once, std::memory_order_acq_rel) + at_once == ranks()) return true;
  }
}

void Operation::check(int rank) const {
  for (std::size_t r = 1; r < parts.size(); ++r)
    if (!parts[r].matches(parts[0]))
      end_job(rank, ranks(), 1, "ranks 0 and " + std::to_string(r) + " call different collective operations");
}

void Operation::work(int helper, int task) {
  const auto t = static_cast<std::size_t>(task);
  const std::size_t n = parts[0].length, begin = n * t / parts.size(), end = n * (t + 1) / parts.size();
  switch (parts[0].verb) {
    case Verb::barrier: return;
    case Verb::reduce_integers: return reduce<std::int64_t>(parts, begin, end);
    case Verb::reduce_doubles: return reduce<double>(parts, begin, end);
    case Verb::reduce_scatter: return reduce_scatter(parts, t);
    case Verb::gather: return gather(helper, task);
    case Verb::exchange: return exchange(helper, task);
  }
}

void Operation::gather(int helper, int task) {
  const auto to = static_cast<std::size_t>(task);
  const auto& at = parts[to].recv_at;
  for (std::size_t from = 0; from < parts.size(); ++from) {
    const std::size_t bytes = parts[from].length;
    if (bytes != at[from + 1] - at[from]) end_job(helper, ranks(), 1, differ(from, bytes, to, at[from + 1] - at[from]));
    if (bytes) std::memcpy(parts[to].recv + at[from], parts[from].send, bytes);
  }
}

void Operation::exchange(int helper, int task) {
  const auto to = static_cast<std::size_t>(task);
  const auto& at = parts[to].recv_at;
  for (std::size_t from = 0; from < parts.size(); ++from) {
    const auto& sent = parts[from].send_at;
    const std::size_t bytes = sent[to + 1] - sent[to];
    if (bytes != at[from + 1] - at[from]) end_job(helper, ranks(), 1, differ(from, bytes, to, at[from + 1] - at[from]));
    if (bytes) std::memcpy(parts[to].recv + at[from], parts[from].send + sent[to], bytes);
  }
}

void Operation::reset() {
  found = left = 0;
  bytes_.store(0, std::memory_order_relaxed);
  claimed_.store(0, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  arrived_.store(0, std::memory_order_relaxed);
}

}  // namespace npl::comm
