// SPDX-License-Identifier: Apache-2.0
#include "pathways/pathway.hpp"

#include "pathways/entries.hpp"

namespace npl::pathways {

std::unique_ptr<Pathway> make_pathway(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  const tables::TableSpec& spec = *table->spec;
  if (spec.continuous()) return make_continuous(std::move(table), slice);
  if (spec.updates_synapses()) return make_rule_pathway(std::move(table), slice);
  if (spec.plasticity) return make_plastic(std::move(table), slice);
  if (spec.keeps_offsets()) return make_off_grid(std::move(table), slice);
  return make_static(std::move(table), slice);
}

std::size_t entry_bytes(const tables::TableSpec& spec) {
  using synapses::Takes;
  if (spec.plasticity) {
    const Takes takes = spec.plasticity->takes();
    return takes == Takes::rows    ? sizeof(PlasticEntry)
           : takes == Takes::steps ? sizeof(RuleEntry<Step>)
                                   : sizeof(RuleEntry<synapses::Moment>);
  }
  return spec.keeps_offsets() ? sizeof(OffGridEntry) : sizeof(StaticEntry);
}

}  // namespace npl::pathways
