// SPDX-License-Identifier: Apache-2.0
/// Finds the rows of a source in all pathways of a slice with one look-up per spike. For slices with many pathways: most of them have no
/// synapse of the source, and would search for it in vain.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "base/row_spike.hpp"
#include "pathways/pathway.hpp"
#include "tables/source_list.hpp"

namespace npl::pathways {

using Pathways = std::vector<std::shared_ptr<Pathway>>;

/// Tells whether what was made of pathways is still up to date.
class PathwayIds {
 public:
  bool are_of(const Pathways& pathways) const;
  void take(const Pathways& pathways);
  void forget() noexcept { ids_.clear(), known_ = false; }
  std::size_t bytes() const { return ids_.capacity() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> ids_;  ///< [pathways]
  bool known_ = false;
};

/// Used by one thread, the one of its slice.
class SourceRows {
 public:
  /// Fewer pathways look up their sources themselves, which takes no memory of its own.
  static constexpr std::size_t few = 8;

  /// Makes the look-up, if it is not of these pathways.
  void prepare(const Pathways& pathways) {
    if (!made_of_.are_of(pathways)) make(pathways);
  }
  /// Queues spikes in all pathways, as Pathway::schedule() of each would.
  void schedule(const Pathways& pathways, const Emitted& emitted);
  std::size_t bytes() const;
  /// Of the spikes on their way to the pathways.
  std::size_t buffer_bytes() const;
  /// Expected bytes. @param sources different ones @param span range of their gids
  /// @param rows of all pathways @param most rows of a pathway
  static double expected_bytes(double sources, double span, double rows, double most);

 private:
  struct Found {
    std::vector<RowSpike> spikes;
    std::vector<double> offsets;
  };
  void make(const Pathways& pathways);
  template <class Place>
  void fill(const Pathways& pathways, Buffer<Place>& places) const;
  template <class Place>
  void find(const Emitted& emitted, const Buffer<Place>& places);

  PathwayIds made_of_;
  tables::SourceList sources_;
  Buffer<std::uint32_t> begin_;  ///< [sources + 1] first place of each
  // [rows] a pathway and a row of it, in the halves of a number; one of the two is used
  Buffer<std::uint32_t> narrow_;
  Buffer<std::uint64_t> wide_;
  std::vector<Found> found_;              ///< [pathways] spikes to hand over
  std::vector<std::uint32_t> addressed_;  ///< pathways that have some
};

}  // namespace npl::pathways
