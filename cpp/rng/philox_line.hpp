// SPDX-License-Identifier: Apache-2.0
/// Philox blocks of many counters: the same words as rng::draw, several times faster.
#pragma once
#include <cstddef>
#include <cstdint>

#include "rng/philox.hpp"

namespace npl::rng {

/// Counters (a, b), (a + step_a, b + step_b), (a + 2 step_a, b + 2 step_b), ...
struct CounterLine {
  std::uint64_t a, b, step_a, step_b;
};

/// Output: one array for each of the four words of a block; none may be null.
struct WordColumns {
  std::uint32_t *w0, *w1, *w2, *w3;
};

/// {w0[i], ... w3[i]} = draw(key, line.a + i * line.step_a, line.b + i * line.step_b) for i < n.
void draw_line(Key key, CounterLine line, std::size_t n, WordColumns out);
/// {w0[i], ... w3[i]} = draw(key, a[i], b[i]) for i < n. Fastest when n is a multiple of 16.
void draw_listed(Key key, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, WordColumns out);

}  // namespace npl::rng
