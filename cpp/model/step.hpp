// SPDX-License-Identifier: Apache-2.0
/// What the equations of a neuron model see. A model file includes this and the likes of it before it defines the model: nothing that
/// allocates or throws, so a compiler for a device takes the equations as they are (tests/cuda). What the kernel knows of a model is in
/// nodes/model.hpp.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "base/field.hpp"
#include "base/ids.hpp"
#include "base/math.hpp"
#include "base/simd.hpp"
#include "model/fields.hpp"

namespace npl::model {

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

/// What a neuron records of a step for its synapses.
struct Recorded {
  double contribution;  ///< added up by synapses between spikes
  double level;         ///< read by synapses at a spike
};
/// A list of at most N.
template <class T, std::size_t N>
class Few {
 public:
  constexpr Few() = default;
  constexpr Few(std::initializer_list<T> list) {
    if (list.size() > N) __builtin_trap();
    for (const T& item : list) items_[size_++] = item;
  }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T& operator[](std::size_t k) const { return items_[k]; }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return begin() + size_; }

 private:
  std::array<T, N> items_{};
  std::size_t size_ = 0;
};

/// A value that a model sends in every step along continuous connections. Both columns are read after the update.
struct Sent {
  const char* what;        ///< connection models name it
  std::size_t of_step;     ///< state variable that is the value of the step done: it arrives in step + delay
  std::size_t after_step;  ///< the value at the end of the step done, which connections without delay bring to the next step
  /// (interpolated) Slopes of after_step at the beginning and at the end of the step, times its length; empty: of_step is constant in it
  Few<std::size_t, 2> slopes = {};
};
/// A gain that a target applies to each value before it is weighted.
struct TakenGain {
  bool (*applies)(const double* derived);  ///< false: the values are taken as they are
  void (*apply)(const double* derived, const double* values, double* out, std::size_t n);
};
/// Values that a model takes from continuous connections: sums of weight times value.
struct Taken {
  const char* what;
  int receptors = 1;
  bool by_sign = false;  ///< positive and negative weights are summed apart: two slots per receptor
  const TakenGain* gain = nullptr;
  /// Sum of the weights; c0, c1, c2, c3 of the sum of weight times value: c0 + c1 x + c2 x^2 + c3 x^3, x from 0 to 1 in the step.
  bool interpolated = false;

  int slots() const { return interpolated ? 5 : by_sign ? 2 * receptors : receptors; }
};
/// What a model sends and takes along continuous connections. The slots of `takes` follow each other in GroupView::taken.
struct ContinuousInfo {
  Few<Sent, 2> sends;
  Few<Taken, 2> takes;
  bool spikes = false;  ///< the model also takes and sends spikes

  std::size_t slots() const {
    std::size_t n = 0;
    for (const Taken& t : takes) n += static_cast<std::size_t>(t.slots());
    return n;
  }
};

}  // namespace npl::model
