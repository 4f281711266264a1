// SPDX-License-Identifier: Apache-2.0
/// Parts that are repeated, for connections without delay: groups take the steps of the part, note what they would send, and are put back.
#include "sim/slice.hpp"

namespace npl::sim {

void Slice::iterate(Step from, Step until) {
  for (std::size_t k = 0; k < groups_.size(); ++k)
    if (groups_[k]->size() > 0 && host_.channels->iterates(k)) iterate(k, from, until);
  iteration_.dropped.clear();
}

void Slice::iterate(std::size_t k, Step from, Step until) {
  nodes::Group& g = *groups_[k];
  const std::size_t n = g.size(), states = g.model().state.size(), receptors = static_cast<std::size_t>(g.model().receptors);
  const auto row = [&](Step step) { return static_cast<std::size_t>(step - from) * nodes_.size(); };
  const auto each_input = [&](auto&& f) {
    Fixed* kept = iteration_.sums.data();
    for (Step step = from; step < until; ++step)
      for (std::size_t r = 0; r < receptors; ++r, kept += n) f(input_.sums(r, row(step)) + g.first_local(), kept);
  };
  iteration_.states.resize(states * n), iteration_.sums.resize(static_cast<std::size_t>(until - from) * receptors * n);
  for (std::size_t s = 0; s < states; ++s)
    std::copy_n(std::as_const(g).state(s).begin(), n, iteration_.states.begin() + static_cast<std::ptrdiff_t>(s * n));
  each_input([&](const Fixed* input, Fixed* kept) { std::copy_n(input, n, kept); });
  for (Step step = from; step < until; ++step) {
    nodes::GroupInput in = input_of(g, step, row(step));
    in.taken = host_.channels->take(k, g, step);
    g.update(in);
    host_.channels->note(k, g, step);
  }
  for (std::size_t s = 0; s < states; ++s)
    std::copy_n(iteration_.states.begin() + static_cast<std::ptrdiff_t>(s * n), n, g.state(s).begin());
  each_input([&](Fixed* input, const Fixed* kept) { std::copy_n(kept, n, input); });
}

}  // namespace npl::sim
