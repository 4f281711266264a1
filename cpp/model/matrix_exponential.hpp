// SPDX-License-Identifier: Apache-2.0
/// exp(A h) of small matrices: exact integration of linear models with several coupled variables (Rotter & Diesmann 1999).
#pragma once
#include <array>
#include <cmath>
#include <cstddef>

namespace npl::model {

template <std::size_t N>
using Matrix = std::array<std::array<double, N>, N>;

template <std::size_t N>
Matrix<N> product(const Matrix<N>& a, const Matrix<N>& b) {
  Matrix<N> c{};
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t k = 0; k < N; ++k)
      for (std::size_t j = 0; j < N; ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

/// Scaling, Taylor series and squaring; only + - * /, so the same bits everywhere. Entries of `rates` in 1/ms, h in ms.
template <std::size_t N>
Matrix<N> exponential(const Matrix<N>& rates, double h) {
  double norm = 0.0;
  for (const auto& row : rates) {
    double sum = 0.0;
    for (double a : row) sum += std::abs(a) * h;
    norm = sum > norm ? sum : norm;
  }
  int squarings = 0;
  for (; norm > 0.25 && squarings < 60; norm *= 0.5) ++squarings, h *= 0.5;
  Matrix<N> step{}, term{}, sum{};
  for (std::size_t i = 0; i < N; ++i) {
    term[i][i] = sum[i][i] = 1.0;
    for (std::size_t j = 0; j < N; ++j) step[i][j] = rates[i][j] * h;
  }
  for (int k = 1; k <= 14; ++k) {
    term = product(term, step);
    for (auto& row : term)
      for (double& a : row) a /= k;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; j < N; ++j) sum[i][j] += term[i][j];
  }
  for (; squarings > 0; --squarings) sum = product(sum, sum);
  return sum;
}

}  // namespace npl::model
