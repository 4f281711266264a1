// SPDX-License-Identifier: Apache-2.0
#include "exchange/spike_codec.hpp"

#include <algorithm>

namespace npl::exchange {

SpikeCodec::SpikeCodec(std::uint64_t highest_id, Step most_lag, bool offsets)
    : lag_bits_(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(std::max<Step>(most_lag - 1, 0))))), offsets_(offsets) {
  const unsigned bits = static_cast<unsigned>(std::bit_width(highest_id)) + lag_bits_;
  word_bytes_ = offsets ? sizeof(double) : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

}  // namespace npl::exchange
