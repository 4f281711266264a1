// SPDX-License-Identifier: Apache-2.0
/// Ranks as threads, random sparse partners and loads, and the obvious direct delivery to compare with.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <thread>

#include "exchange/strategy.hpp"
#include "exchange/wire.hpp"

namespace npl::exchange {

using Bytes = std::vector<std::byte>;

/// Runs `body` as every rank. What a rank throws ends the program: the others would wait for it for ever.
inline void as_ranks(int ranks, int per_node, const std::function<void(comm::Communicator&)>& body) {
  auto group = comm::threads(ranks, per_node);
  std::vector<std::thread> threads;
  for (auto& comm : group)
    threads.emplace_back([&body, &comm] {
      try {
        body(*comm);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "rank %d: %s\n", comm->rank(), e.what());
        std::abort();
      }
    });
  for (auto& t : threads) t.join();
}

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
  return (a ^ (a >> 29)) * 0x94d049bb133111ebu ^ (a >> 17);
}

/// Who sends how much to whom in which exchange; every rank can compute all of it.
struct Plan {
  int ranks;
  std::size_t record_bytes;
  bool directed;
  std::uint64_t seed;
  int exchanges = 15;
  int percent = 50;  ///< of all pairs that are partners
  unsigned burst = 1500;

  bool linked(int s, int d) const { return s != d && (!directed || int(mix(mix(seed, s), d * 1000 + 7) % 100) < percent); }

  /// Most exchanges carry little, some nothing at all, a few rare pairs thousands.
  std::size_t load(int exchange, int s, int d) const {
    if (!linked(s, d) || exchange % 7 == 5) return 0;
    const std::uint64_t draw = mix(mix(mix(seed + 1, exchange), s), directed ? d : 0);
    const unsigned kind = draw % 64;
    const std::uint64_t more = draw >> 20;
    if (kind == 0 && exchange % 3 == 1) return burst + more % (burst + 1);
    if (kind < 20) return 0;
    return kind < 40 ? 1 : more % (exchange % 5 == 0 ? 40 : 6);
  }

  Bytes data(int exchange, int s, int d) const {
    Bytes bytes(load(exchange, s, d) * record_bytes);
    std::uint64_t state = mix(mix(seed, exchange), s * 64 + (directed ? d : 0));
    for (auto& b : bytes) b = static_cast<std::byte>((state = state * 6364136223846793005u + 1442695040888963407u) >> 56);
    return bytes;
  }

  Partners partners(int rank) const {
    Partners p;
    for (int r = 0; r < ranks; ++r) {
      if (linked(r, rank)) p.sources.push_back(r);
      if (linked(rank, r)) p.destinations.push_back(r);
    }
    return p;
  }

  Outgoing outgoing(int exchange, int rank) const {
    Outgoing out;
    out.begin.push_back(0);
    const auto add = [&](int d) {
      const Bytes bytes = data(exchange, rank, d);
      out.data.insert(out.data.end(), bytes.begin(), bytes.end());
      out.begin.push_back(out.data.size());
    };
    if (!directed) return add(rank == 0 ? ranks : 0), out;  // any other rank: all get the same
    for (const int d : partners(rank).destinations) add(d);
    return out;
  }
};

/// Data per source; fails where segments are not whole, in place and in order.
inline std::map<int, Bytes> by_source(const Incoming& in, std::size_t record_bytes) {
  std::map<int, Bytes> found;
  std::size_t covered = 0;
  for (const auto& s : in.segments) {
    EXPECT_EQ(s.begin, covered);
    EXPECT_LT(s.begin, s.end);
    EXPECT_LE(s.end, in.data.size());
    EXPECT_EQ((s.end - s.begin) % record_bytes, 0u) << "a record was cut";
    covered = s.end;
    found[s.source].insert(found[s.source].end(), in.data.begin() + s.begin, in.data.begin() + s.end);
  }
  EXPECT_EQ(covered, in.data.size());
  return found;
}

/// Compares with direct delivery; returns the number of records expected.
inline std::size_t expect_delivery(const Plan& plan, int exchange, int rank, const Incoming& in) {
  auto found = by_source(in, plan.record_bytes);
  std::size_t records = 0;
  for (int s = 0; s < plan.ranks; ++s) {
    const Bytes wanted = plan.data(exchange, s, rank);
    records += wanted.size() / plan.record_bytes;
    EXPECT_TRUE(found[s] == wanted) << "exchange " << exchange << ", from " << s << " to " << rank << ": " << found[s].size()
                                    << " bytes, not " << wanted.size();
  }
  return records;
}

/// All exchanges of the plan as this rank; `between` runs between start and finish.
inline Counts play(comm::Communicator& comm, Strategy& strategy, const Plan& plan, const std::function<void(int)>& between = {}) {
  std::size_t sent = 0, received = 0;
  Incoming in;
  for (int e = 0; e < plan.exchanges; ++e) {
    Outgoing out = plan.outgoing(e, comm.rank());
    sent += (out.begin.back() - out.begin.front()) / plan.record_bytes;
    strategy.start(out);
    std::fill(out.data.begin(), out.data.end(), std::byte{0xff});  // start took what it held
    if (between) between(e);
    strategy.finish(in);
    received += expect_delivery(plan, e, comm.rank(), in);
  }
  EXPECT_EQ(strategy.counts().words_sent, sent);
  EXPECT_EQ(strategy.counts().words_received, received);
  return strategy.counts();
}

}  // namespace npl::exchange
