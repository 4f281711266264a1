// SPDX-License-Identifier: Apache-2.0
/// Spikes of this rank become the bytes that a strategy sends.
#pragma once
#include <span>
#include <vector>

#include "base/precise_event.hpp"
#include "exchange/routing.hpp"
#include "exchange/spike_codec.hpp"

namespace npl::exchange {

/// Spikes of one part of this rank (a slice) and their sources.
struct Departures {
  const Emitted* emitted;          ///< spikes and, where there are any, offsets
  std::span<const Local> sources;  ///< [spikes] number of the source in the part
  std::size_t first_source;        ///< number of the part's first source among all of this rank
};

/// For directed strategies: a record per route of every spike, destination by destination, in the order of the spikes.
/// @param from first step of the interval; spikes are not earlier
void collocate(std::span<const Departures> parts, const Routing& routing, const SpikeCodec& codec, Step from, Outgoing& out);

/// Under which id every rank gets a spike that all ranks get.
enum class Name { gid, number };

/// For strategies that send every spike to every rank: a record per spike. @param from as above
void collocate_for_all(std::span<const Departures> parts, Name name, const SpikeCodec& codec, Step from, Outgoing& out);

}  // namespace npl::exchange
