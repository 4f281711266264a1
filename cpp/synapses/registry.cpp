// SPDX-License-Identifier: Apache-2.0
#include "synapses/registry.hpp"

#include "base/loaded_models.hpp"

namespace npl::synapses {
namespace {

LoadedModels<SynapseInfo>& loaded() {
  static LoadedModels<SynapseInfo> all;
  return all;
}

}  // namespace

void SynapseInfo::check_relations(const double* parameters) const {
  if (forbids)
    refuse(forbids(parameters));
  else
    check(parameters);
}

std::vector<const SynapseInfo*> synapses() {
  std::vector<const SynapseInfo*> all = built_in_synapses();
  loaded().append_to(all);
  return all;
}

const SynapseInfo& find_synapse(const std::string& name) {
  for (const SynapseInfo* m : built_in_synapses())
    if (m->name == name) return *m;
  std::vector<std::string> known;
  for (const SynapseInfo* m : synapses()) {
    if (m->name == name) return *m;
    known.push_back(m->name);
  }
  throw UnknownName("synapse model", name, known);
}

const SynapseInfo& add_synapse(SynapseInfo synapse) { return loaded().add(std::move(synapse), built_in_synapses()); }
std::string_view digest_of(std::string_view name) { return loaded().digest_of(name); }

}  // namespace npl::synapses
