// SPDX-License-Identifier: Apache-2.0
/// A slice puts several small populations into one group; a new slice takes the populations of the others.
#include <iterator>

#include "sim/slice.hpp"

namespace npl::sim {

Slice::Groups Slice::joined(std::span<const Joint> joints) const {
  Groups fresh;
  for (const Joint& j : joints) {
    fresh.emplace_back();
    if (j.groups.size() == 1) continue;
    std::vector<Gid> gids;
    for (const std::size_t b : j.blocks)
      for (std::int64_t k = 0; k < nodes_.blocks()[b].members.size(); ++k) gids.push_back(nodes_.blocks()[b].members[k]);
    fresh.back() = std::make_unique<nodes::Group>(groups_[j.groups[0]]->model(), Members::spaced(std::move(gids)), 0, host_.dt);
    std::size_t begin = 0;
    for (const std::size_t g : j.groups) {
      fresh.back()->take(*groups_[g], begin);
      begin += groups_[g]->size();
    }
  }
  return fresh;
}

void Slice::regroup(std::span<const Joint> joints, Groups fresh, std::span<const std::size_t> blocks) noexcept {
  nodes_.reorder(blocks);
  std::size_t replaced = 0;
  for (const Joint& j : joints) replaced += j.groups.size();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (!fresh[k]) fresh[k] = std::move(groups_[joints[k].groups[0]]);
    fresh[k]->move_to(nodes_.blocks()[joints[k].blocks[0]].first_local);
  }
  groups_.resize(groups_.size() - replaced);  // at least as many as follow
  std::move(fresh.begin(), fresh.end(), std::back_inserter(groups_));
}

void Slice::resemble(const Slice& other) {
  hold(other.input_.receptors());
  for (const auto& g : other.groups_) groups_.push_back(std::make_unique<nodes::Group>(g->model(), Members(), 0, host_.dt));
  for (const Residents::Block& b : other.nodes_.blocks()) nodes_.add(b.first, Members());
  components_.resemble(other.components_);
  host_.looked_back = other.host_.looked_back;
  rescale(other.scaled_for());
}

}  // namespace npl::sim
