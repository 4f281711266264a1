// SPDX-License-Identifier: Apache-2.0
/// Identity of projections: which connections each call of connect has made. Tables keep it, synapses do not: the projections in one table
/// are disjoint as products of sources and targets, so that the source and the target of a synapse tell its projection. A projection that
/// overlaps an earlier one of its kind goes to another layer, which has tables of its own.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include "checkpoint/archive.hpp"
#include "connect/node_set.hpp"
#include "tables/table_spec.hpp"

namespace npl::sim {

/// What all tables of one projection have in common; edits do not change it.
struct ProjectionKind {
  const synapses::SynapseInfo* synapse = nullptr;
  int label = 0;
  int receptor = 0;  ///< -1: the sign of the weight chooses it
  static ProjectionKind of(const tables::TableSpec& spec, int label) {
    return {spec.synapse, label, spec.input == tables::TargetInput::by_sign ? -1 : spec.receptor};
  }
  friend auto operator<=>(const ProjectionKind&, const ProjectionKind&) = default;
};

struct ProjectionEntry {
  std::int64_t number = 0;  ///< returned by connect
  ProjectionKind kind;
  int layer = 0;
  connect::NodeSet sources, targets;
  bool pairs = false;  ///< the k-th source connects to the k-th target only
  Delay delay = 0;     ///< of all connections when they were made (steps); 0: they differ, or it is not known
  double weight = 0;   ///< the same; 0: it differs, is not known, or is 0
  /// Whether a connection can be of this projection.
  bool has(Gid source, Gid target) const {
    const std::int64_t s = sources.position(source), t = targets.position(target);
    return s >= 0 && t >= 0 && (!pairs || s == t);
  }
};

/// Projections of one layer, by their bounding boxes (sources x targets), for fast tests of overlap. A level has boxes of about one size
/// in cells of this size, so that a box lies in at most four cells. Cells have memory of their own: among the descriptions of calls, which
/// the build frees, they would keep pages from the system.
class ProjectionBoxes {
 public:
  ProjectionBoxes() : memory_(std::make_unique<std::pmr::unsynchronized_pool_resource>()) {}
  ProjectionBoxes(ProjectionBoxes&&) noexcept = default;
  ProjectionBoxes& operator=(ProjectionBoxes&&) = delete;
  /// True when one of them has a source and a target in common with `wanted`.
  bool meet(const std::vector<ProjectionEntry>& all, const ProjectionEntry& wanted) const;
  void add(const ProjectionEntry& entry, std::uint32_t index);
  /// Appends the projections that can have made a connection from `source` to `target`.
  void find(const std::vector<ProjectionEntry>& all, Gid source, Gid target, std::vector<const ProjectionEntry*>& found) const;
  /// Takes back the last one that was added, also if that has failed. Allocates nothing.
  void forget_last(const ProjectionEntry& entry, std::uint32_t index) noexcept;

 private:
  using Indices = std::pmr::vector<std::uint32_t>;
  struct Level {
    int wide, high;  ///< cells have 2^wide sources and 2^high targets
    Indices all;
    std::pmr::unordered_map<std::uint64_t, Indices> cells;
    /// Calls f(key) for each cell that a box lies in.
    template <class F>
    void for_cells(const ProjectionEntry& box, F&& f) const;
    double cells_of(const ProjectionEntry& box) const;
    /// The boxes that may hold a point.
    const Indices& near(Gid source, Gid target) const;
  };
  std::unique_ptr<std::pmr::unsynchronized_pool_resource> memory_;  ///< of the levels
  std::vector<Level> levels_;
};

class ProjectionBook {
 public:
  /// A kind has no more; further projections that overlap one of each layer share the first layer and can no more be told apart.
  static constexpr int most_layers = 256;
  /// The same for parts of lists and calls of NEST scripts: there may be thousands for the same nodes, and each layer has rows of its own.
  static constexpr int most_of_many = 16;

  /// Adds a projection and returns its layer, which is found here. @param entry number: larger than those so far
  int add(ProjectionEntry entry, int most = most_layers);
  /// Throws BadParameter for other numbers than add() got.
  const ProjectionEntry& at(std::int64_t number) const;
  /// A projection that this one cannot be told from; -1: there is none. O(1) unless its kind has too many layers.
  std::int64_t alike(std::int64_t number) const;
  /// The projections of a kind and layer; null: there are none.
  const ProjectionBoxes* boxes(const ProjectionKind& kind, int layer) const;
  /// The projections in `boxes` that can have made a connection, by number; several where they cannot be told apart.
  void find(const ProjectionBoxes& boxes, Gid source, Gid target, std::vector<const ProjectionEntry*>& found) const;
  /// Whether one of the nodes is a source or a target of a projection.
  bool joins(const connect::NodeSet& nodes) const;
  /// Whether one of the nodes is a target of synapses that have a parameter.
  bool reaches(const connect::NodeSet& nodes, const std::string& parameter) const;
  std::size_t size() const { return entries_.size(); }
  /// Forgets the last ones but `size`. Allocates nothing.
  void restore(std::size_t size) noexcept;
  /// Checkpoints. Without a record of projections: connections of layer 0 are of unknown ones.
  void visit(checkpoint::Archive& a);

 private:
  struct Layers {
    std::vector<ProjectionBoxes> boxes;  ///< [layers]
    bool crowded = false;                ///< projections of the first layer overlap
  };
  int first_layer() const { return has_unknown_ ? 1 : 0; }
  bool is_taken(const Layers& layers, const ProjectionEntry& entry) const;
  void place_last(Layers& layers);
  void load(ProjectionEntry entry);

  std::vector<ProjectionEntry> entries_;  ///< by number
  std::map<ProjectionKind, Layers> kinds_;
  bool has_unknown_ = false;  ///< from a checkpoint that does not tell projections apart
};

}  // namespace npl::sim
