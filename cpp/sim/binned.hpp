// SPDX-License-Identifier: Apache-2.0
/// Recorders of whole numbers per bin of time, summed over nodes. Memory grows with the number of bins: 8 bytes each, and 4 bytes per node
/// of the slice up to the last recorded one.
/// A kind of such recorders declares itself: a component (one file in components/) that is derived from Binned, has its name as
/// `static constexpr const char* kind`, and calls count() for what it counts. Nothing else names it.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "connect/node_set.hpp"
#include "sim/component.hpp"

namespace npl::sim {

/// The bins of a recorder: bin k has the steps k * width .. (k + 1) * width - 1, whose ends are the times (k, k + 1] * width.
struct Bins {
  Step width;                      ///< [steps]
  Step first;                      ///< the first bin that is kept
  std::vector<std::int64_t> sums;  ///< from the first bin on, up to the last one in which something was counted

  void add(Step step, std::int64_t n) {
    const Step k = step / width - first;
    if (k < 0) return;
    if (k >= static_cast<Step>(sums.size())) grow(static_cast<std::size_t>(k) + 1);
    sums[static_cast<std::size_t>(k)] += n;
  }
  /// Memory is that of the next power of 2, as plans expect, however far apart spikes are.
  void grow(std::size_t bins) {
    sums.reserve(std::bit_ceil(bins));
    sums.resize(bins);
  }
  /// Drops the bins before this one.
  void forget(Step before);
};

class Binned : public Component {
 public:
  using Component::Component;
  bool is_present() const { return !all_.empty(); }

  /// Share of a new recorder in this slice. O(its nodes here).
  void add(const connect::NodeSet& nodes, Step width, Step first);
  /// [recorders of this kind]
  std::vector<Bins>& all() { return all_; }
  const std::vector<Bins>& all() const { return all_; }

  void resemble(const Binned& other) {
    for (const Bins& b : other.all_) all_.push_back({b.width, b.first, {}});
  }
  std::size_t bytes() const;
  void add_bytes(SliceBytes& to) const { to.recordings += bytes(); }
  /// Expected bytes of a recorder with so many bins in a slice, and of the groups of the nodes of a slice, for the memory model.
  static double expected_bytes(double bins) { return sizeof(Bins) + bins * sizeof(std::int64_t); }
  static double expected_index_bytes(double nodes) { return nodes * sizeof(std::uint32_t); }
  using Kept = std::size_t;  ///< a number: more are added at the end
  Kept keep() const { return all_.size(); }
  void restore(Kept& kept) noexcept;

 protected:
  ~Binned() = default;
  /// Adds n to the bin of a step in all recorders that have this node.
  void count(Local node, Step step, std::int64_t n = 1) {
    if (node >= group_of_.size()) return;
    for (std::uint32_t k : groups_[group_of_[node]]) all_[k].add(step, n);
  }

 private:
  /// Nodes with the same recorders are a group, so a node costs 4 bytes however many recorders it has.
  using Numbers = std::vector<std::uint32_t>;  ///< of recorders, ascending

  std::vector<Bins> all_;
  std::vector<std::uint32_t> group_of_;        ///< by local index, up to the last recorded node
  std::vector<Numbers> groups_ = {Numbers()};  ///< the first one: nodes without recorders
  std::vector<std::uint32_t> sizes_ = {0};     ///< [groups] number of nodes; not counted in the first one
};

}  // namespace npl::sim
