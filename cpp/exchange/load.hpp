// SPDX-License-Identifier: Apache-2.0
/// Memory model: what one rank has to send per exchange, by expectation. The formulas of the strategies (StrategyTraits::bytes) are written
/// in it.
#pragma once
#include <cstddef>

namespace npl::exchange {

/// Bytes of the smallest buffer of fixed size, unless the user says otherwise.
inline constexpr std::size_t first_buffer_bytes = 64;

/// Sizes of headers in messages, as doubles for the formulas (wire.hpp has the structures).
inline constexpr double block_header_bytes = 8, packet_header_bytes = 16;

/// About the largest of so many numbers of events with this mean: where a Poisson distribution leaves less than half a draw above.
double largest_of(double mean, double draws);

/// All per exchange and rank.
struct Load {
  double ranks, partners;        ///< partners: ranks that this one sends to, and as many that send to it
  double records, record_bytes;  ///< sent
  double spikes;                 ///< of the neurons of this rank

  /// Bytes of a buffer of fixed size, with its header, that had to hold `most` records (Capacity).
  double block(double most) const;
  /// Most records for any partner.
  double most_per_partner() const;
  /// Partners that get any record.
  double active() const;
};

/// A request per partner that gets records: what strategies without fixed buffers hold.
inline double request_bytes(const Load& load) { return 8 * load.active(); }

}  // namespace npl::exchange
