// SPDX-License-Identifier: Apache-2.0
/// Spikes that were on their way to synapses that have been removed: each arrives as a single input at its time.
#pragma once
#include <utility>
#include <vector>

#include "sim/component.hpp"

namespace npl::sim {

/// In-flight spike of a removed synapse.
struct Late {
  Step due;
  Local target;
  int receptor;
  bool counts;    ///< the target counts spikes
  double value;   ///< weight
  bool off_grid;  ///< the target takes off-grid spikes
  double offset;  ///< (off_grid) sub-step offset before the end of the step [ms]
};

class LateInput : public Component {
 public:
  using Component::Component;
  static constexpr unsigned phases = bit(before_step);
  bool is_present() const { return !all_.empty(); }

  const std::vector<Late>& all() const { return all_; }
  /// To be followed by sort().
  void add(const Late& late) { all_.push_back(late); }
  void sort();
  /// Of a checkpoint.
  void replace(std::vector<Late> all) {
    all_ = std::move(all);
    sort();
  }
  std::uint64_t before(Step step, std::size_t row) override;

  void add_bytes(SliceBytes& bytes) const { bytes.in_flight += all_.capacity() * sizeof(Late); }
  using Kept = std::vector<Late>;
  Kept keep() const { return all_; }
  void restore(Kept& kept) noexcept { all_.swap(kept); }

 private:
  std::vector<Late> all_;  ///< latest first
};

}  // namespace npl::sim
