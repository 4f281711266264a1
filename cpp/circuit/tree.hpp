// SPDX-License-Identifier: Apache-2.0
/// Tree over boxes that are sorted along a space-filling curve. Node i of a level has the boxes of nodes 8 i to 8 i + 7 of the level below
/// as columns, so that 8 are compared at once. No pointers; level 0 has the boxes of the segments.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/simd.hpp"
#include "circuit/pieces.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace npl::circuit {

/// Boxes of 8 children; missing children have empty boxes, which meet nothing.
struct alignas(32) Node {
  float lo[3][lanes], hi[3][lanes];

  Node() {
    for (std::size_t k = 0; k < lanes; ++k) set(k, Box());
  }
  void set(std::size_t lane, const Box& box) {
    for (int k = 0; k < 3; ++k) lo[k][lane] = box.lo[k], hi[k][lane] = box.hi[k];
  }
  Box hull() const {
    Box all;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      all.add({{lo[0][lane], lo[1][lane], lo[2][lane]}, {hi[0][lane], hi[1][lane], hi[2][lane]}});
    return all;
  }
};

/// Comparison of a box with a node: bit k of the result is set if box k and the box have a point in common.
struct Scalar {
  static constexpr Isa isa = Isa::baseline;
  static inline unsigned meets(const Node& n, const Box& b) {
    unsigned mask = 0;
    for (unsigned k = 0; k < lanes; ++k) {
      bool hit = true;
      for (int c = 0; c < 3; ++c) hit = hit & (n.lo[c][k] <= b.hi[c]) & (n.hi[c][k] >= b.lo[c]);
      mask |= unsigned{hit} << k;
    }
    return mask;
  }
};
#if defined(__x86_64__)
/// The same with AVX instructions.
struct Avx {
  static constexpr Isa isa = Isa::v3;
  NPL_TARGET_V3 static inline unsigned meets(const Node& n, const Box& b) {
    __m256 hit = _mm256_cmp_ps(_mm256_load_ps(n.lo[0]), _mm256_set1_ps(b.hi[0]), _CMP_LE_OQ);
    hit = _mm256_and_ps(hit, _mm256_cmp_ps(_mm256_load_ps(n.hi[0]), _mm256_set1_ps(b.lo[0]), _CMP_GE_OQ));
    for (int c = 1; c < 3; ++c) {
      hit = _mm256_and_ps(hit, _mm256_cmp_ps(_mm256_load_ps(n.lo[c]), _mm256_set1_ps(b.hi[c]), _CMP_LE_OQ));
      hit = _mm256_and_ps(hit, _mm256_cmp_ps(_mm256_load_ps(n.hi[c]), _mm256_set1_ps(b.lo[c]), _CMP_GE_OQ));
    }
    return static_cast<unsigned>(_mm256_movemask_ps(hit));
  }
};
#else
using Avx = Scalar;
#endif

/// The levels of the tree.
class Tree {
 public:
  Tree() = default;
  /// @param leaves level 0, in order along the curve
  explicit Tree(std::vector<Node> leaves);

  bool empty() const { return levels_.empty(); }
  const std::vector<Node>& leaves() const { return levels_.front(); }
  /// Bytes allocated.
  std::size_t bytes() const;
  /// At most `most` boxes that contain everything, each the hull of about equally many consecutive leaves.
  std::vector<Box> cover(std::size_t most) const;

  /// Appends the leaves whose hull meets the box, ascending. Returns the number of nodes looked into.
  std::size_t find(const Box& box, std::vector<std::uint32_t>& leaves) const;
  /// Writes 8 * leaf + lane of the boxes in these leaves that meet the box to `slots`, in order.
  void narrow(const Box& box, std::span<const std::uint32_t> leaves, std::vector<std::uint32_t>& slots) const;

 private:
  std::vector<std::vector<Node>> levels_;
};

/// Position along a Hilbert curve through a cube of 2^21 cells per side; x, y, z < 2^21.
std::uint64_t hilbert(std::uint32_t x, std::uint32_t y, std::uint32_t z);

}  // namespace npl::circuit
