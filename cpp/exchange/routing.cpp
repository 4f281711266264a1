// SPDX-License-Identifier: Apache-2.0
#include "exchange/routing.hpp"

#include <algorithm>
#include <array>

#include "base/slabs.hpp"
#include "exchange/sparse.hpp"

namespace npl::exchange {
namespace {

/// What a rank wants of this one, as it came: lists of its length and the differences of the names.
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

/// Sends what is wanted, round by round, and keeps what arrives, by ascending ranks.
class Letters {
 public:
  Letters(comm::Communicator& comm, WantedList& wanted, std::vector<int>& owners, std::size_t round_bytes) : exchange_(comm, Ending::barrier, counts_) {
    for (std::int64_t more = 1; more;) {
      more = send_round(wanted, owners, round_bytes);
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
    for (const auto& [to, end] : ends) exchange_.send(to, std::as_bytes(std::span(out_).subspan(begin, end - begin))), begin = end;
    exchange_.sent_all();
    return owner >= 0;
  }

  Counts counts_;
  SparseExchange exchange_;
  Slabs slabs_;
  std::vector<std::vector<std::uint64_t>> lists_;
  std::vector<std::uint8_t> out_;
  std::vector<Letter> letters_;
};

/// Calls f(destination, number, address) for all entries of all letters, by ascending destinations.
template <class F>
void for_entries(const std::vector<Letter>& letters, const Routing::Numbers& numbers, F&& f) {
  std::array<std::uint64_t, 256> names;
  std::array<std::uint32_t, 256> number;
  for (std::uint32_t d = 0; d < letters.size(); ++d) {
    std::uint64_t address = 0;
    for (const std::uint8_t* at = letters[d].begin; at < letters[d].end;) {
      std::uint64_t name = 0;
      for (std::uint64_t left = read_varint(at); left;) {
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, names.size()));
        for (std::size_t i = 0; i < n; ++i) names[i] = name += read_varint(at);
        numbers({names.data(), n}, number.data());
        for (std::size_t i = 0; i < n; ++i) f(d, number[i], address++);
        left -= n;
      }
    }
  }
}

}  // namespace

Routing::Routing(comm::Communicator& comm, WantedList& wanted, std::size_t n_sources, const Numbers& numbers, std::size_t round_bytes) {
  const Letters letters(comm, wanted, partners_.sources, round_bytes);
  for (const Letter& l : letters.all()) partners_.destinations.push_back(l.from);
  begin_ = Buffer<std::uint64_t>(n_sources + 2);  // one more: while filling, begin_[s + 1] is where the next entry of s goes
  Buffer<std::uint32_t> last(n_sources);
  for_entries(letters.all(), numbers, [&](std::uint32_t d, std::uint32_t s, std::uint64_t address) {
    begin_[s + 2] += varint_bytes(d - last[s]) + varint_bytes(address);
    last[s] = d;
    ++n_routes_;
  });
  for (std::size_t s = 2; s < begin_.size(); ++s) begin_[s] += begin_[s - 1];
  bytes_ = Buffer<std::uint8_t>(begin_[n_sources + 1]);
  std::fill(last.begin(), last.end(), 0u);
  for_entries(letters.all(), numbers, [&](std::uint32_t d, std::uint32_t s, std::uint64_t address) {
    std::uint8_t* end = write_varint(write_varint(bytes_.data() + begin_[s + 1], d - last[s]), address);
    begin_[s + 1] = static_cast<std::uint64_t>(end - bytes_.data());
    last[s] = d;
  });
}

}  // namespace npl::exchange
