// SPDX-License-Identifier: Apache-2.0
/// The values of all coded weights of a network: a synapse stores the index of its weight, two bytes instead of four.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/fixed.hpp"

namespace npl::tables {

using Code = std::uint16_t;
using FixedBook = std::shared_ptr<const std::vector<Fixed>>;  ///< weights in fixed point, by code

/// Only grows, so codes stay valid; equal on all ranks, which connect alike. Read by all threads; changed between builds and runs.
class Codebook {
 public:
  static constexpr std::size_t most = std::size_t{1} << 16;  ///< values

  /// True when these values, the book of a coded distribution, are there or fit.
  bool fits(std::span<const float> values) const { return values_.size() + values.size() <= most || place_of(values); }
  /// The code of the first of these values, which are added unless they are there. Call only when they fit.
  Code add(std::span<const float> values);
  /// Forgets the distributions that were added after the first `parts`. Call only when no synapse has their codes.
  void forget_after(std::size_t parts) noexcept;
  /// A code of a value, if there is one.
  std::optional<Code> find(float value) const;
  /// Begin and length of the distributions whose values there are, in the order in which they were added.
  const std::vector<std::pair<std::size_t, std::size_t>>& parts() const { return parts_; }
  const float* values() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }
  /// All values in fixed point, rounded as weights of type float are: one copy for all tables with this scale. Thread safe.
  FixedBook in_fixed(double to_fixed) const;

 private:
  std::optional<Code> place_of(std::span<const float> values) const;

  std::vector<float> values_;
  std::vector<std::pair<std::size_t, std::size_t>> parts_;                      ///< begin and length of the distributions
  std::vector<std::pair<std::uint32_t, Code>> by_bits_;                         ///< ascending: bits of the values, and their codes
  mutable std::mutex guard_;                                                    ///< of in_fixed_
  mutable std::map<double, std::weak_ptr<const std::vector<Fixed>>> in_fixed_;  ///< by scale
};

}  // namespace npl::tables
