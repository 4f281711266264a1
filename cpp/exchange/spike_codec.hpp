// SPDX-License-Identifier: Apache-2.0
/// How a spike is written in a record: the id under which its receiver knows it (an address, a number or a gid) and the steps since the
/// start of the interval, in one word of 2, 4 or 8 bytes; where spikes have offsets, a word of 8 bytes and the offset, 16 bytes. All ranks
/// use the same codec. Numbers are in the byte order of the machine, which is taken to be little-endian.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/ids.hpp"

namespace npl::exchange {

class SpikeCodec {
 public:
  SpikeCodec() = default;
  /// The smallest record that holds all of
  /// @param highest_id the same on all ranks @param most_lag longest (sub-)interval [steps] @param offsets do spikes have offsets?
  SpikeCodec(std::uint64_t highest_id, Step most_lag, bool offsets);

  /// What a record says.
  struct Record {
    std::uint64_t id;
    Step lag;  ///< steps since the start of the interval
  };

  std::size_t record_bytes() const { return word_bytes_ + (offsets_ ? sizeof(double) : 0); }
  bool offsets() const { return offsets_; }

  /// Writes record_bytes() bytes, but for the offset.
  void write(std::byte* at, std::uint64_t id, Step lag) const {
    const std::uint64_t word = id << lag_bits_ | static_cast<std::uint64_t>(lag);
    std::memcpy(at, &word, word_bytes_);  // the low bytes come first
  }
  /// Only where there are offsets. @param offset before the end of the step [ms]
  void write_offset(std::byte* at, double offset) const { std::memcpy(at + word_bytes_, &offset, sizeof offset); }

  Record read(const std::byte* at) const {
    std::uint64_t word = 0;
    std::memcpy(&word, at, word_bytes_);
    return {word >> lag_bits_, static_cast<Step>(word & ((std::uint64_t{1} << lag_bits_) - 1))};
  }
  double read_offset(const std::byte* at) const {
    double offset;
    std::memcpy(&offset, at + word_bytes_, sizeof offset);
    return offset;
  }

 private:
  std::size_t word_bytes_ = 4;
  unsigned lag_bits_ = 0;
  bool offsets_ = false;
};

static_assert(std::endian::native == std::endian::little);

}  // namespace npl::exchange
