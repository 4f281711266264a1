// SPDX-License-Identifier: Apache-2.0
#include "exchange/routing.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "exchange/sparse.hpp"

namespace npl::exchange {
namespace {

/// The list of sources that a rank wants of this one, as it was received: per list its length and the differences of the names.
struct Letter {
  int from;
  const std::uint8_t* begin;
  const std::uint8_t* end;
};

void write_lists(const std::vector<std::vector<std::uint64_t>>& lists, std::vector<std::uint8_t>& out) {
  for (const auto& list : lists) {
    if (list.empty()) continue;
    append_varint(out, list.size());
    std::uint64_t last = 0;
    for (std::uint64_t name : list) append_varint(out, name - last), last = name;
  }
}

/// Sends the wanted lists round by round; keeps the lists of other ranks, by ascending rank.
class Letters {
 public:
  Letters(comm::Communicator& comm, WantedList& wanted, std::vector<int>& owners, const Routing::Means& means)
      : comm_(comm), exchange_(comm, Ending::barrier, counts_), slabs_(&means.pool) {
    for (std::int64_t more = 1; more;) {
      more = send_round(wanted, owners, means.round_bytes);
      exchange_.finish([this](int source, std::size_t bytes) {
        std::byte* at = slabs_.take(bytes);
        const auto* begin = reinterpret_cast<const std::uint8_t*>(at);
        letters_.push_back({source, begin, begin + bytes});
        return at;
      });
      comm.allreduce(std::span<std::int64_t>(&more, 1), comm::Op::max);
    }
    std::stable_sort(letters_.begin(), letters_.end(), [](const Letter& a, const Letter& b) { return a.from < b.from; });
  }
  const std::vector<Letter>& all() const { return letters_; }

 private:
  /// Returns whether there is more to send.
  bool send_round(WantedList& wanted, std::vector<int>& owners, std::size_t round_bytes) {
    out_.clear();
    std::vector<std::pair<int, std::size_t>> ends;
    int owner = 0;
    while (out_.size() < round_bytes && (owner = wanted.next(lists_)) >= 0) {
      write_lists(lists_, out_);
      ends.emplace_back(owner, out_.size());
      owners.push_back(owner);
    }
    std::size_t begin = 0;
    comm_.before_messages();
    for (const auto& [to, end] : ends) exchange_.send(to, std::as_bytes(std::span(out_).subspan(begin, end - begin))), begin = end;
    exchange_.sent_all();
    return owner >= 0;
  }

  comm::Communicator& comm_;
  Counts counts_;
  SparseExchange exchange_;
  Slabs slabs_;
  std::vector<std::vector<std::uint64_t>> lists_;
  std::vector<std::uint8_t> out_;
  std::vector<Letter> letters_;
};

/// The letters that one thread reads, and its entries per source.
class Share {
 public:
  Share(std::span<const Letter> letters, std::uint32_t first_destination, std::size_t n_sources)
      : letters_(letters), base_(first_destination), first_(n_sources), last_(n_sources), bytes_(n_sources) {}

  /// Counts bytes of all entries, without the distance to the first destination of a source, which depends on the shares before this one.
  void count(const Routing::Numbers& numbers) {
    for_entries(numbers, [&](std::uint32_t d, std::uint32_t s, std::uint64_t address) {
      bytes_[s] += varint_bytes(address);
      last_[s] ? void(bytes_[s] += varint_bytes(d - (last_[s] - 1))) : void(first_[s] = d + 1);
      last_[s] = d + 1;
      ++n_;
    });
  }
  /// Places the entries of a source at byte `at`; the entry before them is for destination `last`. Moves both past them.
  void place(std::size_t s, std::uint64_t& at, std::uint32_t& last) {
    if (!last_[s]) return;
    const std::uint64_t bytes = bytes_[s] + varint_bytes(first_[s] - 1 - last);
    bytes_[s] = std::exchange(at, at + bytes);
    first_[s] = std::exchange(last, last_[s] - 1);
  }
  void write(const Routing::Numbers& numbers, std::uint8_t* out) {
    for_entries(numbers, [&](std::uint32_t d, std::uint32_t s, std::uint64_t address) {
      bytes_[s] = static_cast<std::uint64_t>(write_varint(write_varint(out + bytes_[s], d - first_[s]), address) - out);
      first_[s] = d;
    });
  }
  std::uint64_t n_entries() const { return n_; }

 private:
  /// Calls f(destination, source, address) for all entries, by ascending destinations.
  template <class F>
  void for_entries(const Routing::Numbers& numbers, F&& f) const {
    std::array<std::uint64_t, 256> names;
    std::array<std::uint32_t, 256> number;
    for (std::uint32_t k = 0; k < letters_.size(); ++k) {
      std::uint64_t address = 0;
      for (const std::uint8_t* at = letters_[k].begin; at < letters_[k].end;) {
        std::uint64_t name = 0;
        for (std::uint64_t left = read_varint(at); left;) {
          const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, names.size()));
          for (std::size_t i = 0; i < n; ++i) names[i] = name += read_varint(at);
          numbers({names.data(), n}, number.data());
          for (std::size_t i = 0; i < n; ++i) f(base_ + k, number[i], address++);
          left -= n;
        }
      }
    }
  }

  std::span<const Letter> letters_;
  std::uint32_t base_;
  std::uint64_t n_ = 0;
  Buffer<std::uint32_t> first_, last_;  ///< [sources] first and last destination + 1; while writing, first_ is the one before
  Buffer<std::uint64_t> bytes_;         ///< [sources] bytes, while writing: where the next entry goes
};

std::vector<Share> shares_of(const std::vector<Letter>& letters, std::size_t n, std::size_t n_sources) {
  std::vector<Share> shares;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t begin = letters.size() * k / n, end = letters.size() * (k + 1) / n;
    shares.emplace_back(std::span(letters).subspan(begin, end - begin), static_cast<std::uint32_t>(begin), n_sources);
  }
  return shares;
}

}  // namespace

Routing::Routing(comm::Communicator& comm, WantedList& wanted, std::size_t n_sources, const Numbers& numbers, const Means& means) {
  const Letters letters(comm, wanted, partners_.sources, means);
  Team& team = means.team;
  for (const Letter& l : letters.all()) partners_.destinations.push_back(l.from);
  std::vector<Share> shares = shares_of(letters.all(), static_cast<std::size_t>(team.size()), n_sources);
  team.run([&](int thread) { shares[static_cast<std::size_t>(thread)].count(numbers); });
  begin_ = Buffer<std::uint64_t>(n_sources + 1);
  std::uint64_t at = 0;
  for (std::size_t s = 0; s < n_sources; ++s) {
    std::uint32_t last = 0;
    for (Share& share : shares) share.place(s, at, last);
    begin_[s + 1] = at;
  }
  bytes_ = Buffer<std::uint8_t>(at);
  team.run([&](int thread) { shares[static_cast<std::size_t>(thread)].write(numbers, bytes_.data()); });
  for (const Share& share : shares) n_routes_ += share.n_entries();
}

}  // namespace npl::exchange
