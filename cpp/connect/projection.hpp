// SPDX-License-Identifier: Apache-2.0
/// A projection, made by one call of connect: its rule, weights, delays and tables.
#pragma once
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "connect/given_values.hpp"
#include "connect/rule.hpp"
#include "rng/distribution.hpp"
#include "tables/edge_table.hpp"

namespace npl::connect {

/// What formulas give on the edges of this rank: weights and delays are computed again when the tables are built.
struct FormulaRange {
  std::uint64_t edges = 0, negative = 0;  ///< number of edges, and of those with a weight below 0
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();  ///< weights
  std::vector<std::uint64_t> delays;  ///< number of edges by delay [steps]; empty: delays are given otherwise
};

/// Checked weights and delays of a projection.
struct EdgeValues {
  rng::ValueSpec weight, delay;
  std::shared_ptr<const rng::Sampler> weights;      ///< of drawn weights; shared by projections with equal distributions
  std::shared_ptr<const rng::DelaySampler> delays;  ///< of drawn delays
  std::vector<Delay> delay_values;                  ///< explicit delays [steps], by EdgeBatch::value_index
  std::vector<float> float_weights;                 ///< explicit weights by value_index; empty: weight.values has them
  ArrayScan given_weights;                          ///< of explicit weights
  Delay lowest_delay = 1, highest_delay = 1;        ///< [steps]
  double resolution = 0.0;                          ///< ms
  FormulaRange range;                               ///< where weight or delay is a formula

  bool has_formula() const { return weight.kind == rng::Kind::formula || delay.kind == rng::Kind::formula; }
};

/// A parameter of the synapse model that differs from synapse to synapse.
struct VariedParameter {
  rng::ValueSpec values;
  std::shared_ptr<const rng::Sampler> sampler;  ///< of a distribution; null: an array
};

struct Projection : EdgeValues {
  NodeSet pre, post;
  std::unique_ptr<Rule> rule;
  double largest_weight = 0.0;          ///< upper bound of |weight|
  int table = -1;                       ///< index of the TableSpec for weights >= 0 (or any sign)
  tables::Code first_code = 0;          ///< (table of coded weights) code of the lowest quantile of the weights
  int negative_table = -1;              ///< for weights < 0 when the sign selects the receptor; -1: same table
  std::vector<VariedParameter> varied;  ///< in the order of TableSpec::varied
  rng::Key varied_key{};                ///< of what is drawn for them
  /// True when edges need random words for their weights or delays.
  bool is_drawn() const { return weights || delays; }
  bool sign_varies() const { return negative_table >= 0 && negative_table != table; }
  /// True when edges need their index in arrays of values.
  bool has_arrays() const { return weight.kind == rng::Kind::array || !delay_values.empty() || keyed_by_index(); }
  /// True when parameters of the synapses are told by the index in arrays of values: some have one.
  bool keyed_by_index() const {
    return std::any_of(varied.begin(), varied.end(), [](const auto& v) { return v.values.kind == rng::Kind::array; });
  }
};

}  // namespace npl::connect
