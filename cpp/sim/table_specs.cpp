// SPDX-License-Identifier: Apache-2.0
#include "sim/table_specs.hpp"

namespace npl::sim {
namespace {

using tables::TableSpec;
using tables::Weights;

constexpr int most_uniform_tables = 16;  ///< per synapse model and receptor; further constants share a table with a weight per synapse

bool same_but_weights(const TableSpec& a, const TableSpec& b) {
  return a.synapse == b.synapse && a.parameters == b.parameters && a.receptor == b.receptor && a.input == b.input && a.recorder == b.recorder &&
         a.off_grid == b.off_grid;
}

}  // namespace

int TableSpecs::table_for(TableSpec wanted, int label) {
  int uniform = 0;
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (!same_but_weights(*all[t], wanted) || label_of(*all[t]) != label) continue;
    if (all[t]->weights == wanted.weights && all[t]->uniform == wanted.uniform) return static_cast<int>(t);
    uniform += all[t]->weights == Weights::uniform;
  }
  if (wanted.weights == Weights::uniform && uniform >= most_uniform_tables) {
    const double weight = wanted.uniform;
    wanted.weights = static_cast<double>(static_cast<float>(weight)) == weight ? Weights::f32 : Weights::f64;
    wanted.uniform = 0.0;
    return table_for(std::move(wanted), label);
  }
  wanted.plasticity = wanted.synapse->prepare(wanted.parameters.data(), wanted.resolution);
  wanted.sub_step_delay = wanted.synapse->sub_step_delay ? wanted.synapse->sub_step_delay(wanted.parameters.data()) : 0.0;
  wanted.order = static_cast<int>(all.size());
  labels.resize(all.size() + 1);
  labels.back() = label;
  all.push_back(std::make_unique<TableSpec>(std::move(wanted)));
  return static_cast<int>(all.size()) - 1;
}

}  // namespace npl::sim
