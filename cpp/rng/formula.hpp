// SPDX-License-Identifier: Apache-2.0
/// Values of edges that are computed from both of their ends, and from random numbers of the edge.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace npl::rng {

inline constexpr int edge_key_bits = 22;  ///< bits of a key for the index of an edge of its target

/// What the random numbers of an edge are keyed by. @param target position in the set of targets; index: of the edge among those of the
/// target, below 2^edge_key_bits
constexpr std::uint64_t edge_key(std::int64_t target, std::uint64_t index) {
  return static_cast<std::uint64_t>(target) << edge_key_bits | index;
}

/// A formula of the source, the target and the key of an edge. Thread safe.
class Formula {
 public:
  virtual ~Formula() = default;
  /// Evaluates a formula with work space of its own: one per thread.
  class Evaluator {
   public:
    virtual ~Evaluator() = default;
    /// out[i] = value of the edge from source[i] to target[i], positions in the two sets of nodes, with key[i]; it depends on nothing else.
    /// @param key read where the formula draws
    virtual void evaluate(const std::uint64_t* source, const std::int64_t* target, const std::uint64_t* key, std::size_t n,
                          double* out) = 0;
  };
  /// The formula must outlive it.
  virtual std::unique_ptr<Evaluator> evaluator() const = 0;
  /// Whether it reads random numbers of the edge.
  virtual bool draws() const = 0;
  /// Numbers of sources and targets that it knows the positions of; -1: it reads no positions.
  virtual std::int64_t n_sources() const = 0;
  virtual std::int64_t n_targets() const = 0;
  /// Equal for equal formulas; the positions do not enter.
  virtual std::uint64_t fingerprint() const = 0;
};

}  // namespace npl::rng
