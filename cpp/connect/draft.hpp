// SPDX-License-Identifier: Apache-2.0
/// A table while it is being made: counters per source, then cursors into rows, then rows sorted by delay.
#pragma once
#include <memory>
#include <vector>

#include "connect/projection.hpp"

namespace npl::connect {

class Draft {
 public:
  /// Sources of the table lie in [lowest, highest]; delays likewise [steps].
  Draft(const deliver::TableSpec& spec, Gid lowest, Gid highest, Delay lowest_delay, Delay highest_delay);

  /// Pass 1: source has one more synapse.
  NPL_INLINE void count(Gid source) { ++slots_[static_cast<std::size_t>(source - lowest_)]; }
  /// After pass 1: rows get their places and the columns their exact size. Throws BadParameter beyond 2^32 - 1 synapses.
  void place();
  /// Pass 2: the next synapse of source goes to the returned position.
  NPL_INLINE std::uint32_t next(Gid source) { return slots_[static_cast<std::size_t>(source - lowest_)]++; }
  NPL_INLINE void set(std::uint32_t at, Local target, Delay delay) {
    target_[at] = static_cast<std::uint16_t>(target);
    if (narrow_) narrow_[at] = static_cast<std::uint8_t>(delay - lowest_delay_);
    else if (wide_) wide_[at] = delay;
  }
  NPL_INLINE void set_weight(std::uint32_t at, float w) { weight32_[at] = w; }
  NPL_INLINE void set_weight(std::uint32_t at, double w) { weight64_[at] = w; }
  /// After pass 2: rows sorted by delay, delays encoded; the finished table, or null when it has no synapse.
  std::unique_ptr<deliver::EdgeTable> finish();

  deliver::Weights weights() const { return table_->spec->weights; }

 private:
  deliver::Layout best_layout() const;
  void sort_rows();
  void encode_runs();
  void encode_words();
  Delay delay_at(std::uint32_t i) const;

  Gid lowest_;
  Delay lowest_delay_, highest_delay_;
  std::unique_ptr<deliver::EdgeTable> table_;
  Buffer<std::uint32_t> slots_;            ///< per possible source: its count, then its cursor
  Buffer<std::uint8_t> narrow_delay_;      ///< delay - lowest, when the range fits a byte
  Buffer<Delay> wide_delay_;
  std::uint16_t* target_ = nullptr;
  std::uint8_t* narrow_ = nullptr;
  Delay* wide_ = nullptr;
  float* weight32_ = nullptr;
  double* weight64_ = nullptr;
};

}  // namespace npl::connect
