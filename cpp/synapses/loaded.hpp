// SPDX-License-Identifier: Apache-2.0
/// What a compiled synapse file gives the kernel that loads it: a C function, `neuropil_synapse`, that returns plain values and functions.
/// Compiled before a model file, this header makes the file's last line that function (docs/howto/own_models.md).
#pragma once
#include <cstdlib>
#include <span>

#include "base/shared_object.hpp"
#include "synapses/model.hpp"
#include "synapses/row_rule.hpp"
#include "synapses/rule.hpp"

namespace npl::synapses {

/// SynapseInfo without a type of the standard library that owns memory.
struct SynapseFacts {
  const char *name, *doc;
  std::span<const Field> parameters, state;
  std::span<const char* const> common;
  bool plastic;
  Forbidden (*forbids)(const double* parameters);
  decltype(SynapseInfo::prepare) prepare;
  decltype(SynapseInfo::sub_step_delay) sub_step_delay;
  decltype(SynapseInfo::prepare_varied) prepare_varied;
  decltype(SynapseInfo::prepare_exact) prepare_exact;
  const char* history;
};

/// Sizes of what both sides look into.
struct SynapseLayout {
  std::uint32_t facts = sizeof(SynapseFacts), rule = sizeof(Plasticity), before = sizeof(PreValues), part = sizeof(PartAt<Step>),
                run = sizeof(RunAt<Step>), exact_part = sizeof(PartAt<Moment>), exact_run = sizeof(RunAt<Moment>),
                fired = sizeof(FiredAt<Moment>), line = sizeof(PostLine), history = sizeof(PostHistory),
                exact_history = sizeof(ExactHistory), nodes = sizeof(Residents), block = sizeof(Residents::Block),
                row_run = sizeof(PlasticRun), row_fired = sizeof(RowFired), stamps = sizeof(PostStamps);

  bool operator==(const SynapseLayout&) const = default;
};

struct LoadedSynapse {
  Compiled compiled = npl::compiled();
  SynapseLayout layout = {};
  std::uint32_t histories = sizeof(TargetHistories);  ///< which rules that read histories look into: a std::deque differs between libraries
  SynapseFacts facts;
};

}  // namespace npl::synapses

#ifdef NPL_LOADED_MODEL
namespace npl::synapses {

/// What relations `check` throws for: an exception cannot leave a shared object that another compiler has made.
inline Forbidden forbidden_by(void (*check)(const double*), const double* parameters) noexcept {
  static thread_local std::string name, allowed;
  try {
    check(parameters);
    return {};
  } catch (const BadParameter& error) {
    name = error.parameter, allowed = error.allowed;
    return {name.c_str(), std::strtod(error.value.c_str(), nullptr), allowed.c_str()};
  }
}

/// @tparam Info function that returns the model, which stays
template <const SynapseInfo& (*Info)()>
const LoadedSynapse* loaded_synapse() {
  static std::vector<const char*> common;
  static const LoadedSynapse made = [] {
    const SynapseInfo& info = Info();
    for (const std::string& name : info.common) common.push_back(name.c_str());
    const auto forbids = [](const double* parameters) { return Info().check ? forbidden_by(Info().check, parameters) : Forbidden{}; };
    return LoadedSynapse{npl::compiled(),
                         {},
                         sizeof(TargetHistories),
                         {info.name.c_str(), info.doc.c_str(), info.parameters, info.state, common, info.plastic, forbids, info.prepare,
                          info.sub_step_delay, info.prepare_varied, info.prepare_exact, info.history}};
  }();
  return &made;
}

}  // namespace npl::synapses

/// Instead of the kernel's: a model that is compiled by itself is not in a list.
#define NPL_SYNAPSE(id, ...)                                                                         \
  namespace npl::synapses {                                                                          \
  const SynapseInfo& synapse_##id() {                                                                \
    static const SynapseInfo info = __VA_ARGS__;                                                     \
    return info;                                                                                     \
  }                                                                                                  \
  }                                                                                                  \
  extern "C" [[gnu::visibility("default")]] const npl::synapses::LoadedSynapse* neuropil_synapse() { \
    return npl::synapses::loaded_synapse<npl::synapses::synapse_##id>();                             \
  }
#include "synapses/varied_pairs.hpp"
#endif
