// SPDX-License-Identifier: Apache-2.0
#include "nodes/describe.hpp"

#include "base/error.hpp"

namespace npl::nodes {
namespace {

std::vector<Range> sane_ranges(const Facts& facts) {
  std::vector<Range> ranges(facts.state.size());
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    if (facts.integrated && facts.state[k].unit == std::string_view("mV")) ranges[k] = sane_potential;
    for (const SaneRange& own : facts.sane)
      if (facts.state[k].name == std::string_view(own.name)) ranges[k] = own.range;
  }
  return ranges;
}

}  // namespace

void refuse(const Forbidden& f) {
  if (f) throw BadParameter(f.parameter, f.value, f.allowed);
}

ModelInfo info_of(const Facts& facts) {
  ModelInfo info{};
  info.name = facts.name;
  info.doc = facts.doc;
  info.receptors = facts.receptors;
  info.input = facts.input;
  if (facts.input == SpikeInput::by_sign) info.receptor_names = {"excitatory", "inhibitory"};
  info.parameters.assign(facts.parameters.begin(), facts.parameters.end());
  info.state.assign(facts.state.begin(), facts.state.end());
  info.n_derived = facts.n_derived;
  info.sane = sane_ranges(facts);
  return info;
}

}  // namespace npl::nodes
