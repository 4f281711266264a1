// SPDX-License-Identifier: Apache-2.0
/// Continuous connections that end in one slice, and the values that it sends. Used by the thread of the slice.
#pragma once
#include <vector>

#include "continuous/plan.hpp"

namespace npl::continuous {

/// Values of one kind: what was sent, and, where parts are repeated, their course in the part.
struct Flow {
  Course course;
  /// Of the last iteration, and of this one: a row per step; [sources] values, then slopes at the beginning and at the end of the step.
  Course guess = {}, next = {};
  bool delayed = true, waves = false;
  Step since = 0;  ///< nothing was sent before
  int order = 3;
  std::size_t devices = 0;  ///< first column of devices
};

class SlicePart {
 public:
  /// Sums of what arrives at a group in a step; null: it takes nothing. The columns are overwritten by the next call.
  const double* const* take(std::size_t group, const nodes::Group& g, Step step) {
    return group < intakes_.size() && intakes_[group].slots > 0 ? sum(intakes_[group], g, step) : nullptr;
  }
  /// Notes what a group sends of the step done.
  void send(std::size_t group, const nodes::Group& g, Step step) {
    if (group >= senders_.size()) return;
    for (const Sender& s : senders_[group]) {
      const auto values = g.state(s.state);
      std::copy(values.begin(), values.end(), s.flow->course.row(step) + s.column);
    }
  }
  /// (parts are repeated) True when a group sends values of which an iteration makes a new course, or takes them.
  bool iterates(std::size_t group) const { return group < iterates_.size() && iterates_[group] != 0; }
  /// The same as send(), of an iteration.
  void note(std::size_t group, const nodes::Group& g, Step step);
  void begin(Step from) { from_ = from, settled_ = true; }
  bool settled() const { return settled_; }  ///< no value has changed by more than the tolerance in this iteration
  std::size_t bytes() const;

 private:
  friend class Channels;
  struct Sender {
    Flow* flow;
    std::size_t state, column;        ///< index of the state variable; first column of the course
    std::vector<std::size_t> course;  ///< state variables: the value, and its slopes
  };
  struct Inflow {
    const Flow* flow;
    Plan plan;
    const nodes::TakenGain* gain;
    std::vector<std::size_t> slots;  ///< [slots of the plan] slot of the model
    std::vector<double> weights;     ///< (interpolated) [neurons] sums of weights
  };
  /// What the connections of a group bring.
  struct Intake {
    std::size_t slots = 0;
    std::vector<Inflow> inflows = {};
  };
  const double* const* sum(Intake& intake, const nodes::Group& g, Step step);
  void interpolate(const Inflow& f, std::size_t n, Step step);

  std::vector<Intake> intakes_;               ///< [groups]
  std::vector<std::vector<Sender>> senders_;  ///< [groups]
  std::vector<char> iterates_;                ///< [groups]
  std::vector<double> sums_;                  ///< [slots][neurons]
  std::vector<double*> columns_, outs_;
  double tolerance_ = 0.0;
  Step from_ = 0;  ///< first step of the part
  bool settled_ = true;
};

}  // namespace npl::continuous
