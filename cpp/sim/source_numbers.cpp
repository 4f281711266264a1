// SPDX-License-Identifier: Apache-2.0
#include "sim/source_numbers.hpp"

#include <string>

namespace npl::sim {

SourceNumbers::SourceNumbers(const LocalSources& here, comm::Communicator& comm, const EmulatedRanks& emulated)
    : here_(here), comm_(comm), emulated_(emulated) {
  if (here.owners.stride == 1) return;
  for (std::size_t s = 0; s < here.slices.size(); ++s)
    for (Local l = 0; l < here.slices[s]->nodes().size(); ++l) {
      const std::uint64_t name = here.owners.name(here.slices[s]->nodes().gid(l));
      if (name >= by_name_.size()) by_name_.resize(name + 1, unknown);
      by_name_[name] = static_cast<std::uint32_t>(here.first[s] + l);
    }
}

void SourceNumbers::find(std::span<const std::uint64_t> names, std::uint32_t* numbers) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    numbers[i] = comm_.mirrored() ? stand_in(names[i]) : number(names[i]);
    if (numbers[i] == unknown)
      comm_.abort(1, "spikes of node " + std::to_string(names[i]) + " are wanted from a rank that does not own it");
  }
}

std::uint32_t SourceNumbers::number(std::uint64_t name) const {
  if (here_.owners.stride == 1) return search(static_cast<Gid>(name));
  return name < by_name_.size() ? by_name_[name] : unknown;
}

/// If names are indices: the node with the same index, which mostly belongs to the same population.
std::uint32_t SourceNumbers::stand_in(std::uint64_t name) const {
  if (here_.owners.stride == 1) return static_cast<std::uint32_t>(emulated_.source(static_cast<Gid>(name)));
  return by_name_.empty() ? 0 : by_name_[name < by_name_.size() ? name : name % by_name_.size()];
}

std::uint32_t SourceNumbers::search(Gid gid) const {
  for (std::size_t s = 0; s < here_.slices.size(); ++s)
    if (const Local l = here_.slices[s]->nodes().local(gid); l != Residents::none) return static_cast<std::uint32_t>(here_.first[s] + l);
  return unknown;
}

}  // namespace npl::sim
