// SPDX-License-Identifier: Apache-2.0
/// One call of connect: what to draw, and into which tables the edges go.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "connect/rule.hpp"
#include "rng/distribution.hpp"
#include "tables/edge_table.hpp"

namespace npl::connect {

/// Weights and delays as the user gave them, checked.
struct EdgeValues {
  rng::ValueSpec weight, delay;
  std::optional<rng::Sampler> weights;      ///< drawn weights
  std::optional<rng::DelaySampler> delays;  ///< drawn or constant delays
  std::vector<Delay> delay_values;          ///< explicit delays in steps, by value_index
  Delay lowest_delay = 1, highest_delay = 1;
};

struct Projection : EdgeValues {
  NodeSet pre, post;
  std::unique_ptr<Rule> rule;
  double largest_weight = 0.0;  ///< largest |weight| that can come
  int table = -1;               ///< index of the TableSpec for weights >= 0 (or any sign)
  int negative_table = -1;      ///< for weights < 0 when the port goes by sign; -1: same table
  bool sign_varies() const { return negative_table >= 0 && negative_table != table; }
};

}  // namespace npl::connect
