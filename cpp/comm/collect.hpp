// SPDX-License-Identifier: Apache-2.0
/// Gathering of values of all ranks on every rank.
#pragma once
#include <algorithm>
#include <cstring>
#include <numeric>
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

/// Gives every rank all elements: each element is set by one rank, and the others have zero bits (0.0) there. Equal lengths on all ranks.
/// Collective.
inline void merge(Communicator& comm, std::vector<double>& values) {
  if (comm.size() > 1) comm.allreduce(std::span<double>(values), Op::bit_or);
}

}  // namespace npl::comm
