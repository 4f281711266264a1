// SPDX-License-Identifier: Apache-2.0
/// Tests of every verb that run over any communicator: each body is called by all ranks at once and compares with what it must receive.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "comm/communicator.hpp"

namespace npl::comm::verbs {

using Bytes = std::vector<std::uint8_t>;
using Counts = std::vector<std::size_t>;

inline std::size_t ranks(const Communicator& c) { return static_cast<std::size_t>(c.size()); }
inline std::size_t self(const Communicator& c) { return static_cast<std::size_t>(c.rank()); }

/// Byte i of what `from` sends to `to` in a round.
inline std::uint8_t pattern(std::size_t round, std::size_t from, std::size_t to, std::size_t i) {
  return static_cast<std::uint8_t>(round * 31 + from * 101 + to * 57 + i * 7 + (i >> 8));
}

inline void append(Bytes& bytes, std::size_t n, std::size_t round, std::size_t from, std::size_t to) {
  for (std::size_t i = 0; i < n; ++i) bytes.push_back(pattern(round, from, to, i));
}

inline Bytes message(std::size_t n, std::size_t round, std::size_t from, std::size_t to) {
  Bytes bytes;
  append(bytes, n, round, from, to);
  return bytes;
}

/// Often 0, mostly short, sometimes long.
inline std::size_t random_size(std::mt19937& random) {
  const std::size_t limits[] = {1, 9, 100, 12000};
  return random() % limits[random() % 4];
}

/// A started operation with the buffers it uses and the answer.
struct Pending {
  Request request = 0;
  Bytes send, recv, expected;
  std::vector<std::int64_t> integers, expected_integers;
  std::vector<double> doubles, expected_doubles;

  void check() const {
    EXPECT_EQ(recv, expected);
    EXPECT_EQ(integers, expected_integers);
    EXPECT_EQ(doubles, expected_doubles);
  }
};
using Started = std::unique_ptr<Pending>;

/// Waits by test() or wait(), at random, in any order.
inline void finish(Communicator& c, std::vector<Started>& started, std::mt19937& random) {
  std::shuffle(started.begin(), started.end(), random);
  for (Started& p : started) {
    if (random() % 2) {
      while (!c.test(p->request)) {}
    } else {
      c.wait(p->request);
    }
    p->check();
  }
  started.clear();
}

// --- collectives. `random` is in the same state on all ranks, so that every rank knows all sizes.

inline Started start_alltoallv(Communicator& c, std::mt19937& random, std::size_t round) {
  auto p = std::make_unique<Pending>();
  Counts sent, received;
  for (std::size_t from = 0; from < ranks(c); ++from)
    for (std::size_t to = 0; to < ranks(c); ++to) {
      const std::size_t n = random_size(random);
      if (from == self(c)) append(p->send, n, round, from, to), sent.push_back(n);
      if (to == self(c)) append(p->expected, n, round, from, to), received.push_back(n);
    }
  p->recv.resize(p->expected.size());
  p->request = c.ialltoallv(p->send.data(), sent, p->recv.data(), received);
  return p;
}

inline Started start_alltoall(Communicator& c, std::mt19937& random, std::size_t round) {
  auto p = std::make_unique<Pending>();
  const std::size_t n = random_size(random);
  for (std::size_t r = 0; r < ranks(c); ++r) {
    append(p->send, n, round, self(c), r);
    append(p->expected, n, round, r, self(c));
  }
  p->recv.resize(p->expected.size());
  p->request = c.ialltoall(p->send.data(), n, p->recv.data());
  return p;
}

inline Started start_allgatherv(Communicator& c, std::mt19937& random, std::size_t round) {
  auto p = std::make_unique<Pending>();
  Counts counts;
  for (std::size_t r = 0; r < ranks(c); ++r) {
    counts.push_back(random_size(random));
    append(p->expected, counts[r], round, r, 0);
  }
  p->send = message(counts[self(c)], round, self(c), 0);
  p->recv.resize(p->expected.size());
  p->request = c.iallgatherv(p->send.data(), p->send.size(), p->recv.data(), counts);
  return p;
}

inline Started start_allgather(Communicator& c, std::mt19937& random, std::size_t round) {
  auto p = std::make_unique<Pending>();
  const std::size_t n = random_size(random);
  for (std::size_t r = 0; r < ranks(c); ++r) append(p->expected, n, round, r, 0);
  p->send = message(n, round, self(c), 0);
  p->recv.resize(p->expected.size());
  p->request = c.iallgather(p->send.data(), n, p->recv.data());
  return p;
}

inline std::int64_t combined(Op op, std::int64_t a, std::int64_t b) {
  if (op == Op::sum) return a + b;
  if (op == Op::bit_or) return a | b;
  return op == Op::min ? std::min(a, b) : std::max(a, b);
}

/// Integers as large as doubles hold exactly, so that the same ones serve for both types.
inline std::int64_t value(std::size_t round, std::size_t rank, std::size_t i) {
  return static_cast<std::int64_t>((round * 7919 + rank * 104729 + i * 1299709) % (1 << 20)) - (1 << 19);
}

inline std::vector<std::int64_t> reduced(const Communicator& c, Op op, std::size_t n, std::size_t round) {
  std::vector<std::int64_t> total;
  for (std::size_t i = 0; i < n; ++i) {
    total.push_back(value(round, 0, i));
    for (std::size_t r = 1; r < ranks(c); ++r) total[i] = combined(op, total[i], value(round, r, i));
  }
  return total;
}

inline Started start_allreduce(Communicator& c, std::mt19937& random, std::size_t round) {
  auto p = std::make_unique<Pending>();
  const Op op = static_cast<Op>(random() % 4);
  const std::size_t n = random_size(random);
  p->expected_integers = reduced(c, op, n, round);
  for (std::size_t i = 0; i < n; ++i) p->integers.push_back(value(round, self(c), i));
  p->request = c.iallreduce(std::span<std::int64_t>(p->integers), op);
  return p;
}

inline Started start_allreduce_doubles(Communicator& c, std::mt19937& random, std::size_t round) {
  auto p = std::make_unique<Pending>();
  const Op op = std::array{Op::sum, Op::min, Op::max}[random() % 3];
  const std::size_t n = random_size(random);
  for (std::int64_t v : reduced(c, op, n, round)) p->expected_doubles.push_back(static_cast<double>(v) / 8);
  for (std::size_t i = 0; i < n; ++i) p->doubles.push_back(static_cast<double>(value(round, self(c), i)) / 8);
  p->request = c.iallreduce(std::span<double>(p->doubles), op);
  return p;
}

inline Started start_reduce_scatter(Communicator& c, std::mt19937&, std::size_t round) {
  auto p = std::make_unique<Pending>();
  std::vector<std::int64_t> send;
  for (std::size_t to = 0; to < ranks(c); ++to) send.push_back(value(round, self(c), to));
  std::int64_t total = 0;
  for (std::size_t r = 0; r < ranks(c); ++r) total += value(round, r, self(c));
  p->expected_integers = {total};
  p->integers = {0};
  p->send.resize(send.size() * sizeof(std::int64_t));
  std::memcpy(p->send.data(), send.data(), p->send.size());
  p->request = c.ireduce_scatter({reinterpret_cast<const std::int64_t*>(p->send.data()), send.size()}, p->integers.data());
  return p;
}

inline Started start_barrier(Communicator& c, std::mt19937&, std::size_t) {
  auto p = std::make_unique<Pending>();
  p->request = c.ibarrier();
  return p;
}

using Start = Started (*)(Communicator&, std::mt19937&, std::size_t);
inline constexpr Start starts[] = {start_alltoallv, start_alltoall,          start_allgatherv,     start_allgather,
                                   start_allreduce, start_allreduce_doubles, start_reduce_scatter, start_barrier};

inline void each_collective(Communicator& c) {
  std::mt19937 random(1), order(self(c));
  for (std::size_t round = 0; round < 20; ++round)
    for (Start start : starts) {
      std::vector<Started> one;
      one.push_back(start(c, random, round));
      finish(c, one, order);
    }
}

/// Up to 12 operations in flight; each rank completes them in an order of its own.
inline void outstanding_collectives(Communicator& c) {
  std::mt19937 random(2), order(self(c));
  for (std::size_t round = 0; round < 40; ++round) {
    std::vector<Started> started;
    for (std::size_t n = 1 + random() % 12; n > 0; --n) started.push_back(starts[random() % std::size(starts)](c, random, round + n));
    finish(c, started, order);
  }
}

inline void blocking_forms(Communicator& c) {
  const auto n = static_cast<std::int64_t>(c.size());
  for (std::int64_t round = 0; round < 200; ++round) {
    c.barrier();
    std::vector<std::int64_t> all(ranks(c)), mine{c.rank() + round};
    c.allgather(mine.data(), sizeof(std::int64_t), all.data());
    for (std::size_t r = 0; r < ranks(c); ++r) EXPECT_EQ(all[r], static_cast<std::int64_t>(r) + round);
    const Counts counts(ranks(c), sizeof(std::int64_t));
    std::vector<std::int64_t> again(ranks(c)), turned(ranks(c)), back(ranks(c));
    c.allgatherv(mine.data(), sizeof(std::int64_t), again.data(), counts);
    EXPECT_EQ(again, all);
    c.alltoall(all.data(), sizeof(std::int64_t), turned.data());
    EXPECT_EQ(turned, std::vector<std::int64_t>(ranks(c), mine[0]));
    c.alltoallv(turned.data(), counts, back.data(), counts);
    EXPECT_EQ(back, all);
    EXPECT_EQ(c.reduce_scatter(all), n * mine[0]);
    std::vector<double> largest{static_cast<double>(mine[0])};
    c.allreduce(std::span<double>(largest), Op::max);
    c.allreduce(std::span<std::int64_t>(mine), Op::sum);
    EXPECT_EQ(largest[0], static_cast<double>(n - 1 + round));
    EXPECT_EQ(mine[0], n * (n - 1) / 2 + n * round);
  }
}

/// Sums of doubles depend on the order of summation: all ranks must see the same bits, the second time too.
inline void doubles_to_the_bit(Communicator& c) {
  std::mt19937_64 random(self(c));
  std::vector<double> mine(1000), first;
  for (double& x : mine) x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 40));
  for (int round = 0; round < 5; ++round) {
    std::vector<double> total = mine;
    c.allreduce(std::span<double>(total), Op::sum);
    if (round == 0) first = total;
    EXPECT_EQ(std::memcmp(first.data(), total.data(), 8000), 0);
    std::vector<double> all(ranks(c) * 1000);
    c.allgather(total.data(), 8000, all.data());
    for (std::size_t r = 0; r < ranks(c); ++r) EXPECT_EQ(std::memcmp(total.data(), all.data() + r * 1000, 8000), 0);
  }
}

inline void bit_or_of_patterns(Communicator& c) {
  std::vector<double> bits{std::bit_cast<double>(std::uint64_t{1} << self(c)),
                           std::bit_cast<double>(std::uint64_t{0x7ff8} << 48 | self(c))};
  c.allreduce(std::span<double>(bits), Op::bit_or);
  std::uint64_t numbers = 0;
  for (std::size_t r = 0; r < ranks(c); ++r) numbers |= r;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(bits[0]), (std::uint64_t{1} << ranks(c)) - 1);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(bits[1]), std::uint64_t{0x7ff8} << 48 | numbers);
}

// --- neighbourhoods

struct Neighbors {
  std::vector<int> sources, destinations;
  int topology = 0;
};

/// Each pair with this probability in percent, a rank may be its own neighbour; the order of the lists differs between ranks.
inline Neighbors random_neighbors(Communicator& c, std::mt19937& random, unsigned percent) {
  Neighbors n;
  for (int from = 0; from < c.size(); ++from)
    for (int to = 0; to < c.size(); ++to) {
      if (random() % 100 >= percent) continue;
      if (to == c.rank()) n.sources.push_back(from);
      if (from == c.rank()) n.destinations.push_back(to);
    }
  std::mt19937 order(self(c));
  std::shuffle(n.sources.begin(), n.sources.end(), order);
  std::shuffle(n.destinations.begin(), n.destinations.end(), order);
  n.topology = c.make_topology(n.sources, n.destinations);
  return n;
}

inline std::size_t edge_size(std::size_t round, int from, int to) {
  std::mt19937 random(static_cast<unsigned>(round * 64 + static_cast<std::size_t>(from) * 8 + static_cast<std::size_t>(to)));
  return random_size(random);
}

inline Started start_neighbors(Communicator& c, const Neighbors& n, std::size_t round) {
  auto p = std::make_unique<Pending>();
  Counts sent, received;
  for (int to : n.destinations) {
    sent.push_back(edge_size(round, c.rank(), to));
    append(p->send, sent.back(), round, self(c), static_cast<std::size_t>(to));
  }
  for (int from : n.sources) {
    received.push_back(edge_size(round, from, c.rank()));
    append(p->expected, received.back(), round, static_cast<std::size_t>(from), self(c));
  }
  p->recv.resize(p->expected.size());
  p->request = c.ineighbor_alltoallv(n.topology, p->send.data(), sent, p->recv.data(), received);
  return p;
}

inline void sparse_neighborhoods(Communicator& c) {
  std::mt19937 random(3), order(self(c));
  std::vector<Neighbors> all;
  for (unsigned percent : {0U, 20U, 50U, 100U}) all.push_back(random_neighbors(c, random, percent));
  for (std::size_t round = 0; round < 50; ++round) {
    std::vector<Started> started;
    for (std::size_t n = 1 + random() % 6; n > 0; --n) started.push_back(start_neighbors(c, all[random() % all.size()], round * 8 + n));
    if (random() % 2) started.push_back(start_alltoallv(c, random, round));
    finish(c, started, order);
  }
  c.barrier();
}

// --- persistent

inline void fill_all(Bytes& bytes, std::size_t each, std::size_t round, std::size_t from, const std::vector<int>& to) {
  bytes.clear();
  for (int r : to) append(bytes, each, round, from, static_cast<std::size_t>(r));
}

inline void expect_all(const Bytes& bytes, std::size_t each, std::size_t round, const std::vector<int>& from, std::size_t to) {
  Bytes expected;
  for (int r : from) append(expected, each, round, static_cast<std::size_t>(r), to);
  EXPECT_EQ(bytes, expected);
}

inline void complete(Communicator& c, Request request, bool by_test) {
  if (!by_test) return c.wait(request);
  while (!c.test(request)) {}
}

inline void persistent_collectives(Communicator& c) {
  constexpr std::size_t each = 24;
  std::mt19937 random(4);
  const Neighbors near = random_neighbors(c, random, 40);
  std::vector<int> everybody;
  for (int r = 0; r < c.size(); ++r) everybody.push_back(r);
  // Reserved, so that the addresses given to the requests stay.
  Bytes send_all(ranks(c) * each), recv_all(ranks(c) * each), send_near(near.destinations.size() * each),
      recv_near(near.sources.size() * each);
  const Request all = c.alltoall_init(send_all.data(), each, recv_all.data());
  const Request some = c.neighbor_alltoall_init(near.topology, send_near.data(), each, recv_near.data());
  for (std::size_t round = 0; round < 100; ++round) {
    fill_all(send_all, each, round, self(c), everybody);
    fill_all(send_near, each, round, self(c), near.destinations);
    c.start(std::array{all, some});
    const Request between = c.ibarrier();
    complete(c, some, round % 2);
    complete(c, all, round % 3 == 0);
    c.wait(between);
    expect_all(recv_all, each, round, everybody, self(c));
    expect_all(recv_near, each, round, near.sources, self(c));
  }
  c.release(all);
  c.release(some);
}

inline void persistent_messages(Communicator& c) {
  constexpr std::size_t bytes = 40;
  const std::size_t next = (self(c) + 1) % ranks(c), previous = (self(c) + ranks(c) - 1) % ranks(c);
  Bytes send(bytes), recv(bytes);
  const Request requests[] = {c.recv_init(static_cast<int>(previous), 7, recv.data(), bytes),
                              c.send_init(static_cast<int>(next), 7, send.data(), bytes)};
  for (std::size_t round = 0; round < 100; ++round) {
    std::ranges::copy(message(bytes, round, self(c), next), send.begin());
    c.start(requests);
    for (Request r : requests) complete(c, r, round % 2);
    EXPECT_EQ(recv, message(bytes, round, previous, self(c)));
  }
  for (Request r : requests) c.release(r);
  c.barrier();
}

// --- point to point

/// Every rank sends to every rank, itself too, with two tags; received with irecv, posted before or after the message comes.
inline void many_messages(Communicator& c) {
  constexpr std::size_t rounds = 60;
  std::vector<Started> receives, sends;
  for (std::size_t round = 0; round < rounds; ++round)
    for (int r = 0; r < c.size(); ++r) {
      const int tag = round % 3 == 0 ? 0 : 32767;
      receives.push_back(std::make_unique<Pending>());
      sends.push_back(std::make_unique<Pending>());
      Pending& in = *receives.back();
      Pending& out = *sends.back();
      in.expected = message(edge_size(round, r, c.rank()), round, static_cast<std::size_t>(r), self(c));
      in.recv.resize(in.expected.size());
      out.send = message(edge_size(round, c.rank(), r), round, self(c), static_cast<std::size_t>(r));
      in.request = c.irecv(r, tag, in.recv.data(), in.recv.size());
      out.request = round % 2 ? c.isend(r, tag, out.send.data(), out.send.size()) : c.issend(r, tag, out.send.data(), out.send.size());
    }
  std::mt19937 order(self(c));
  finish(c, receives, order);
  finish(c, sends, order);
  c.barrier();
}

/// Messages of one source and tag are received in the order of sending, whatever tag is received first.
inline void order_of_messages(Communicator& c) {
  constexpr std::size_t n = 50;
  std::vector<Request> sends;
  std::vector<std::array<std::size_t, 2>> sent;
  for (std::size_t i = 0; i < n; ++i) sent.push_back({self(c), i});
  for (std::size_t i = 0; i < n; ++i)
    for (int to = 0; to < c.size(); ++to) sends.push_back(c.isend(to, static_cast<int>(i % 2), &sent[i], sizeof sent[i]));
  for (int from = c.size() - 1; from >= 0; --from)
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t expected = k < n / 2 ? 2 * k + 1 : 2 * (k - n / 2);
      std::array<std::size_t, 2> got{};
      c.recv(from, static_cast<int>(expected % 2), &got, sizeof got);
      EXPECT_EQ(got, (std::array<std::size_t, 2>{static_cast<std::size_t>(from), expected}));
    }
  for (Request r : sends) c.wait(r);
  c.barrier();
}

inline void probe_tells_source_and_size(Communicator& c) {
  const Bytes mine = message(10 * self(c), 0, self(c), 0);
  Request request = 0;
  if (c.rank() != 0) request = c.isend(0, 5, mine.data(), mine.size());
  std::vector<int> seen;
  while (c.rank() == 0 && seen.size() + 1 < ranks(c)) {
    const auto found = c.iprobe(5);
    EXPECT_FALSE(c.iprobe(6));
    if (!found) continue;
    const auto source = static_cast<std::size_t>(found->source);
    EXPECT_EQ(found->bytes, 10 * source);
    Bytes got(found->bytes);
    c.recv(found->source, 5, got.data(), got.size());
    EXPECT_EQ(got, message(10 * source, 0, source, 0));
    seen.push_back(found->source);
  }
  c.wait(request);
  c.barrier();
  EXPECT_FALSE(c.iprobe(5));
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  c.barrier();
}

/// The receiver posts only after a barrier that the sender enters after its tests.
inline void synchronous_send_waits_for_the_receiver(Communicator& c) {
  const int next = (c.rank() + 1) % c.size(), previous = (c.rank() + c.size() - 1) % c.size();
  for (std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{100000}}) {
    const Bytes out = message(bytes, 1, self(c), 0);
    const Request sent = c.issend(next, 3, out.data(), bytes);
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(c.test(sent));
    c.barrier();
    Bytes in(bytes);
    c.recv(previous, 3, in.data(), bytes);
    EXPECT_EQ(in, message(bytes, 1, static_cast<std::size_t>(previous), 0));
    c.wait(sent);
  }
  c.barrier();
}

/// Exchange without known sources (NBX, Hoefler et al. 2010): a barrier is entered once all own messages are being received.
inline void sparse_exchange(Communicator& c) {
  std::mt19937 random(5);
  for (std::size_t round = 0; round < 30; ++round) {
    const int tag = static_cast<int>(round % 2);
    std::vector<Bytes> out;
    std::vector<int> to, expected, got;
    for (int from = 0; from < c.size(); ++from)
      for (int r = 0; r < c.size(); ++r) {
        if (random() % 3) continue;
        if (from == c.rank())
          to.push_back(r), out.push_back(message(edge_size(round, from, r), round, self(c), static_cast<std::size_t>(r)));
        if (r == c.rank()) expected.push_back(from);
      }
    std::vector<Request> sends;
    for (std::size_t i = 0; i < to.size(); ++i) sends.push_back(c.issend(to[i], tag, out[i].data(), out[i].size()));
    Request barrier = 0;
    for (bool in_barrier = false, over = false; !over;) {
      if (const auto found = c.iprobe(tag)) {
        Bytes in(found->bytes);
        c.recv(found->source, tag, in.data(), in.size());
        EXPECT_EQ(in, message(edge_size(round, found->source, c.rank()), round, static_cast<std::size_t>(found->source), self(c)));
        got.push_back(found->source);
      }
      std::erase_if(sends, [&](Request r) { return c.test(r); });
      if (in_barrier) {
        over = c.test(barrier);
      } else if (sends.empty()) {
        barrier = c.ibarrier();
        in_barrier = true;
      }
    }
    std::ranges::sort(got);
    EXPECT_EQ(got, expected);
  }
  c.barrier();
}

// --- shared memory

inline void shared_memory(Communicator& c) {
  constexpr std::size_t n = 1000;
  const auto memory = c.share(n * sizeof(std::uint64_t));
  const auto other = c.share(8 * (self(c) + 1));
  const auto index_of = [&](const SharedMemory& m) { return static_cast<int>(std::ranges::find(m.ranks(), c.rank()) - m.ranks().begin()); };
  EXPECT_TRUE(std::ranges::is_sorted(memory->ranks()));
  const int me = index_of(*memory);
  if (me >= static_cast<int>(memory->ranks().size())) return ADD_FAILURE() << "rank is not of its own node";
  auto* mine = reinterpret_cast<std::uint64_t*>(memory->of(me));
  EXPECT_TRUE(std::all_of(mine, mine + n, [](std::uint64_t v) { return v == 0; }));
  for (std::uint64_t round = 0; round < 50; ++round) {
    for (std::size_t i = 0; i < n; ++i) mine[i] = round * 100000 + self(c) * 1000 + i;
    memory->sync();
    for (std::size_t k = 0; k < memory->ranks().size(); ++k) {
      const auto* theirs = reinterpret_cast<const std::uint64_t*>(memory->of(static_cast<int>(k)));
      const auto first = round * 100000 + static_cast<std::uint64_t>(memory->ranks()[k]) * 1000;
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) wrong += theirs[i] != first + i;
      EXPECT_EQ(wrong, 0U);
    }
    memory->sync();
  }
  std::memset(other->of(index_of(*other)), 1, 8 * (self(c) + 1));
  other->sync();
  for (std::size_t k = 0; k < other->ranks().size(); ++k)
    EXPECT_EQ(std::to_integer<int>(other->of(static_cast<int>(k))[8 * static_cast<std::size_t>(other->ranks()[k]) + 7]), 1);
  other->sync();
}

// --- parts

/// Parts in which every rank is with different others, used in turn with the whole and with the same tags.
inline void parts(Communicator& c) {
  const std::shared_ptr<Communicator> each[] = {c.split(c.rank() % 2), c.split(c.rank() / 2), c.split(7)};
  EXPECT_EQ(each[0]->size(), (c.size() + 1 - c.rank() % 2) / 2);
  EXPECT_EQ(each[0]->rank(), c.rank() / 2);
  EXPECT_EQ(each[1]->rank(), c.rank() % 2);
  EXPECT_EQ(each[2]->size(), c.size());
  EXPECT_EQ(each[2]->rank(), c.rank());
  std::int64_t whole = 0, part = c.rank();
  for (int round = 0; round < 3; ++round) {
    whole = 1;
    const Request open = c.iallreduce(std::span<std::int64_t>(&whole, 1), Op::sum);
    for (const auto& p : each) {
      outstanding_collectives(*p);
      sparse_neighborhoods(*p);
      persistent_collectives(*p);
      many_messages(*p);
      sparse_exchange(*p);
      shared_memory(*p);
    }
    c.wait(open);
    EXPECT_EQ(whole, c.size());
    // Parts go on at their own pace: what the ranks of one part send does not come in another one.
    for (int k = 0; k < 20 * (c.rank() % 2); ++k) part = c.rank(), each[0]->allreduce(std::span<std::int64_t>(&part, 1), Op::max);
    if (c.rank() % 2) {
      EXPECT_EQ(part, (c.size() - 2) / 2 * 2 + 1);
    }
  }
  c.barrier();
}

struct Body {
  const char* name;
  void (*run)(Communicator&);
};

/// All of the above, for whoever has a communicator.
inline constexpr Body bodies[] = {{"each_collective", each_collective},
                                  {"outstanding_collectives", outstanding_collectives},
                                  {"blocking_forms", blocking_forms},
                                  {"doubles_to_the_bit", doubles_to_the_bit},
                                  {"bit_or_of_patterns", bit_or_of_patterns},
                                  {"sparse_neighborhoods", sparse_neighborhoods},
                                  {"persistent_collectives", persistent_collectives},
                                  {"persistent_messages", persistent_messages},
                                  {"many_messages", many_messages},
                                  {"order_of_messages", order_of_messages},
                                  {"probe_tells_source_and_size", probe_tells_source_and_size},
                                  {"synchronous_send_waits_for_the_receiver", synchronous_send_waits_for_the_receiver},
                                  {"sparse_exchange", sparse_exchange},
                                  {"shared_memory", shared_memory},
                                  {"parts", parts}};

}  // namespace npl::comm::verbs
