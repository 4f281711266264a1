// SPDX-License-Identifier: Apache-2.0
#include "exchange/collocation.hpp"

namespace npl::exchange {
namespace {

/// Calls f(destination, address, step, part, number of the spike in it) for every route of every spike.
template <class F>
void for_routes(std::span<const Departures> parts, const Routing& routing, F&& f) {
  for (const Departures& part : parts)
    for (std::size_t i = 0; i < part.emitted->spikes.size(); ++i) {
      const Step step = part.emitted->spikes[i].step;
      routing.for_each(part.first_source + part.sources[i], [&](std::uint32_t d, std::uint64_t address) { f(d, address, step, part, i); });
    }
}

template <bool Offsets>
void write_routes(std::span<const Departures> parts, const Routing& routing, const SpikeCodec& codec, Step from, Outgoing& out) {
  for_routes(parts, routing, [&](std::uint32_t d, std::uint64_t address, Step step, const Departures& part, std::size_t i) {
    std::byte* at = &out.data[out.begin[d + 1]];
    codec.write(at, address, step - from);
    if constexpr (Offsets) codec.write_offset(at, part.emitted->offset(i));
    out.begin[d + 1] += codec.record_bytes();
  });
}

template <bool Offsets>
void write_all(std::span<const Departures> parts, Name name, const SpikeCodec& codec, Step from, Outgoing& out) {
  std::byte* at = out.data.data();
  for (const Departures& part : parts)
    for (std::size_t i = 0; i < part.emitted->spikes.size(); ++i, at += codec.record_bytes()) {
      const Spike& spike = part.emitted->spikes[i];
      codec.write(at, name == Name::number ? part.first_source + part.sources[i] : static_cast<std::uint64_t>(spike.gid),
                  spike.step - from);
      if constexpr (Offsets) codec.write_offset(at, part.emitted->offset(i));
    }
}

}  // namespace

/// Counts records per destination, then writes them: while writing, begin[d + 1] is where the next record for destination d goes.
void collocate(std::span<const Departures> parts, const Routing& routing, const SpikeCodec& codec, Step from, Outgoing& out) {
  out.begin.assign(routing.partners().destinations.size() + 2, 0);
  for_routes(parts, routing,
             [&](std::uint32_t d, std::uint64_t, Step, const Departures&, std::size_t) { out.begin[d + 2] += codec.record_bytes(); });
  for (std::size_t d = 1; d < out.begin.size(); ++d) out.begin[d] += out.begin[d - 1];
  out.data.resize(out.begin.back());
  codec.offsets() ? write_routes<true>(parts, routing, codec, from, out) : write_routes<false>(parts, routing, codec, from, out);
  out.begin.pop_back();
}

void collocate_for_all(std::span<const Departures> parts, Name name, const SpikeCodec& codec, Step from, Outgoing& out) {
  std::size_t spikes = 0;
  for (const Departures& part : parts) spikes += part.emitted->spikes.size();
  out.data.resize(spikes * codec.record_bytes());
  out.begin = {0, out.data.size()};
  codec.offsets() ? write_all<true>(parts, name, codec, from, out) : write_all<false>(parts, name, codec, from, out);
}

}  // namespace npl::exchange
