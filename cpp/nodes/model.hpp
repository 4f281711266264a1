// SPDX-License-Identifier: Apache-2.0
/// What the kernel knows of a neuron model. A model is one file in nodes/models/, named like the model; everything else (storage, Python
/// class, docs, checkpoint, standard tests) follows from the struct it defines. See docs/howto/add_neuron.md.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/field_checks.hpp"
#include "base/fixed.hpp"
#include "base/members.hpp"
#include "base/sourced_spikes.hpp"
#include "model/step.hpp"
#include "nodes/shape.hpp"

namespace npl::nodes {

using namespace npl::model;  // the equations, which this module runs and registers

class HeldNeurons;
class PortsInUse;
class Sampler;

/// Neurons for which equal derived values are repeated in columns: few enough that they stay in cache.
inline constexpr std::size_t repeated_block = 64;

/// Input of a group for one step or several, and where its spikes go; arrays start at the group's first node.
struct GroupInput {
  Fixed* const* input;        ///< [receptors] sums of n values; set to zero once read
  const double* input_scale;  ///< [receptors] FixedScale::to_double
  const double* current;      ///< n values [pA], or null when no device sends current here
  Step step;
  std::uint64_t seed;
  SourcedSpikes* spikes;                      ///< spikes are appended, in order of the neurons
  std::span<const PreciseEvent> events = {};  ///< precise models: of this step, canonical; target first_local + i is neuron i
  std::vector<double>* offsets = nullptr;     ///< precise models append the offset [ms] of each spike; null: not wanted
  std::size_t steps = 1;                      ///< (in_pieces; n <= chunk where there are several) from `step` on
  std::size_t stride = 0;                     ///< from the input of a step to that of the next one [values]
  const double* const* taken = nullptr;       ///< [ContinuousInfo::slots()] columns of n values of this step; null: no such connections
  /// Models with several: [current_ports - 1] currents of the ports from 1 on, n values each or null; null: none of them.
  const double* const* port_currents = nullptr;
  Sampler* sampler = nullptr;  ///< (several steps) takes samples of the state after each step; null: none are wanted
};

/// One population's share in one slice, for one step or, of few neurons, for several: plain arrays, which a model's update function reads
/// and writes.
struct GroupView : GroupInput {
  std::size_t n;          ///< neurons to be updated
  double* const* state;   ///< [n_state] columns of n values
  const double* derived;  ///< [n_derived] values equal for the group, or null
  /// [n_derived] columns of n values, when they differ; of a model that `repeats`, else, of a block of equal values.
  const double* const* derived_columns;
  const Members* nodes;  ///< neuron i has gid (*nodes)[i]
  Local first_local = 0;
  std::size_t begin = 0;         ///< only neurons begin .. begin + n - 1 are updated; columns start at neuron 0
  HeldNeurons* held = nullptr;   ///< of the group, kept from step to step; null: found anew
  PortsInUse* ports = nullptr;   ///< the same
  const Shape* shape = nullptr;  ///< of the model, or null

  /// Appends a spike of neuron i. @param at step
  void emit(std::size_t i, Step at) const {
    spikes->add({(*nodes)[static_cast<std::int64_t>(i)], at}, first_local + static_cast<Local>(i));
  }
  void emit(std::size_t i) const { emit(i, step); }
};

/// How a model records what its synapses read of it beside spikes; see nodes/history.hpp.
struct HistoryInfo {
  const char* what;                                     ///< a synapse model asks for it by this name
  Few<std::size_t, 4> waits;                            ///< state variables that are seen with a delay
  void (*wait_steps)(const GroupView&, double* steps);  ///< [n] that delay
  /// @param waited [waits][n] @param contributions [n], levels [rows][n] out
  void (*record)(const GroupView&, const double* const* waited, double* contributions, double* levels);
  std::size_t rows = 1;                                              ///< levels per step
  bool contributes = true;                                           ///< contributions are not always 0
  Step reach = 0;                                                    ///< levels that are kept beyond what delays need [steps]
  std::size_t n_constants = 0;                                       ///< what follows from parameters alone, per neuron
  void (*constants)(const GroupView&, double* constants) = nullptr;  ///< [n][n_constants] out
  double digest = 0.0;  ///< values per step that synapses compute of the levels, and keep as long
  int early = -1;       ///< row of levels that is the first slot of GroupView::taken, known before spikes arrive; -1: none
};

/// Everything the kernel and the front end need to know of a model.
struct ModelInfo {
  std::string name, doc;
  int receptors;
  SpikeInput input;
  int current_ports = 1;          ///< places that currents of devices may go to, as receptors from 0; 0: it takes none
  bool currents_at_once = false;  ///< a current acts in the step at whose end it arrives, not from the next one on
  std::vector<std::string> receptor_names;
  std::vector<Field> parameters;
  std::vector<Field> state;  ///< all can be recorded; hidden ones (name begins with '_') only saved
  std::size_t n_derived;
  std::function<void(const double* parameters, double dt_ms, double* derived)> derive;
  std::function<void(const double* parameters)> check;  ///< throws BadParameter on a forbidden combination
  /// Or null: state that follows from parameters and other state, after one of them was set.
  void (*settle)(const double* parameters, double* state) = nullptr;
  void (*update)(const GroupView&);
  std::vector<Range> sane;               ///< per state variable; see Group::diverged
  Step flush_interval = 1;               ///< `update` flushes small state in one step of so many: see small_states.hpp
  bool in_pieces = false;                ///< `update` takes a begin, and several steps
  bool integrated = false;               ///< by steps of an ODE solver, which take longer
  bool repeats = false;                  ///< `update` reads columns of derived values, though they are equal for the group
  const HistoryInfo* history = nullptr;  ///< null: keeps none
  bool precise = false;                  ///< takes and emits spikes between grid points: events come as a list
  /// Or null: `update` where all neurons go from event to event. The same bits, slower: tests compare.
  void (*walk)(const GroupView&) = nullptr;
  const ContinuousInfo* continuous = nullptr;  ///< null: spikes are all it knows

  bool spikes() const { return !continuous || continuous->spikes; }
  std::shared_ptr<const Shape> shape = nullptr;  ///< null: all neurons of the model have the same
  /// Or none: the model with another shape, from its text. Throws BadParameter.
  std::function<ModelInfo(const std::string& text)> shaped = nullptr;
  std::string digest = {};  ///< of the source of a model that was loaded
  Face face = {};
};

/// All models that are known, sorted by name: of loaded ones (loading.hpp) the newest of each name.
std::vector<const ModelInfo*> models();
/// @param name of a model, or "name[shape]". Throws UnknownName with the nearest names, BadParameter for a shape that cannot be.
const ModelInfo& find_model(const std::string& name);

}  // namespace npl::nodes
