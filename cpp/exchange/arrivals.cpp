// SPDX-License-Identifier: Apache-2.0
#include "exchange/arrivals.hpp"

#include <algorithm>

namespace npl::exchange {
void Arrivals::clear() {
  for (PartArrivals& part : parts_) part.spikes.clear(), part.offsets.clear();
}

void Arrivals::take(Incoming& in, std::span<const int> senders, const AddressBook& book, const SpikeCodec& codec, Step from) {
  std::stable_sort(in.segments.begin(), in.segments.end(), [](const auto& a, const auto& b) { return a.source < b.source; });
  AddressBook::Reader reader(book);  // fast where senders ascend
  for (const Incoming::Segment& segment : in.segments) {
    if (segment.begin == segment.end) continue;
    reader.go_to(static_cast<std::size_t>(std::lower_bound(senders.begin(), senders.end(), segment.source) - senders.begin()));
    const auto read = [&]<bool Offsets>() {
      for_records(in, segment, codec, [&](const SpikeCodec::Record& record, const std::byte* at) {
        AddressBook::Row to;
        if (!reader.find(record.id, to)) wire::refuse("address", record.id, book.most_addresses());
        parts_[to.part].spikes.push_back({to.row, static_cast<std::int32_t>(from + record.lag)});
        if constexpr (Offsets) parts_[to.part].offsets.push_back(codec.read_offset(at));
      });
    };
    codec.offsets() ? read.operator()<true>() : read.operator()<false>();
  }
}

std::size_t Arrivals::bytes() const {
  std::size_t total = 0;
  for (const PartArrivals& part : parts_) total += part.bytes();
  return total;
}

}  // namespace npl::exchange
