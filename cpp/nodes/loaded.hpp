// SPDX-License-Identifier: Apache-2.0
/// What a compiled model file gives the kernel that loads it: a C function, `neuropil_model`, that returns plain values and functions.
/// Compiled before a model file, this header makes the file's last line that function (docs/howto/own_models.md).
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/shared_object.hpp"
#include "nodes/facts.hpp"
#include "nodes/held.hpp"
#include "nodes/ports_in_use.hpp"

namespace npl::nodes {

/// Sizes of what both sides look into.
struct ModelLayout {
  std::uint32_t facts = sizeof(ModelFacts), view = sizeof(GroupView), spikes = sizeof(SourcedSpikes), nodes = sizeof(Members),
                held = sizeof(HeldNeurons), ports = sizeof(PortsInUse), history = sizeof(HistoryInfo), continuous = sizeof(ContinuousInfo);

  bool operator==(const ModelLayout&) const = default;
};

struct LoadedModel {
  Compiled compiled = npl::compiled();
  ModelLayout layout = {};
  ModelFacts facts;
};

}  // namespace npl::nodes

#ifdef NPL_LOADED_MODEL
/// Instead of the kernel's: a model that is compiled by itself is not in a list.
#define NPL_MODEL(id, Type, ...)                                                              \
  extern "C" [[gnu::visibility("default")]] const npl::nodes::LoadedModel* neuropil_model() { \
    using namespace npl::nodes;                                                               \
    static const LoadedModel model{npl::compiled(), {}, __VA_ARGS__};                         \
    return &model;                                                                            \
  }
#include "nodes/eprop_step.hpp"
#include "nodes/gap_step.hpp"
#include "nodes/port_model.hpp"
#include "nodes/precise_step.hpp"
#include "nodes/rate_step.hpp"
#include "nodes/rkf45.hpp"
#endif
