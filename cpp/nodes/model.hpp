// SPDX-License-Identifier: Apache-2.0
/// What a neuron model is. A model is one file in nodes/models/, named like the model; everything else (storage, Python class,
/// docs, checkpoint, standard tests) follows from the struct it defines. See docs/howto/add_neuron.md.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/field.hpp"
#include "base/fixed.hpp"
#include "base/members.hpp"
#include "base/precise_event.hpp"
#include "base/simd.hpp"

namespace npl::nodes {

/// Default of lower bounds without effect, such as V_min.
inline constexpr double lowest = std::numeric_limits<double>::lowest();

/// How spikes reach the receptors.
enum class SpikeInput {
  by_sign,  ///< two receptors: weight >= 0 excites (0), weight < 0 inhibits (1); both sums keep their sign
  single,   ///< one receptor, any sign
  count,    ///< one receptor that counts spikes and ignores weights
  ports     ///< the user chooses the receptor, from 1
};

/// What arrives at one neuron in one step.
template <int Receptors>
struct Input {
  double spikes[Receptors];  ///< sums of the weights of the spikes that arrive at the end of this step, per receptor
  double current;            ///< current of devices, held during this step [pA]
  Gid gid;
  Step step;
  std::uint64_t seed;  ///< for models that draw: key with (seed, purpose, gid, step)
};

class HeldNeurons;
class PortsInUse;

/// One population's share in one slice, for one step or, of few neurons, for several: plain arrays, which a model's update function reads
/// and writes.
struct GroupView {
  std::size_t n;                         ///< neurons to be updated
  double* const* state;                  ///< [n_state] columns of n values
  const double* derived;                 ///< [n_derived] values equal for the group, or null
  const double* const* derived_columns;  ///< [n_derived] columns of n values, when they differ
  Fixed* const* input;                   ///< [receptors] sums of n values; set to zero once read
  const double* input_scale;             ///< [receptors] FixedScale::to_double
  const double* current;                 ///< n values [pA], or null when no device sends current here
  const Members* nodes;                  ///< neuron i has gid (*nodes)[i]
  Step step;
  std::uint64_t seed;
  std::vector<Spike>* spikes;                 ///< spikes are appended, in order of i
  std::span<const PreciseEvent> events = {};  ///< precise models: of this step, canonical; target first_local + i is neuron i
  Local first_local = 0;
  std::vector<double>* offsets = nullptr;  ///< precise models append the offset [ms] of each spike; null: not wanted
  std::size_t begin = 0;                   ///< only neurons begin .. begin + n - 1 are updated; columns start at neuron 0
  HeldNeurons* held = nullptr;             ///< of the group, kept from step to step; null: found anew
  PortsInUse* ports = nullptr;             ///< the same
  std::size_t steps = 1;                   ///< (in_pieces; n <= chunk where there are several) from `step` on
  std::size_t stride = 0;                  ///< from the input of a step to that of the next one [values]
};

/// Sane values of a state variable, in its unit: low <= x <= high. Anything else, and NaN, means that the equations were not solved.
struct Range {
  double low = lowest, high = std::numeric_limits<double>::max();
};
/// A sane range that a model sets itself: `static constexpr std::array sane{SaneRange{"w", {-1e6, 1e6}}}` in the model's struct.
struct SaneRange {
  const char* name;  ///< of the state variable
  Range range;
};
/// Sane potentials [mV] of models that are solved numerically, where they set no other range. Models with exact integration cannot
/// explode: huge weights give huge values there, so any finite value is sane.
inline constexpr Range sane_potential{-1e6, 1e6};

/// Everything the kernel and the front end need to know of a model.
struct ModelInfo {
  std::string name, doc;
  int receptors;
  SpikeInput input;
  std::vector<std::string> receptor_names;
  std::vector<Field> parameters;
  std::vector<Field> state;  ///< all can be recorded; hidden ones (name begins with '_') only saved
  std::size_t n_derived;
  void (*derive)(const double* parameters, double dt_ms, double* derived);
  void (*check)(const double* parameters);  ///< throws BadParameter on a forbidden combination
  void (*update)(const GroupView&);
  std::vector<Range> sane;  ///< per state variable; see Group::diverged
  Step flush_interval = 1;  ///< `update` flushes small state in one step of so many: see small_states.hpp
  bool in_pieces = false;   ///< `update` takes a begin, and several steps
  bool precise = false;     ///< takes and emits spikes between grid points: events come as a list
  /// Or null: `update` where all neurons go from event to event. The same bits, slower: tests compare.
  void (*walk)(const GroupView&) = nullptr;
};

/// All registered models, sorted by name.
const std::vector<const ModelInfo*>& models();
/// Throws UnknownName with the nearest names.
const ModelInfo& find_model(const std::string& name);

}  // namespace npl::nodes
