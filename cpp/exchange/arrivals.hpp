// SPDX-License-Identifier: Apache-2.0
/// Spikes of other ranks, decoded: by row where strategies are directed, by gid where all ranks get all spikes.
#pragma once
#include <span>
#include <vector>

#include "base/precise_event.hpp"
#include "base/row_spike.hpp"
#include "exchange/address_book.hpp"
#include "exchange/spike_codec.hpp"
#include "exchange/strategy.hpp"
#include "exchange/wire.hpp"

namespace npl::exchange {

/// Calls use(record, its bytes) for the records of a segment. Throws BadMessage where they are not whole.
template <class Use>
void for_records(const Incoming& in, const Incoming::Segment& segment, const SpikeCodec& codec, Use&& use) {
  const std::size_t bytes = codec.record_bytes(), left = (segment.end - segment.begin) % bytes;
  if (left) wire::refuse("bytes after the last spike", left, 0);
  for (std::size_t at = segment.begin; at < segment.end; at += bytes) use(codec.read(&in.data[at]), &in.data[at]);
}

/// Arrivals for one part.
struct PartArrivals {
  std::vector<RowSpike> spikes;  ///< row: of the part (AddressBook)
  std::vector<double> offsets;   ///< [spikes] before the end of the step [ms]; empty where the codec has none

  double offset(std::size_t i) const { return i < offsets.size() ? offsets[i] : 0.0; }
  std::size_t bytes() const { return spikes.capacity() * sizeof(RowSpike) + offsets.capacity() * sizeof(double); }
};

/// What directed strategies bring.
class Arrivals {
 public:
  Arrivals() = default;
  explicit Arrivals(std::size_t parts) : parts_(parts) {}
  /// Spikes of a part, senders in ascending order, those of a sender in the order sent.
  const PartArrivals& part(std::size_t p) const { return parts_[p]; }
  void clear();
  /// Adds all records of an interval that began with step `from`. Sorts the segments of `in` by sender. Throws BadMessage for addresses
  /// that were never given out.
  /// @param senders of the book, ascending
  void take(Incoming& in, std::span<const int> senders, const AddressBook& book, const SpikeCodec& codec, Step from);
  std::size_t bytes() const;

 private:
  std::vector<PartArrivals> parts_;
};

/// What strategies bring that send everything to all ranks: appends the spikes of an interval that began with step `from` to `to`.
/// @param ignored(rank) are the spikes of this rank of no interest? @param gid_of(rank, id) gid behind an id that a rank wrote; may throw
/// BadMessage
template <class Ignored, class GidOf>
void take_from_all(const Incoming& in, const SpikeCodec& codec, Step from, Ignored&& ignored, GidOf&& gid_of, Emitted& to) {
  for (const Incoming::Segment& segment : in.segments) {
    if (ignored(segment.source)) continue;
    for_records(in, segment, codec, [&](const SpikeCodec::Record& record, const std::byte* at) {
      to.spikes.push_back({gid_of(segment.source, record.id), from + record.lag});
      if (codec.offsets()) to.offsets.push_back(codec.read_offset(at));
    });
  }
}

}  // namespace npl::exchange
