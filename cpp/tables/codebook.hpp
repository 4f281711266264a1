// SPDX-License-Identifier: Apache-2.0
/// The values of all coded weights of a network: a synapse stores the index of its weight, two bytes instead of four.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace npl::tables {

using Code = std::uint16_t;

/// Only grows, so codes stay valid; equal on all ranks, which connect alike. Read by all threads; changed between builds and runs.
class Codebook {
 public:
  static constexpr std::size_t most = std::size_t{1} << 16;  ///< values

  /// True when these values, the book of a coded distribution, are there or fit.
  bool fits(std::span<const float> values) const { return values_.size() + values.size() <= most || place_of(values); }
  /// The code of the first of these values, which are added unless they are there. Call only when they fit.
  Code add(std::span<const float> values);
  /// A code of a value, if there is one.
  std::optional<Code> find(float value) const;
  const float* values() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }

 private:
  std::optional<Code> place_of(std::span<const float> values) const;

  std::vector<float> values_;
  std::vector<std::pair<std::size_t, std::size_t>> parts_;  ///< begin and length of the distributions
  std::vector<std::pair<std::uint32_t, Code>> by_bits_;     ///< ascending: bits of the values, and their codes
};

}  // namespace npl::tables
