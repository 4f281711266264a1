// SPDX-License-Identifier: Apache-2.0
/// Parameters that differ from synapse to synapse: their values, when the synapses of a table have their places. A drawn value depends on
/// its projection, the gid of the target and the number of the edge among those of the target, so not on ranks and threads (law 1).
#pragma once
#include <span>

#include "connect/projection.hpp"

namespace npl::connect {

inline constexpr unsigned number_bits = 40;                                                ///< of a key
inline constexpr std::uint64_t most_projections = std::uint64_t{1} << (64 - number_bits);  ///< described at a time
/// Key of an edge. @param projection index among those that fill the table
/// @param number of the edge among those of its target; where parameters are given as arrays, index in these
constexpr std::uint64_t parameter_key(std::uint64_t projection, std::uint64_t number) { return projection << number_bits | number; }

/// Replaces the keys, which lie before the column of parameters as if it had one value per synapse, by the parameters.
/// @param projections that filled the table, by number
void set_parameters(tables::EdgeTable& table, std::span<const Projection* const> projections, const Residents& nodes);

}  // namespace npl::connect
