// SPDX-License-Identifier: Apache-2.0
/// Steps of eligibility propagation without a spike of the source, several at once. A step is linear in what a synapse keeps
/// (eligibility.hpp), with factors that belong to the target. So are 4, 16 or 64 steps, and all synapses of a target share their factors.
#pragma once
#include <array>
#include <vector>

#include "synapses/eligibility.hpp"

namespace npl::synapses {

/// Factors of a block: g_z is by how much the gradient grows per z at its begin. Those with a are only of targets that adapt.
enum EligibilityFactor : std::size_t {
  z_z,
  e_e,
  e_z,
  r_z,
  g_e,
  g_z,
  n_plain_factors,
  a_z = n_plain_factors,
  a_a,
  e_a,
  r_a,
  g_a,
  n_factors
};

/// The blocks of one history, computed when first asked for. They begin at multiples of their length, so that the walk of a synapse
/// does not depend on other synapses (law 1).
class EligibilityBlocks final : public TargetHistory::Digest {
 public:
  static constexpr std::array<Step, 3> lengths{4, 16, 64};

  /// @param kappa per step: of the filter of eligibility
  EligibilityBlocks(const TargetHistory& history, double kappa);

  struct Block {
    Step steps = 0;
    const double* factors = nullptr;  ///< [EligibilityFactor][n] of the history
  };
  /// The longest one that begins with step t and ends by `end`, of which all signals must be known; no steps: there is none.
  Block from(Step t, Step end) {
    for (std::size_t level = lengths.size(); level-- > 0;)
      if (t % lengths[level] == 0 && t + lengths[level] <= end + 1) return {lengths[level], factors(level, t)};
    return {};
  }
  std::size_t bytes() const override;

 private:
  struct Ring {
    std::vector<double> factors;  ///< [slot][factor][n]
    std::vector<Step> begin;      ///< [slot], a power of two of them: first step of the block that is there; -1: none
  };
  /// What the loops over targets read.
  struct Constants {
    std::vector<double> decay, kappa, share, rho, beta;
  };
  static_assert(n_plain_factors == 6 && n_factors == 11, "learning_digest");

  template <bool Adapts>
  struct Steps;
  template <bool Adapts>
  struct Compose;

  std::size_t block_size() const { return (adapts_ ? n_factors : n_plain_factors) * history_.size(); }
  double* factors(std::size_t level, Step t) {
    Ring& ring = rings_[level];
    const std::size_t slot = static_cast<std::size_t>(t / lengths[level]) & (ring.begin.size() - 1);
    double* found = &ring.factors[slot * block_size()];
    if (ring.begin[slot] != t) compute(level, t, found), ring.begin[slot] = t;
    return found;
  }
  void compute(std::size_t level, Step t, double* out);

  const TargetHistory& history_;
  Step lag_;
  bool adapts_ = false;
  Constants of_;
  std::array<Ring, lengths.size()> rings_;
};

}  // namespace npl::synapses
