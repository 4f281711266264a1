// SPDX-License-Identifier: Apache-2.0
/// Gathering of values of all ranks on every rank.
#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace npl::comm {

/// The elements of all ranks in order of ranks; in a dry run only those of this rank. Collective. Every rank holds all elements.
template <class T>
std::vector<T> gather(Communicator& comm, const std::vector<T>& mine) {
  if (comm.size() == 1 || comm.mirrored()) return mine;
  const std::size_t bytes = mine.size() * sizeof(T);
  std::vector<std::size_t> counts(static_cast<std::size_t>(comm.size()));
  comm.allgather(&bytes, sizeof bytes, counts.data());
  std::vector<T> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}) / sizeof(T));
  comm.allgatherv(mine.data(), bytes, all.data(), counts);
  return all;
}

/// The text of the one rank whose text is not empty, on every rank. Collective. Memory does not grow with the number of ranks.
inline std::string told(Communicator& comm, const std::string& text) {
  std::int64_t length = static_cast<std::int64_t>(text.size());
  comm.allreduce(std::span<std::int64_t>(&length, 1), Op::max);
  std::vector<std::int64_t> words((static_cast<std::size_t>(length) + 7) / 8);
  if (!text.empty()) std::memcpy(words.data(), text.data(), text.size());
  comm.allreduce(std::span<std::int64_t>(words), Op::bit_or);
  return {reinterpret_cast<const char*>(words.data()), static_cast<std::size_t>(length)};
}

/// Adds up the values of the ranks before this one, which has 0 after it if it is the first. Collective. O(log ranks) messages.
inline void sum_before(Communicator& comm, std::span<std::int64_t> values) {
  constexpr int tag = 1;  // messages of one rank keep their order, so calls after each other may share it
  std::vector<std::int64_t> own(values.begin(), values.end()), lower(values.size()), sent(values.size());
  std::fill(values.begin(), values.end(), 0);
  comm.before_messages();
  for (int distance = 1; distance < comm.size(); distance *= 2) {
    for (std::size_t k = 0; k < own.size(); ++k) sent[k] = own[k] + values[k];
    const bool sends = comm.rank() + distance < comm.size();
    const Request request = sends ? comm.isend(comm.rank() + distance, tag, sent.data(), values.size_bytes()) : 0;
    if (comm.rank() >= distance) {
      comm.recv(comm.rank() - distance, tag, lower.data(), values.size_bytes());
      for (std::size_t k = 0; k < own.size(); ++k) values[k] += lower[k];
    }
    comm.wait(request);
  }
}

/// A record of whole numbers; all have the same length.
using Words = std::vector<std::int64_t>;

/// The distinct records of all ranks. Collective. Memory and messages grow with the distinct records, not with the number of ranks: records
/// are dealt to bins, and in each round the first one of each bin is told by one rank that has it. @param width length of the records
inline std::set<Words> united(Communicator& comm, std::set<Words> mine, std::size_t width) {
  constexpr std::size_t bins = 128;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::set<Words> all;
  if (comm.size() == 1) return mine;
  for (;;) {
    std::array<std::int64_t, bins> first, own;  // hash, then rank: one rank has it
    std::array<const Words*, bins> offered{};
    first.fill(none);
    for (const Words& record : mine) {
      std::uint64_t hash = 1;
      for (const std::int64_t word : record) hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
      const std::int64_t key = static_cast<std::int64_t>(hash >> 33 << 32) + comm.rank();
      if (key < first[hash % bins]) first[hash % bins] = key, offered[hash % bins] = &record;
    }
    own = first;
    comm.allreduce(std::span<std::int64_t>(first), Op::min);
    if (std::ranges::all_of(first, [](std::int64_t key) { return key == none; })) return all;
    Words told(bins * width, std::numeric_limits<std::int64_t>::min());
    for (std::size_t b = 0; b < bins; ++b)
      if (offered[b] && first[b] == own[b]) std::ranges::copy(*offered[b], told.begin() + static_cast<std::ptrdiff_t>(b * width));
    comm.allreduce(std::span<std::int64_t>(told), Op::max);
    for (std::size_t b = 0; b < bins; ++b) {
      if (first[b] == none) continue;
      const auto begin = told.begin() + static_cast<std::ptrdiff_t>(b * width);
      Words record(begin, begin + static_cast<std::ptrdiff_t>(width));
      mine.erase(record);
      all.insert(std::move(record));
    }
  }
}

/// Gives every rank all elements: each element is set by one rank, and the others have zero bits (0.0) there. Equal lengths on all ranks.
/// Collective.
inline void merge(Communicator& comm, std::vector<double>& values) {
  if (comm.size() > 1) comm.allreduce(std::span<double>(values), Op::bit_or);
}

}  // namespace npl::comm
