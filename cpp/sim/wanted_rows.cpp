// SPDX-License-Identifier: Apache-2.0
#include "sim/wanted_rows.hpp"

#include <algorithm>

namespace npl::sim {

RowsByOwner::RowsByOwner(const tables::SourceIndex& sources, std::size_t rows, const Owners& owners, Buffer<std::uint32_t>& order) {
  if (sources.by_rank()) {
    keys_.emplace(sources.keys());
    per_rank_ = static_cast<std::uint64_t>(sources.order().per_rank);
    find_owner();
    return;
  }
  entries_.reserve(rows);
  sources.for_each([&](std::uint32_t row, Gid gid) { entries_.push_back({owners.rank(gid), row, owners.name(gid)}); });
  std::sort(entries_.begin(), entries_.end());
  bool moved = false;
  for (std::size_t i = 0; i < entries_.size(); ++i) moved = moved || entries_[i].row != i;
  if (moved) {
    order = Buffer<std::uint32_t>(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) order[i] = entries_[i].row;
  }
  find_owner();
}

void RowsByOwner::find_owner() {
  if (keys_)
    owner_ = keys_->at_end() ? -1 : static_cast<int>(**keys_ / per_rank_);
  else
    owner_ = at_ == entries_.size() ? -1 : entries_[at_].owner;
}

std::uint32_t RowsByOwner::take(std::vector<std::uint64_t>* names) {
  std::uint32_t n = 0;
  if (keys_) {
    const std::uint64_t first = static_cast<std::uint64_t>(owner_) * per_rank_;
    for (; !keys_->at_end() && **keys_ < first + per_rank_; keys_->next(), ++n)
      if (names) names->push_back(**keys_ - first);
  } else {
    for (; at_ < entries_.size() && entries_[at_].owner == owner_; ++at_, ++n)
      if (names) names->push_back(entries_[at_].name);
  }
  find_owner();
  return n;
}

int WantedRows::next_owner() const {
  int owner = -1;
  for (const RowsByOwner& p : parts_)
    if (!p.at_end() && (owner < 0 || p.owner() < owner)) owner = p.owner();
  return owner;
}

int WantedRows::next(std::vector<std::vector<std::uint64_t>>& lists) {
  lists.resize(parts_.size());
  for (int owner = next_owner(); owner >= 0; owner = next_owner()) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      lists[p].clear();
      counts_[p] = !parts_[p].at_end() && parts_[p].owner() == owner ? parts_[p].take(owner == me_ ? nullptr : &lists[p]) : 0;
    }
    if (owner != me_) {
      book_.add(counts_);
      return owner;
    }
    book_.add_mine(counts_);
  }
  book_.finish();
  return -1;
}

}  // namespace npl::sim
