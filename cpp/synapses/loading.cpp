// SPDX-License-Identifier: Apache-2.0
#include "synapses/loading.hpp"

#include "base/error.hpp"
#include "synapses/loaded.hpp"
#include "synapses/registry.hpp"

namespace npl::synapses {
namespace {

SynapseInfo info_of(const SynapseFacts& f) {
  SynapseInfo info{f.name, f.doc, {f.parameters.begin(), f.parameters.end()}, f.plastic, f.prepare};
  info.common.assign(f.common.begin(), f.common.end());
  info.sub_step_delay = f.sub_step_delay, info.history = f.history;
  info.prepare_varied = f.prepare_varied, info.prepare_exact = f.prepare_exact;
  info.forbids = f.forbids;
  info.state.assign(f.state.begin(), f.state.end());
  return info;
}

}  // namespace

const SynapseInfo* load_synapse(const std::string& path, const std::string& digest) {
  const auto entry = reinterpret_cast<const LoadedSynapse* (*)()>(find_in_object(path, "neuropil_synapse"));
  if (!entry) return nullptr;
  const LoadedSynapse& model = *entry();
  if (const std::string fault = fault_of(model.compiled, model.layout == SynapseLayout{}); !fault.empty())
    throw BadParameter("path", path, fault);
  if (model.facts.history && model.histories != sizeof(TargetHistories))
    throw BadParameter("path", path, compiled_model_text("it reads the state of its targets, which needs the compiler of the kernel, g++"));
  SynapseInfo info = info_of(model.facts);
  info.digest = digest;
  return &add_synapse(std::move(info));
}

}  // namespace npl::synapses
