// SPDX-License-Identifier: Apache-2.0
/// A component is a mechanism of a slice beside its nodes, synapses and input: the data it keeps and its work in a run. Each is one file in
/// components/ and one name in components.hpp. Virtual calls are made per slice and stretch of steps, never per neuron or event. No call is
/// made of a component that has nothing to do in a slice.
#pragma once
#include "base/sourced_spikes.hpp"
#include "continuous/slice_part.hpp"
#include "pathways/source_rows.hpp"
#include "sim/slice_input.hpp"

namespace npl::sim {

using Pathways = pathways::Pathways;

struct SliceBytes {
  std::size_t neurons = 0, synapses = 0, index = 0, traces = 0, in_flight = 0, devices = 0, recordings = 0, input = 0;
  double total() const { return static_cast<double>(neurons + synapses + index + traces + in_flight + devices + recordings + input); }
};

/// Neurons begin .. begin + n - 1 of a group.
inline devices::Stretch stretch_of(const nodes::Group& g, std::size_t begin, std::size_t n) {
  const Local from = g.first_local() + static_cast<Local>(begin);
  return {from, from + static_cast<Local>(n)};
}

/// The slice of a component.
struct Host {
  const Residents& nodes;
  Groups& groups;
  const Pathways& pathways;
  SliceInput& input;
  double dt;                                  ///< [ms]
  Step looked_back = 0;                       ///< steps that a synapse with the largest delay looks back
  continuous::SlicePart* channels = nullptr;  ///< values along continuous connections; null: the network has none
};

/// Points of a run at which components work, in this order.
enum Phase : unsigned {
  before_step,    ///< before the spikes of a step are delivered
  after_stretch,  ///< after the update of a stretch of steps
  sampling,       ///< the same; its time counts as recording
  end_of_part,    ///< after the last step of a part of a run
  arrival,        ///< when spikes of any slice arrive
  n_phases
};
constexpr unsigned bit(Phase phase) { return 1u << phase; }

/// Steps [from, until) of a part of a run.
struct PartSteps {
  Step from, until;
  Step settled;  ///< all spikes emitted before this step have been scheduled
};

class Component {
 public:
  explicit Component(Host& host) : host_(host) {}
  Component(const Component&) = delete;

  // --- in a run: called in the phases of the component, if it is_present()
  /// @param row where the input of the step begins @return the number of synaptic events that it has added to this input
  virtual std::uint64_t before(Step step, std::size_t row) { return static_cast<void>(step), static_cast<void>(row), 0; }
  /// @param stamp end of the stretch @param out spikes of the part so far, those of the stretch from index `first` on
  virtual void after(Step stamp, const SourcedSpikes& out, std::size_t first) {
    static_cast<void>(stamp), static_cast<void>(out), static_cast<void>(first);
  }
  virtual void sample(Step stamp) { static_cast<void>(stamp); }
  /// @param out all spikes of the part; a component that emits appends its own
  virtual void end(const PartSteps& part, SourcedSpikes& out) { static_cast<void>(part), static_cast<void>(out); }
  virtual void arrive(const Emitted& spikes) { static_cast<void>(spikes); }

  // --- between runs: not virtual, a component hides those it needs
  /// Before a run and after each change of the slice.
  void prepare() {}
  /// (a new slice) Takes what must be the same in all slices.
  void resemble(const Component&) {}
  /// Gives a pathway what its rule reads.
  void lend(const tables::TableSpec&, pathways::Surroundings&) {}
  void add_bytes(SliceBytes&) const {}
  /// What an edit or a build that fails puts back.
  struct Kept {};
  Kept keep() const { return {}; }
  void restore(Kept&) noexcept {}

 protected:
  ~Component() = default;
  Host& host_;
};

}  // namespace npl::sim
