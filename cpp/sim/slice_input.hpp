// SPDX-License-Identifier: Apache-2.0
/// Input of the nodes of a slice: sums of weights in fixed point, a row of nodes per step and receptor; currents; off-grid spikes; and the
/// scales of the sums. Sums are zero between steps: groups clear what they have read.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/fixed.hpp"
#include "base/simd.hpp"
#include "devices/device.hpp"
#include "nodes/group.hpp"
#include "pathways/pathway.hpp"

namespace npl::sim {

/// Fixed-point scale per receptor of the network (at least max_receptors), equal on all slices.
using Scales = std::vector<FixedScale>;
using Largest = std::vector<double>;
using Groups = std::vector<std::unique_ptr<nodes::Group>>;

/// Not thread safe: used by the thread of the slice.
class SliceInput {
 public:
  // --- room
  std::size_t receptors() const { return scales_.size(); }
  /// Gives values to so many receptors.
  void hold(std::size_t receptors);
  void shrink(std::size_t receptors) noexcept;
  /// What there must be room for.
  struct Room {
    Local nodes;
    std::size_t rows;
    bool repeats;  ///< parts are repeated: every receptor has all rows
    bool current;  ///< some part sends a current
    int ports;     ///< beside the first, to which some part sends a current
  };
  void make(const Groups& groups, const Room& room);

  // --- scales
  /// Changes to a coarser scale where a weight exceeds the range of the current one.
  void rescale(const Largest& largest);
  void set_most(const Largest& most) { std::copy(most.begin(), most.end(), most_.begin()); }
  /// Weights that the scales were made for, and the largest plastic ones.
  const Largest& scaled_for() const { return scaled_for_; }
  const Largest& largest() const { return largest_; }
  void set_largest(const Largest& largest) { std::copy(largest.begin(), largest.end(), largest_.begin()); }
  void swap_largest(Largest& other) noexcept { largest_.swap(other); }
  const FixedScale& scale(std::size_t receptor) const { return scales_[receptor]; }
  /// What plastic weights of a receptor must not outgrow.
  NPL_INLINE double most(std::size_t receptor) const { return std::min(most_growth * scaled_for_[receptor], most_[receptor]); }
  NPL_INLINE double& largest(std::size_t receptor) { return largest_[receptor]; }

  // --- the input of a step; `row`: where it begins
  /// Of steps that begin now: nothing has been added. @param row where the input after the last of them would begin
  void begin(std::size_t row);
  NPL_INLINE pathways::Inputs of(std::size_t receptor, std::size_t row) {
    return {sums_[receptor].data() + row, scales_[receptor].to_fixed, &largest_[receptor], &precise_events_};
  }
  /// @param current the part sends a current; its receptor is a port
  devices::PartInput of_part(int receptor, bool current, std::size_t row);
  Fixed* sums(std::size_t receptor, std::size_t row) { return sums_[receptor].data() + row; }
  std::vector<PreciseEvent>& precise_events() { return precise_events_; }
  /// What a group reads; valid until the next call.
  nodes::GroupInput of_group(const nodes::Group& g, std::size_t row);

  // --- overflows
  // The inputs of a neuron that add up to 2^20 to 1.5 * 2^20 (about 1.5 million) of the largest weights of a receptor in one step, after
  // cancelling, are certainly found. Above that the sum may wrap back into its range unnoticed: its upper bits are nowhere kept.
  /// Events that have been added, of all nodes and in units of the largest weight.
  NPL_INLINE void load(double events) { load_ += events; }
  /// The same of one receptor, whose weights may have outgrown the scale.
  NPL_INLINE void load(std::size_t receptor, std::uint64_t events) {
    const double largest = largest_[receptor], scaled_for = scaled_for_[receptor];
    load_ += static_cast<double>(events) * (largest > scaled_for && scaled_for > 0.0 ? largest / scaled_for : 1.0);
  }
  /// Whether the sums of this step may have overflown.
  bool is_loaded() const;
  /// The sums of neurons begin .. begin + n - 1 that have overflown, one per receptor.
  template <class F>
  void for_overflows(const nodes::Group& g, std::size_t begin, std::size_t n, std::size_t row, F&& f) const {
    for (int r = 0; r < g.model().receptors; ++r) {
      const Fixed* sums = sums_[static_cast<std::size_t>(r)].data() + row + g.first_local() + begin;
      std::uint64_t any = 0;
      for (std::size_t i = 0; i < n; ++i) any |= overflow_bits(sums[i]);
      if (!(any >> 63)) continue;
      f(begin + static_cast<std::size_t>(std::find_if(sums, sums + n, [](Fixed x) { return overflow_bits(x) >> 63; }) - sums), r);
    }
  }

  std::size_t bytes() const;
  std::size_t event_bytes() const { return precise_events_.capacity() * sizeof(PreciseEvent); }

 private:
  static constexpr double most_growth = 0x1p10;  ///< of plastic weights until the scale follows: 2^10 of them may still add up in a step

  /// Input of one receptor or port: [rows x nodes]; of those that few groups have, [nodes] from the first of those groups on.
  template <class T>
  struct Cells {
    Buffer<T> cells;
    Local first = 0;
    /// That of node 0, which need not be there.
    T* data() { return cells.data() - first; }
    const T* data() const { return cells.data() - first; }
    void hold(std::size_t n) {
      first = 0;
      if (cells.size() < n) cells.resize(n);
    }
    void cover(Local begin, Local end) {
      first = std::min(begin, end);
      if (cells.size() < end - first) cells = Buffer<T>(end - first);
    }
  };

  std::vector<Cells<Fixed>> sums_ = std::vector<Cells<Fixed>>(max_receptors);  ///< [receptors]
  std::vector<Cells<double>> port_currents_;                                   ///< [ports] from 1 on, where some part sends one
  std::vector<const double*> currents_of_group_;                               ///< the same
  std::vector<Fixed*> sums_of_group_ = std::vector<Fixed*>(max_receptors);     ///< [receptors] what an update reads
  std::vector<double> scales_of_group_ = std::vector<double>(max_receptors);
  std::vector<PreciseEvent> precise_events_;  ///< off-grid events of this step, in canonical order before groups use them
  Buffer<double> current_;                    ///< [rows x nodes]
  bool has_current_ = false;
  Scales scales_ = Scales(max_receptors);
  Largest scaled_for_ = Largest(max_receptors);  ///< the weights that scales_ were made for
  Largest most_ = Largest(max_receptors);        ///< plastic weights must not outgrow these
  Largest largest_ = Largest(max_receptors);     ///< largest plastic |weight| met
  double load_ = 0.0;                            ///< see load()
};

}  // namespace npl::sim
