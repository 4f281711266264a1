// SPDX-License-Identifier: Apache-2.0
/// The sources whose spikes this rank requests: one entry per row of its tables (sparse regime) or per distinct source (dense regime), in
/// the order (owner, gid). Addresses are the positions in this order.
#pragma once
#include <functional>
#include <optional>

#include "exchange/address_book.hpp"
#include "exchange/routing.hpp"
#include "tables/source_index.hpp"

namespace npl::sim {

/// Owner rank of a source and the name of the source there: its gid, or with stride > 1 its index on that rank.
struct Owners {
  std::function<int(Gid)> rank_of;
  Gid stride = 1;
  int me = 0;
  int rank(Gid gid) const { return stride > 1 ? static_cast<int>((gid - 1) % stride) : rank_of(gid); }
  std::uint64_t name(Gid gid) const { return static_cast<std::uint64_t>(stride > 1 ? (gid - 1) / stride : gid); }
};

/// Iterates over the rows of a table, or a list of sources, by (owner, gid).
class RowsByOwner {
 public:
  /// @param rows number of rows
  /// @param order out: [rows] row at each position of the order; empty: the table has this order already
  RowsByOwner(const tables::SourceIndex& sources, std::size_t rows, const Owners& owners, Buffer<std::uint32_t>& order);
  bool at_end() const { return owner_ < 0; }
  int owner() const { return owner_; }
  /// Appends the names of all rows of the current owner (null: only counts them), moves to the next owner, returns their number.
  std::uint32_t take(std::vector<std::uint64_t>* names);

 private:
  struct Entry {
    int owner;
    std::uint32_t row;
    std::uint64_t name;
    friend auto operator<=>(const Entry& a, const Entry& b) { return std::pair(a.owner, a.name) <=> std::pair(b.owner, b.name); }
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  void find_owner();

  std::optional<tables::SourceList::Cursor> keys_;  ///< for a table in this order
  std::uint64_t per_rank_ = 1;
  std::vector<Entry> entries_;  ///< for any other table, sorted
  std::size_t at_ = 0;
  int owner_ = -1;
};

class WantedRows final : public exchange::WantedList {
 public:
  /// @param book out: receives every owner that next() returns
  WantedRows(std::vector<RowsByOwner> parts, int me, exchange::AddressBook& book)
      : parts_(std::move(parts)), me_(me), book_(book), counts_(parts_.size()) {}
  int next(std::vector<std::vector<std::uint64_t>>& lists) override;

 private:
  int next_owner() const;

  std::vector<RowsByOwner> parts_;
  int me_;
  exchange::AddressBook& book_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace npl::sim
