// SPDX-License-Identifier: Apache-2.0
/// What a synapse model is. One file per model in synapses/models/, named like the model. Parameters are common to all synapses of a
/// projection; per synapse there is its weight, per source row the presynaptic trace, per neuron the postsynaptic one (law 2).
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/field.hpp"
#include "base/fixed.hpp"
#include "base/ids.hpp"
#include "synapses/post_trace.hpp"

namespace npl::synapses {

/// What the synapses of one row need to know of their source at a spike: one per source, not one per synapse.
struct PreTrace {
  Step last = 0;        ///< stamp of the spike before (0: none yet, as in NEST)
  double trace = 0.0;   ///< K+ just after it; of short-term plasticity, the share of the weight that this spike releases
};

/// A run of a plastic row that is due: synapses with one delay, to be processed for one spike of their source.
struct PlasticRun {
  std::uint32_t n;
  const std::uint16_t* target;  ///< [n] nodes of the slice
  void* weight;                 ///< [n] float or double
  Step stamp;                   ///< of the presynaptic spike
  PreTrace before;              ///< presynaptic state before this spike
  Delay delay;                  ///< dendritic delay [steps]
  const PostTrace* post;
  Fixed* sums;                  ///< of the receptor, indexed by target
  double to_fixed;
  double* largest;              ///< raised to the largest |weight| met, so that the scale can follow
  bool counts = false;          ///< the targets count spikes: each synapse adds 1, whatever its weight
};

/// Least and largest weight of a plastic synapse.
struct WeightBounds {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

  /// From 0 to a bound of either sign.
  static WeightBounds up_to(double bound) { return bound < 0.0 ? WeightBounds{bound, 0.0} : WeightBounds{0.0, bound}; }
};

class SinglePlasticity;

/// Parameters of one projection, prepared: tables of decays and the like.
class Plasticity {
 public:
  virtual ~Plasticity() = default;
  /// Values kept per row, at least 1; all 0 before the first spike of its source.
  virtual int row_values() const { return 1; }
  /// The source of a row spiked: returns what its synapses need, and moves the row on. In order of stamps, when the spike is emitted.
  virtual PreTrace spike(Step stamp, std::int32_t& last, double* values) const = 0;
  /// ms; 0: the rule asks for no postsynaptic spikes, PlasticRun::post is null.
  virtual double tau_minus() const = 0;
  /// Largest |weight| that the rule can reach, or 0 when it knows none.
  virtual double largest_weight() const = 0;
  /// Weights that the rule can work with: from 0 to Wmax, say. Others would jump at the first spike. Unbounded where it knows no bounds.
  virtual WeightBounds weight_bounds() const { return {}; }
  /// Updates the weights of a run and adds them to the sums. Called once per run, loops inside.
  virtual void process(const PlasticRun& run, bool double_weights) const = 0;
  /// Share of its weight that a synapse sends; the weight as `process` left it.
  virtual double share_sent(const PreTrace&) const { return 1.0; }
  /// What users call part of the state of a synapse: its value after the spikes so far; nothing where the rule knows no such name.
  /// @param row values of the source, @param own of the synapse, null: none
  virtual std::optional<double> state(std::string_view name, const double* row, const double* own) const {
    static_cast<void>(name), static_cast<void>(row), static_cast<void>(own);
    return std::nullopt;
  }
  /// The rule itself when its synapses have state or random numbers of their own, see single.hpp; null: they have not.
  virtual const SinglePlasticity* single() const { return nullptr; }
};

struct SynapseInfo {
  std::string name, doc;
  std::vector<Field> parameters;
  bool plastic;
  /// Checks relations (throws BadParameter) and prepares; null result when not plastic.
  std::unique_ptr<Plasticity> (*prepare)(const double* parameters, double dt_ms);
  /// [ms], below dt_ms: subtracted from the delay in whole steps. Null: 0.
  double (*sub_step_delay)(const double* parameters) = nullptr;
};

const std::vector<const SynapseInfo*>& synapses();
/// Throws UnknownName with the nearest names.
const SynapseInfo& find_synapse(const std::string& name);

}  // namespace npl::synapses

/// Registers a synapse model; `id` must be the file's name without .cpp.
#define NPL_SYNAPSE(id, ...)                        \
  namespace npl::synapses {                         \
  const SynapseInfo& synapse_##id() {               \
    static const SynapseInfo info = __VA_ARGS__;    \
    return info;                                    \
  }                                                 \
  }
