// SPDX-License-Identifier: Apache-2.0
/// Which populations share a group of neurons. A group costs some 100 ns per step however few its neurons are, so small populations of the
/// same model are updated together. Results do not depend on it (law 1).
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "nodes/model.hpp"

namespace npl::sim {

/// A population, as far as its group depends on it.
struct Candidate {
  const nodes::ModelInfo* model;    ///< null: devices
  double n;                         ///< neurons per slice, on the mean
  std::span<const double> uniform;  ///< [parameters] value, where it is the same for all its neurons
  std::span<const char> varied;     ///< [parameters] 1: differs between its neurons
};

inline constexpr std::size_t no_group = static_cast<std::size_t>(-1);

/// The group of each population: numbers from 0 in the order of their first members; devices: no_group. The same on all ranks.
std::vector<std::size_t> share_groups(std::span<const Candidate> populations);
/// Number of parameters that have a value per neuron when these populations share a group.
std::size_t columns_of(std::span<const Candidate> together);

}  // namespace npl::sim
