// SPDX-License-Identifier: Apache-2.0
/// Base class of strategies: checks of arguments, a copy of the records to send, counting.
#pragma once
#include "exchange/strategy.hpp"
#include "exchange/wire.hpp"

namespace npl::exchange {

class StrategyBase : public Strategy {
 protected:
  /// Throws BadParameter for options unknown to the strategy and for partners that are not ascending ranks of others.
  StrategyBase(comm::Communicator& comm, const Partners& partners, const Options& options, Knows knows = {});

  /// Checks `out` for `parts` parts and copies it to out_, where begin[0] = 0.
  void accept(const Outgoing& out, std::size_t parts);
  /// Records of part d of out_.
  wire::Bytes part(std::size_t d) const { return {out_.data.data() + out_.begin[d], out_.begin[d + 1] - out_.begin[d]}; }
  std::size_t records(std::size_t bytes) const { return bytes / options_.record_bytes; }
  /// Records that a fixed buffer holds at first: of the user's buffer_bytes, or of first_buffer_bytes; at least one.
  std::size_t first_capacity() const;

  /// Throws BadMessage for a rank that is none of partners_.sources.
  void check_source(int source) const;
  /// Room for `bytes` of a source at the end of `in`: a segment of its own, or the end of the last one if that is of the same source.
  /// Counts records.
  std::byte* room(Incoming& in, int source, std::size_t bytes);
  /// The same, and copies the data.
  void take(Incoming& in, int source, wire::Bytes data);

  void count_sent(std::size_t bytes) { ++counts_.messages, counts_.bytes_sent += bytes; }
  int ranks() const { return comm_.size(); }

  comm::Communicator& comm_;
  const Partners partners_;
  const Options options_;
  Outgoing out_;
};

/// Bytes that vectors have allocated.
template <class... Vectors>
std::size_t held(const Vectors&... vectors) {
  return ((vectors.capacity() * sizeof(typename Vectors::value_type)) + ... + 0);
}

}  // namespace npl::exchange
