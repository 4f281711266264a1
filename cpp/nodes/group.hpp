// SPDX-License-Identifier: Apache-2.0
/// Neurons of one model in one slice as a structure of arrays: those of a population, or of several small ones. Created and first touched
/// by the thread that updates it.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "nodes/held.hpp"
#include "nodes/model.hpp"
#include "nodes/ports_in_use.hpp"

namespace npl::nodes {

/// A parameter or derived value of a group: one value when equal for all neurons, a column otherwise.
class Column {
 public:
  explicit Column(double value = 0.0) : value_(value) {}
  bool is_uniform() const { return values_.empty(); }
  double operator[](std::size_t i) const { return is_uniform() ? value_ : values_[i]; }
  bool all_are(double value) const {
    return is_uniform() ? value == value_ : std::all_of(values_.begin(), values_.end(), [&](double x) { return x == value; });
  }
  void set_all(double value) { value_ = value, values_ = {}; }
  void set(std::size_t i, double value, std::size_t n);
  /// Allocates what set() will need for this value, and changes nothing.
  void make_room(double value, std::size_t n);
  std::size_t bytes() const { return values_.bytes(); }

 private:
  double value_;
  Buffer<double> values_;
};

/// A state variable of one neuron that is not finite, or outside the sane range of its model.
struct Divergence {
  std::size_t index;  ///< of the neuron in its group
  const char* state;  ///< name of the variable, as in ModelInfo::state
  double value;       ///< in the variable's unit
};

class Group {
 public:
  /// Neuron i has gid nodes[i] and is node first_local + i of its slice.
  Group(const ModelInfo& model, Members nodes, Local first_local, double dt_ms);

  const ModelInfo& model() const { return *model_; }
  std::size_t size() const { return n_; }
  const Members& nodes() const { return nodes_; }
  Local first_local() const { return first_local_; }
  double parameter(std::size_t k, std::size_t i) const { return parameters_[k][i]; }
  void set_parameter(std::size_t k, std::size_t i, double value);
  /// Call before set_parameter() with this value, which then allocates nothing.
  void make_room(std::size_t k, double value) { parameters_[k].make_room(value, n_); }
  /// Call before settle() and freeze(), which then allocate nothing. @param frozen number of neurons that will be frozen in addition
  void make_room(std::size_t frozen = 0) {
    settling_.resize(parameters_.size() + state_.size());
    frozen_.reserve(frozen_.size() + frozen);
  }
  void set_parameter_all(std::size_t k, double value) { set_parameters(k, 0, n_, value); }
  /// Sets neurons begin .. begin + n - 1; no column remains when all neurons of the group have this value then.
  void set_parameters(std::size_t k, std::size_t begin, std::size_t n, double value);
  /// Whether no parameter differs between neurons.
  bool all_alike() const {
    return std::all_of(parameters_.begin(), parameters_.end(), [](const Column& c) { return c.is_uniform(); });
  }
  /// To be called after parameters or state of neurons begin .. begin + n - 1 were set: what follows from them is set, too.
  void settle(std::size_t begin, std::size_t n);
  /// To read and to change, before the next update.
  std::span<double> state(std::size_t k) {
    held_.forget();
    ports_.forget();
    return {state_[k].data(), n_};
  }
  std::span<const double> state(std::size_t k) const { return state_[k]; }
  /// Whether this variable is a state variable of this group.
  bool has(const double* variable) const {
    return std::any_of(state_.begin(), state_.end(), [&](const auto& c) { return variable >= c.data() && variable < c.data() + n_; });
  }
  const std::vector<std::size_t>& frozen() const { return frozen_; }
  /// Frozen neurons keep their state and send no spikes; their input is lost.
  void freeze(std::size_t i, bool frozen);
  /// Copies the neurons of another group of the same model to this one, where they are neurons `begin` and following.
  void take(const Group& from, std::size_t begin);
  /// Makes neuron i equal to neuron j of another group of the same model. After the last one: join_columns().
  void copy(std::size_t i, const Group& from, std::size_t j);
  /// Parameters that are equal for all neurons no longer have a column.
  void join_columns();
  /// Takes the values of the same neurons of another shape of their model.
  void inherit(const Group& from);
  void move_to(Local first_local) { first_local_ = first_local; }
  /// Recomputes propagators if parameters changed; must be called before update.
  void prepare();
  void update(const GroupInput& in) { update(in, 0, n_); }
  /// Updates neurons begin .. begin + n - 1; all at once unless in_pieces().
  void update(const GroupInput& in, std::size_t begin, std::size_t n);
  /// (models with a history) Delays with which their values are seen, and what they record of the step done; arrays of size() values.
  void wait_steps(double* steps) const { model_->history->wait_steps(view_of_all(), steps); }
  void record(const double* const* waited, double* contributions, double* levels) const;
  void history_constants(double* constants) const { model_->history->constants(view_of_all(), constants); }
  /// Values derived from the parameters of a neuron. @param out [ModelInfo::n_derived], used where they differ between neurons
  const double* derived_of(std::size_t i, double* out) const;
  bool uniform() const { return uniform_; }
  bool in_pieces() const { return model_->in_pieces && frozen_.empty() && fast_.empty(); }
  /// First neuron of the group, in order of index, with a state variable that is not finite or outside ModelInfo::sane, and the first such
  /// variable of it; nothing when all are sane. Reads every state column once (vectorised): called once per ms, not in each
  /// step. Changes nothing; local, not collective.
  std::optional<Divergence> diverged() const;
  /// Freezes all neurons whose state is out of range; returns the indices of those that were not frozen before.
  std::vector<std::size_t> freeze_diverged();
  std::size_t bytes() const;
  /// Memory [bytes] per neuron of a group in which `columns` parameters differ between neurons.
  static std::size_t bytes_per_neuron(const ModelInfo& model, std::size_t columns) {
    return sizeof(double) * (model.state.size() + columns + (columns ? model.n_derived : 0));
  }

 private:
  std::vector<double> parameters_of(std::size_t i) const;
  bool is_sane(std::size_t i) const;
  /// State and derived values, to read.
  GroupView view_of_all() const;
  /// Fills derived_, or derived_columns_ of the neurons that have changed where parameters differ.
  void derive();
  void derive_columns();
  /// Copies derived_ into the columns of a block.
  void repeat();
  void note_change(std::size_t begin, std::size_t n);
  /// Finds the neurons whose state must be flushed in every step, from their own derived values: it does not matter who shares the group.
  void list_fast();
  /// One step of all neurons, frozen or not.
  void advance(const GroupView& view);
  void update_others(const GroupView& view);
  void update_one_by_one(GroupInput in, std::size_t begin, std::size_t n);

  const ModelInfo* model_;
  Members nodes_;
  Local first_local_;
  std::size_t n_;
  double dt_;
  std::size_t changed_begin_ = 0, changed_end_;  ///< neurons of which parameters have changed since prepare()
  std::vector<Column> parameters_;
  std::vector<Buffer<double>> state_;
  std::vector<double> derived_;                  ///< when all parameters are uniform
  std::vector<Buffer<double>> derived_columns_;  ///< otherwise; or, uniform, a block of them where the model repeats them
  bool uniform_ = true;
  std::vector<double*> state_pointers_;
  std::vector<const double*> derived_pointers_;
  HeldNeurons held_;
  PortsInUse ports_;
  std::vector<std::size_t> frozen_;  ///< ascending
  std::vector<double> settling_;     ///< parameters and state of one neuron
  std::vector<std::size_t> fast_;    ///< ascending; empty but for time constants below dt / 22
};

}  // namespace npl::nodes
