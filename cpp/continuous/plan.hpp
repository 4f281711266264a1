// SPDX-License-Identifier: Apache-2.0
/// The continuous connections that end on one group of neurons, by target: in every step each target adds weight times value of its sources
/// itself. Reading the table, whose rows are of sources, would take longer (docs/concepts/continuous.md). The sums are made
/// in an order that follows from the network alone (delay, sign of the weight, gid of the source, weight), in eight
/// partial sums, so that the bits depend neither on ranks and threads nor on tables and their layout.
#pragma once
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "continuous/course.hpp"
#include "nodes/group.hpp"
#include "tables/edge_table.hpp"

namespace npl::continuous {

/// Slots of a receptor: positive weights, negative weights.
inline int slot_of(int receptor, double weight) { return 2 * receptor + (weight < 0.0); }
inline constexpr int most_slots = 2 * max_receptors;

/// Neurons first .. first + n - 1 of a slice.
struct Stretch {
  Local first = 0;
  std::size_t n = 0;
};

class Plan {
 public:
  /// Adds weight times value of what arrives in a step. @param devices first column of devices, whose values before step 0 count
  /// @param out [slots] columns of all neurons of the group
  void add(Step step, const Course& course, std::size_t devices, const nodes::Group& group, const nodes::TakenGain* gain,
           double* const* out);
  /// The same of given values, whatever the delays. @param out one column
  void add_all(const double* values, double* out) const;
  bool empty() const { return sections_.empty(); }
  std::size_t bytes() const;

 private:
  friend class PlanBuilder;
  /// Connections with the same delay and slot.
  struct Section {
    Delay delay;
    int slot;
    std::vector<std::uint32_t> target;  ///< in the group, ascending
    std::vector<std::uint32_t> begin;   ///< [targets + 1] places of their connections
    /// Columns of the course.
    std::variant<std::vector<std::uint32_t>, std::vector<std::uint16_t>> source = {};
    /// One for all, or for each connection; as float where that is exact.
    std::variant<std::vector<double>, std::vector<float>> weight = {};
  };
  static void add_section(const Section& s, const double* values, double* out);
  /// @param sent first column that has a value; what nobody has sent has no gain
  void add_with_gains(const Section& s, const double* values, std::size_t sent, const nodes::Group& group, const nodes::TakenGain& gain,
                      double* out);
  template <class Column, class Weight>
  void add_with_gains(const Section& s, const std::vector<Column>& sources, const std::vector<Weight>& weights, const double* values,
                      std::size_t sent, const nodes::Group& group, const nodes::TakenGain& gain, double* out);

  std::vector<Section> sections_;  ///< by delay, then slot
  std::vector<double> derived_, changed_;
};

/// The plans of the groups of a slice. @param groups where they lie @param column_of index of a source among the columns of the course
std::vector<Plan> make_plans(std::span<const tables::EdgeTable* const> tables, std::span<const Stretch> groups,
                             const std::function<std::uint32_t(Gid)>& column_of);

}  // namespace npl::continuous
