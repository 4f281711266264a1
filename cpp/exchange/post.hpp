// SPDX-License-Identifier: Apache-2.0
/// Records that a rank gives to others, which do not expect them: what changes hands between steps, or once. Nothing is proportional to the
/// number of ranks.
#pragma once
#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "exchange/sparse.hpp"

namespace npl::exchange {

/// Records for a rank, or of one.
template <class T>
struct Parcel {
  int rank;
  std::vector<T> records;
};

/// For deal(): records are those of this rank as they are.
struct NoMirror {
  void operator()(auto&, int) const {}
};

class Post {
 public:
  explicit Post(comm::Communicator& comm) : comm_(comm) {}

  /// Sends each parcel to its rank, another one; ranks with none send nothing. Collective. @return what others sent, by ascending rank
  template <class T>
  std::vector<Parcel<T>> exchange(const std::vector<Parcel<T>>& sent) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (comm_.size() == 1) return {};
    if (!exchange_) exchange_.emplace(comm_, Ending::barrier, counts_);
    comm_.before_messages();
    for (const Parcel<T>& p : sent) exchange_->send(p.rank, std::as_bytes(std::span(p.records)));
    exchange_->sent_all();
    std::vector<Parcel<T>> arrived;
    exchange_->finish([&](int source, std::size_t bytes) {
      arrived.push_back({source, std::vector<T>(wire::records_in(bytes, sizeof(T)))});
      return reinterpret_cast<std::byte*>(arrived.back().records.data());
    });
    std::sort(arrived.begin(), arrived.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    return arrived;
  }

  /// Gives each record to the rank rank_of(record), which may be this one. Collective. @return those for this rank, by ascending rank of
  /// the sender, each rank's in its order @param mirror (record, rank) dry run: makes of a record for a rank the one that this rank gives
  template <class T, class RankOf, class Mirror = NoMirror>
  std::vector<T> deal(std::vector<T> records, RankOf&& rank_of, const Mirror& mirror = {}) {
    if (comm_.size() == 1) return records;
    std::stable_sort(records.begin(), records.end(), [&](const T& a, const T& b) { return rank_of(a) < rank_of(b); });
    std::vector<Parcel<T>> parcels;
    Parcel<T> own{comm_.rank(), {}};
    for (const T& r : records) {
      const int rank = rank_of(r);
      if (rank != own.rank && (parcels.empty() || parcels.back().rank != rank)) parcels.push_back({rank, {}});
      (rank == own.rank ? own : parcels.back()).records.push_back(r);
    }
    std::vector<Parcel<T>> arrived = exchange(parcels);
    if (comm_.mirrored())
      for (Parcel<T>& p : arrived)
        for (T& r : p.records) mirror(r, p.rank);
    const auto lower = [](const Parcel<T>& a, const Parcel<T>& b) { return a.rank < b.rank; };
    arrived.insert(std::lower_bound(arrived.begin(), arrived.end(), own, lower), std::move(own));
    records.clear();
    for (const Parcel<T>& p : arrived) records.insert(records.end(), p.records.begin(), p.records.end());
    return records;
  }

 private:
  comm::Communicator& comm_;
  Counts counts_;
  std::optional<SparseExchange> exchange_;  ///< made with the first use, which is collective
};

}  // namespace npl::exchange
