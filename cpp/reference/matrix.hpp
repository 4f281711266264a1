// SPDX-License-Identifier: Apache-2.0
/// Exponential of a small matrix by its power series: exact integration without closed forms, which could be wrong in the same way as the
/// kernel's.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>

namespace npl::reference {

template <std::size_t N>
using Matrix = std::array<std::array<long double, N>, N>;

template <std::size_t N>
Matrix<N> identity() {
  Matrix<N> m{};
  for (std::size_t i = 0; i < N; ++i) m[i][i] = 1;
  return m;
}

/// a b
template <std::size_t N>
Matrix<N> product(const Matrix<N>& a, const Matrix<N>& b) {
  Matrix<N> c{};
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < N; ++j)
      for (std::size_t k = 0; k < N; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

/// exp(a h): the series of exp(a h / 2^s), where it converges fast, squared s times.
template <std::size_t N>
Matrix<N> exponential(Matrix<N> a, long double h) {
  long double largest = 0;
  for (auto& row : a)
    for (auto& x : row) largest = std::fmax(largest, std::fabs(x *= h));
  int squarings = 0;
  for (; largest > 0.25L / N; largest /= 2) ++squarings;
  for (auto& row : a)
    for (auto& x : row) x = std::ldexp(x, -squarings);
  Matrix<N> sum = identity<N>(), term = sum;
  for (int k = 1; k <= 20; ++k) {
    term = product(term, a);
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; j < N; ++j) sum[i][j] += term[i][j] /= k;
  }
  for (; squarings > 0; --squarings) sum = product(sum, sum);
  return sum;
}

}  // namespace npl::reference
