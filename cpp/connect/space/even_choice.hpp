// SPDX-License-Identifier: Apache-2.0
/// Choices among others of equal weight, without looking at each of them.
#pragma once
#include <utility>
#include <vector>

#include "connect/space/pairs.hpp"

namespace npl::connect::space {

/// Chooses others of one centre after the other.
class EvenChoice {
 public:
  /// Keeps a reference to the candidates.
  EvenChoice(const Candidates&, bool repeats, rng::Key, bool keyed);

  /// The others that a thread has drawn without repeats are moved here and back: as long as the most others of a centre.
  using Shuffled = std::vector<std::uint32_t>;
  /// @param first, last runs of the centre. Appends its edges; false when it has too few others.
  bool operator()(const Runs& runs, std::size_t first, std::size_t last, std::int64_t degree, Shuffled&, Edges& to) const;

 private:
  std::int64_t own_index(const Runs&, std::size_t first, std::size_t last) const;
  std::int64_t other(const Runs&, std::size_t run, std::int64_t k) const;
  template <class Append>
  void draw(std::int64_t centre, std::int64_t n, std::int64_t degree, Shuffled&, Append&&) const;

  const Sides& sides_;
  const std::vector<std::pair<std::int64_t, std::int64_t>> places_;  ///< gids of the others, with their index in the sorted order
  const bool repeats_;
  const rng::Key key_;
  const bool keyed_;
};

}  // namespace npl::connect::space
