// SPDX-License-Identifier: Apache-2.0
#include "synapses/registry.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

#include "base/error.hpp"

namespace npl::synapses {
namespace {

/// What was added while the program runs. All of it stays: tables of synapses point to their model.
struct Added {
  std::mutex guard;
  std::deque<SynapseInfo> loaded;
  std::vector<const SynapseInfo*> newest;  ///< of each name, in the order in which the names came
};

Added& added() {
  static Added all;
  return all;
}

template <class Models>
auto with_name(Models& models, std::string_view name) {
  return std::find_if(models.begin(), models.end(), [&](const SynapseInfo* m) { return m->name == name; });
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
  const std::lock_guard lock(added().guard);
  all.insert(all.end(), added().newest.begin(), added().newest.end());
  return all;
}

const SynapseInfo& find_synapse(const std::string& name) {
  const auto& own = built_in_synapses();
  if (const auto at = with_name(own, name); at != own.end()) return **at;
  std::vector<std::string> known;
  for (const SynapseInfo* m : synapses()) {
    if (m->name == name) return *m;
    known.push_back(m->name);
  }
  throw UnknownName("synapse model", name, known);
}

const SynapseInfo& add_synapse(SynapseInfo synapse) {
  if (with_name(built_in_synapses(), synapse.name) != built_in_synapses().end())
    throw BadParameter("name", synapse.name, "another name: a synapse model that is built in has this one");
  const std::lock_guard lock(added().guard);
  auto& [guard, loaded, newest] = added();
  const auto same = [&](const SynapseInfo& m) { return m.name == synapse.name && m.digest == synapse.digest; };
  const auto found = std::find_if(loaded.begin(), loaded.end(), same);
  const SynapseInfo& kept = found != loaded.end() ? *found : loaded.emplace_back(std::move(synapse));
  const auto at = with_name(newest, kept.name);
  if (at == newest.end())
    newest.push_back(&kept);
  else
    *at = &kept;
  return kept;
}

std::string_view digest_of(std::string_view name) {
  const std::lock_guard lock(added().guard);
  const auto at = with_name(added().newest, name);
  return at == added().newest.end() ? std::string_view() : std::string_view((*at)->digest);
}

}  // namespace npl::synapses
