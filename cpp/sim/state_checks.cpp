// SPDX-License-Identifier: Apache-2.0
#include "sim/state_checks.hpp"

namespace npl::sim {

void StateChecks::look(const Groups& groups, Step stamp) {
  for (const auto& g : groups)
    if (const auto found = g->diverged()) {
      note({stamp, g->nodes()[static_cast<std::int64_t>(found->index)], g->model().name, found->state, found->value});
      for (const std::size_t i : g->freeze_diverged()) stopped_.emplace_back(g.get(), i);
    }
}

void StateChecks::release() {
  for (const auto& [group, i] : stopped_) group->freeze(i, false);
  stopped_.clear();
}

}  // namespace npl::sim
