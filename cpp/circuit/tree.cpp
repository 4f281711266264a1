// SPDX-License-Identifier: Apache-2.0
#include "circuit/tree.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace npl::circuit {
namespace {

using Levels = std::vector<std::vector<Node>>;

/// Depth first, so that leaves come in order. At most 11 levels: 2^32 leaves.
template <class Simd>
[[gnu::always_inline]] inline std::size_t descend(const Levels& levels, const Box& box, std::vector<std::uint32_t>& found) {
  struct Open {
    std::uint32_t node, mask;
  };
  std::array<Open, 16> stack;
  std::size_t depth = 0, looked = 1;
  const std::size_t top = levels.size() - 1;
  stack[0] = {0, Simd::meets(levels[top][0], box)};
  while (true) {
    Open& open = stack[depth];
    if (open.mask == 0) {
      if (depth-- == 0) return looked;
      continue;
    }
    const std::uint32_t child = open.node * lanes + static_cast<std::uint32_t>(std::countr_zero(open.mask));
    open.mask &= open.mask - 1;
    if (depth + 1 == top) {
      found.push_back(child);
      continue;
    }
    ++depth;  // apart: an assignment evaluates its right side first
    stack[depth] = {child, Simd::meets(levels[top - depth][child], box)};
    ++looked;
  }
}

NPL_TARGET_V3 std::size_t descend_avx(const Levels& levels, const Box& box, std::vector<std::uint32_t>& found) {
  return descend<Avx>(levels, box, found);
}
std::size_t descend_scalar(const Levels& levels, const Box& box, std::vector<std::uint32_t>& found) {
  return descend<Scalar>(levels, box, found);
}

template <class Simd>
[[gnu::always_inline]] inline void narrow_to(const Node* nodes, const Box& box, std::span<const std::uint32_t> leaves,
                                             std::vector<std::uint32_t>& slots) {
  slots.resize(leaves.size() * lanes);
  std::uint32_t* to = slots.data();
  for (std::uint32_t leaf : leaves)
    for (unsigned mask = Simd::meets(nodes[leaf], box); mask; mask &= mask - 1)
      *to++ = leaf * lanes + static_cast<std::uint32_t>(std::countr_zero(mask));
  slots.resize(static_cast<std::size_t>(to - slots.data()));
}

NPL_TARGET_V3 void narrow_avx(const Node* nodes, const Box& box, std::span<const std::uint32_t> leaves, std::vector<std::uint32_t>& slots) {
  narrow_to<Avx>(nodes, box, leaves, slots);
}

std::vector<Node> above(const std::vector<Node>& below) {
  std::vector<Node> level((below.size() + lanes - 1) / lanes);
  for (std::size_t i = 0; i < below.size(); ++i) level[i / lanes].set(i % lanes, below[i].hull());
  return level;
}

}  // namespace

Tree::Tree(std::vector<Node> leaves) {
  if (leaves.empty()) return;
  levels_.push_back(std::move(leaves));
  do levels_.push_back(above(levels_.back()));
  while (levels_.back().size() > 1);
}

std::size_t Tree::bytes() const {
  std::size_t n = 0;
  for (const auto& level : levels_) n += level.capacity() * sizeof(Node);
  return n;
}

std::vector<Box> Tree::cover(std::size_t most) const {
  if (empty()) return {};
  std::size_t l = levels_.size() - 1;
  while (l > 0 && levels_[l].size() < most) --l;
  const auto& level = levels_[l];
  std::vector<Box> boxes(std::min(most, level.size()));
  for (std::size_t k = 0; k < boxes.size(); ++k)
    for (std::size_t i = level.size() * k / boxes.size(); i < level.size() * (k + 1) / boxes.size(); ++i) boxes[k].add(level[i].hull());
  return boxes;
}

std::size_t Tree::find(const Box& box, std::vector<std::uint32_t>& leaves) const {
  if (empty()) return 0;
  return isa() == Isa::baseline ? descend_scalar(levels_, box, leaves) : descend_avx(levels_, box, leaves);
}

void Tree::narrow(const Box& box, std::span<const std::uint32_t> leaves, std::vector<std::uint32_t>& slots) const {
  if (isa() == Isa::baseline)
    narrow_to<Scalar>(levels_.front().data(), box, leaves, slots);
  else
    narrow_avx(levels_.front().data(), box, leaves, slots);
}

// J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707 (2004): axes to the transposed index, then its bits in turn.
std::uint64_t hilbert(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  constexpr std::uint32_t top = 1u << 20;
  std::uint32_t a[3] = {x, y, z};
  for (std::uint32_t q = top; q > 1; q >>= 1)
    for (std::uint32_t& axis : a) {
      const std::uint32_t p = q - 1;
      if (axis & q)
        a[0] ^= p;
      else {
        const std::uint32_t t = (a[0] ^ axis) & p;
        a[0] ^= t, axis ^= t;
      }
    }
  a[1] ^= a[0], a[2] ^= a[1];
  std::uint32_t t = 0;
  for (std::uint32_t q = top; q > 1; q >>= 1)
    if (a[2] & q) t ^= q - 1;
  std::uint64_t key = 0;
  for (int bit = 20; bit >= 0; --bit)
    for (std::uint32_t axis : a) key = key << 1 | ((axis ^ t) >> bit & 1);
  return key;
}

}  // namespace npl::circuit
