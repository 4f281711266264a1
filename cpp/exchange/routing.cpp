// SPDX-License-Identifier: Apache-2.0
#include "exchange/routing.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "exchange/sparse.hpp"

namespace npl::exchange {
namespace {

/// An entry on its way to the owner of its source.
struct Entry {
  Gid gid;
  std::uint64_t address;
};

int index_of(const std::vector<int>& ranks, int rank) {
  return static_cast<int>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

std::vector<int> owners_of(WantedList& wanted, std::size_t most) {
  std::set<int> owners;
  std::vector<Wanted> some;
  wanted.restart();
  do {
    some.clear();
    wanted.next(most, some);
    for (const Wanted& w : some) owners.insert(w.owner);
  } while (some.size() == most);
  return {owners.begin(), owners.end()};
}

/// Sends all wanted entries to the owners of their sources, round by round; calls f(rank, entry) for those that arrive here.
template <class F>
void pass(comm::Communicator& comm, SparseExchange& exchange, WantedList& wanted, const std::vector<int>& owners, std::size_t most, F&& f) {
  std::vector<Wanted> some;
  std::vector<std::vector<Entry>> out(owners.size());
  wanted.restart();
  for (std::int64_t more = 1; more;) {
    some.clear();
    wanted.next(most, some);
    for (auto& entries : out) entries.clear();
    for (const Wanted& w : some) out[static_cast<std::size_t>(index_of(owners, w.owner))].push_back({w.gid, w.address});
    for (std::size_t d = 0; d < owners.size(); ++d)
      if (!out[d].empty()) exchange.send(owners[d], std::as_bytes(std::span(out[d])));
    exchange.sent_all();
    std::deque<std::pair<int, std::vector<Entry>>> in;  // its elements stay where they are
    exchange.finish([&](int source, std::size_t bytes) {
      in.emplace_back(source, std::vector<Entry>(bytes / sizeof(Entry)));
      return reinterpret_cast<std::byte*>(in.back().second.data());
    });
    for (const auto& [source, entries] : in)
      for (const Entry& e : entries) f(source, e);
    more = some.size() == most;
    comm.allreduce(std::span<std::int64_t>(&more, 1), comm::Op::max);
  }
}

}  // namespace

Routing::Routing(comm::Communicator& comm, WantedList& wanted, std::size_t n_sources, const std::function<std::size_t(Gid)>& source_index,
                 std::size_t round_entries) {
  partners_.sources = owners_of(wanted, round_entries);
  Counts counts;
  SparseExchange exchange(comm, Ending::barrier, counts);
  begin_ = Buffer<std::uint64_t>(n_sources + 2);  // one more: while filling, begin_[s + 1] is where the next route of s goes
  std::set<int> destinations;
  pass(comm, exchange, wanted, partners_.sources, round_entries, [&](int rank, const Entry& e) {
    destinations.insert(rank);
    ++begin_[source_index(e.gid) + 2];
  });
  partners_.destinations.assign(destinations.begin(), destinations.end());
  for (std::size_t s = 2; s < begin_.size(); ++s) begin_[s] += begin_[s - 1];
  destination_ = Buffer<std::uint32_t>(begin_[n_sources + 1]);
  address_ = Buffer<std::uint32_t>(begin_[n_sources + 1]);
  pass(comm, exchange, wanted, partners_.sources, round_entries, [&](int rank, const Entry& e) {
    const std::uint64_t k = begin_[source_index(e.gid) + 1]++;
    destination_[k] = static_cast<std::uint32_t>(index_of(partners_.destinations, rank));
    address_[k] = static_cast<std::uint32_t>(e.address);
  });
}

}  // namespace npl::exchange
