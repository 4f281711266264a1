// SPDX-License-Identifier: Apache-2.0
/// Values of edges that are computed from both of their ends instead of drawn.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace npl::rng {

/// A formula of the source and the target of an edge. Thread safe.
class Formula {
 public:
  virtual ~Formula() = default;
  /// Evaluates a formula with work space of its own: one per thread.
  class Evaluator {
   public:
    virtual ~Evaluator() = default;
    /// out[i] = value of the edge from source[i] to target[i], positions in the two sets of nodes; it depends on nothing else.
    virtual void evaluate(const std::uint64_t* source, const std::int64_t* target, std::size_t n, double* out) = 0;
  };
  /// The formula must outlive it.
  virtual std::unique_ptr<Evaluator> evaluator() const = 0;
  /// Numbers of sources and targets that it knows the ends of.
  virtual std::int64_t n_sources() const = 0;
  virtual std::int64_t n_targets() const = 0;
  /// Equal for equal formulas; the positions do not enter.
  virtual std::uint64_t fingerprint() const = 0;
};

}  // namespace npl::rng
