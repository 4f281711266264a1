// SPDX-License-Identifier: Apache-2.0
/// Integer types by role; every module uses these names and no others for the same thing.
#pragma once
#include <cstddef>
#include <cstdint>

namespace npl {

using Gid = std::int64_t;       ///< global node id, from 1 in order of creation
using Step = std::int64_t;      ///< index of a time step: step n covers (n*h, (n+1)*h]; its spikes carry the stamp n+1
using Local = std::uint32_t;    ///< index of a node inside its slice
using Delay = std::uint16_t;    ///< delay in steps, >= 1
using SliceId = std::uint32_t;  ///< index of a slice: the neurons that one thread updates and delivers to together

inline constexpr Delay longest_delay = 65535;  ///< [steps]

/// A spike: the node that emitted it and the step in which it did.
struct Spike {
  Gid gid;
  Step step;
  friend bool operator==(const Spike&, const Spike&) = default;
};

inline constexpr int max_receptors = 8;                ///< input ports of a model that has the same ones always
inline constexpr int most_receptors = 4096;            ///< of a model whose shape says how many it has (nodes/shape.hpp)
inline constexpr std::size_t max_slice_nodes = 65536;  ///< targets are stored in 16 bits

}  // namespace npl
