// SPDX-License-Identifier: Apache-2.0
/// Internal to Populations: whether the parameters of a node go together, as they will be.
#pragma once
#include <vector>

#include "sim/node_values.hpp"

namespace npl::sim {

class NewParameters {
 public:
  explicit NewParameters(const nodes::ModelInfo& model) : model_(model), given_(model.parameters.size()), next_(model.parameters.size()) {}
  /// @param values one for all nodes, or one each; other names than those of parameters are ignored. They must stay where they are
  void give(const std::string& name, const std::vector<double>& values) {
    const int k = find_field(model_.parameters, name);
    if (k < 0) return;
    given_[static_cast<std::size_t>(k)] = {values.data(), values.size() > 1};
    some_ = true;
  }
  /// Throws what the model says of node i. @param group null: a node that is being created. @param at of the node in its group
  void check(const nodes::Group* group, std::size_t at, std::size_t i) {
    if (!some_) return;
    for (std::size_t k = 0; k < next_.size(); ++k)
      next_[k] = given_[k].values ? given_[k].values[given_[k].each ? i : 0] : now(group, k, at);
    if (next_ == last_) return;  // most nodes are like the one before
    last_.clear();
    model_.check(next_.data());
    last_ = next_;
  }

 private:
  struct Given {
    const double* values = nullptr;
    bool each = false;
  };
  double now(const nodes::Group* group, std::size_t k, std::size_t at) const {
    return group ? group->parameter(k, at) : model_.parameters[k].init;
  }
  const nodes::ModelInfo& model_;
  std::vector<Given> given_;         ///< [parameters]
  std::vector<double> next_, last_;  ///< [parameters] of a node; last_: of the last one that was found right
  bool some_ = false;
};

}  // namespace npl::sim
