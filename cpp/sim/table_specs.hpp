// SPDX-License-Identifier: Apache-2.0
/// Table specs of a network. The list is the same on all ranks.
#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "checkpoint/archive.hpp"
#include "comm/communicator.hpp"
#include "continuous/channels.hpp"
#include "sim/slice.hpp"

namespace npl::sim {

/// The weights of a receptor, from which its fixed-point scale follows. Sums have 43 bits for the largest weight, so weights that are
/// smaller by more than `most_ratio` would hardly count.
class WeightRange {
 public:
  static constexpr double most_ratio = 0x1p33;
  static constexpr double plastic_margin = 16.0;  ///< plastic weights may grow so far before the scale follows
  static constexpr double most_reach = 0x1p16;    ///< a bound of a plastic rule counts up to this multiple of the largest weight

  /// Throws BadParameter when weights of this size and those known do not fit one scale. @param weight largest |weight| of a call
  void check(double weight, double margin = 1.0) const;
  /// @param weight largest |weight| of a call @param margin plastic_margin for plastic ones
  void note(double weight, double margin = 1.0);
  /// Weights that were set one by one: smaller ones than before need not count.
  void note_set(double weight) { largest_ = std::max(largest_, weight); }
  void check_set(double weight) const;
  /// What plastic weights may grow to: Wmax. "No bound" (1e15, say) must not take the resolution from ordinary weights.
  void note_bound(double bound) {
    if (std::find(bounds_.begin(), bounds_.end(), bound) == bounds_.end()) bounds_.push_back(bound);
  }
  /// The weight that the scale is made for.
  double scale() const;
  /// Plastic weights that outgrow this end the run: static ones would no longer count.
  double most() const { return smallest_static_ * most_ratio; }
  void visit(checkpoint::Archive& a) {
    a("largest", largest_), a("smallest", smallest_), a("smallest_static", smallest_static_), a("bounds", bounds_);
  }
  double largest() const { return largest_; }

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();
  double largest_ = 0.0, smallest_ = none, smallest_static_ = none;
  std::vector<double> bounds_;
};

struct TableSpecs {
  std::vector<std::unique_ptr<tables::TableSpec>> all;
  std::shared_ptr<tables::Codebook> book = std::make_shared<tables::Codebook>();  ///< of all coded weights
  std::vector<int> labels;                                                        ///< [specs] label of the connections of each table
  std::vector<int> layers;                                                        ///< [specs] see ProjectionBook
  std::map<const tables::TableSpec*, const tables::TableSpec*> widened;  ///< specs with a weight per synapse, made when weights were set
  std::vector<WeightRange> weights = std::vector<WeightRange>(max_receptors);  ///< that were ever connected or set, by receptor

  WeightRange& of(int receptor) {
    if (static_cast<std::size_t>(receptor) >= weights.size()) weights.resize(static_cast<std::size_t>(receptor) + 1);
    return weights[static_cast<std::size_t>(receptor)];
  }
  const WeightRange& of(int receptor) const {
    static const WeightRange none;
    return static_cast<std::size_t>(receptor) < weights.size() ? weights[static_cast<std::size_t>(receptor)] : none;
  }
  /// Index of the table spec for synapses of this kind, label and layer; adds one if needed. All ranks must call in the same order.
  /// @param wanted its plasticity, sub_step_delay and order are set here @param layer see ProjectionBook
  int table_for(tables::TableSpec wanted, int label, int layer = 0);
  /// Index of every spec, label and layer in `all`, by the hash of what must be the same but for weights; filled by table_for().
  std::unordered_map<std::uint64_t, std::vector<int>> by_hash;
  std::size_t hashed = 0;
  /// What calls add to; tables and values that are there do not change.
  struct Kept {
    std::size_t specs, book;
    std::vector<WeightRange> weights;
  };
  Kept keep() const { return {all.size(), book->parts().size(), weights}; }
  /// Forgets what has been added since. No table may have a spec that is forgotten.
  void restore(Kept& kept) noexcept;
  int label_of(const tables::TableSpec& spec) const { return labels[static_cast<std::size_t>(spec.order)]; }
  int layer_of(const tables::TableSpec& spec) const { return layers[static_cast<std::size_t>(spec.order)]; }
  /// Checkpoints; there, specs are told by their indices in `all`.
  void visit(checkpoint::Archive& a);
  int index_of(const tables::TableSpec* spec) const;
  const tables::TableSpec& at(int index) const;  ///< throws BadCheckpoint
  /// Largest weights by receptor, for the scales; and those beyond which a run ends.
  Largest scales() const;
  Largest most() const;
  /// Kinds of values that continuous connections carry.
  std::vector<continuous::Kind> continuous_kinds() const;
  bool has_no_delay() const;  ///< some have no delay
};

/// Throws BadParameter for weights that the rule of a synapse cannot work with. @param strict also those beyond Wmax; else the sign alone
/// @param several weights, here or on other ranks: the error tells how a distribution stays within the bounds
void check_plastic_weights(const synapses::WeightBounds& bounds, double low, double high, bool strict, bool several = false);

}  // namespace npl::sim
