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

/// Used by one thread, the one of its slice.
class SourceRows {
 public:
  using Pathways = std::vector<std::shared_ptr<Pathway>>;
  /// Fewer pathways look up their sources themselves, which takes no memory of its own.
  static constexpr std::size_t few = 8;

  /// Makes the look-up, if it is not of these pathways.
  void prepare(const Pathways& pathways) {
    if (!is_made_of(pathways)) make(pathways);
  }
  /// Queues spikes in all pathways, as Pathway::schedule() of each would.
  void schedule(const Pathways& pathways, const Emitted& emitted);
  std::size_t bytes() const;
  /// Of the spikes on their way to the pathways.
  std::size_t buffer_bytes() const;
  /// Expected bytes. @param sources different ones @param span range of their gids @param rows of all pathways
  static double expected_bytes(double sources, double span, double rows);

 private:
  struct Place {
    std::uint32_t pathway, row;
  };
  struct Found {
    std::vector<RowSpike> spikes;
    std::vector<double> offsets;
  };
  bool is_made_of(const Pathways& pathways) const;
  void make(const Pathways& pathways);
  void find(const Emitted& emitted);

  std::vector<std::uint64_t> made_of_;  ///< [pathways] their ids
  tables::SourceList sources_;
  Buffer<std::uint32_t> begin_;  ///< [sources + 1] first place of each
  Buffer<Place> places_;
  std::vector<Found> found_;              ///< [pathways] spikes to hand over
  std::vector<std::uint32_t> addressed_;  ///< pathways that have some
};

}  // namespace npl::pathways
