// SPDX-License-Identifier: Apache-2.0
/// What a compiled model file gives the kernel that loads it: a C function, `neuropil_model`, that returns plain values and functions.
/// Compiled before a model file, this header makes the file's last line that function (docs/howto/own_models.md).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/simd.hpp"
#include "nodes/facts.hpp"
#include "nodes/held.hpp"
#include "nodes/ports_in_use.hpp"

namespace npl::nodes {

/// Raised when LoadedModel, or what a model's functions are called with, changes its meaning.
inline constexpr std::uint32_t model_abi = 1;

/// Sizes of what both sides look into. A model file may be compiled by another compiler, with another standard library, than the kernel.
struct ModelLayout {
  std::uint32_t facts = sizeof(ModelFacts), view = sizeof(GroupView), spikes = sizeof(SourcedSpikes), nodes = sizeof(Members),
                held = sizeof(HeldNeurons), ports = sizeof(PortsInUse), history = sizeof(HistoryInfo), continuous = sizeof(ContinuousInfo);
  std::uint32_t plain_vectors = 0;  ///< 1: a std::vector is its begin, its end and the end of its memory

  bool operator==(const ModelLayout&) const = default;
};

inline ModelLayout model_layout() {
  ModelLayout layout;
  std::vector<std::uint64_t> list;
  list.reserve(4);
  list.push_back(1);
  const std::uint64_t* words[3] = {};
  static_assert(sizeof list == sizeof words);
  __builtin_memcpy(&words, &list, sizeof words);
  layout.plain_vectors = words[0] == list.data() && words[1] == list.data() + 1 && words[2] == list.data() + list.capacity();
  return layout;
}

struct LoadedModel {
  std::uint32_t abi = model_abi;
  Isa level = isa();  ///< of its loops
  ModelLayout layout = model_layout();
  ModelFacts facts;
};

}  // namespace npl::nodes

#ifdef NPL_LOADED_MODEL
/// Instead of the kernel's: a model that is compiled by itself is not in a list.
#define NPL_MODEL(id, Type, ...)                                                              \
  extern "C" [[gnu::visibility("default")]] const npl::nodes::LoadedModel* neuropil_model() { \
    using namespace npl::nodes;                                                               \
    static const LoadedModel model{model_abi, npl::isa(), model_layout(), __VA_ARGS__};       \
    return &model;                                                                            \
  }
#include "nodes/eprop_step.hpp"
#include "nodes/gap_step.hpp"
#include "nodes/port_model.hpp"
#include "nodes/precise_step.hpp"
#include "nodes/rate_step.hpp"
#include "nodes/rkf45.hpp"
#endif
