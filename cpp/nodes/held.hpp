// SPDX-License-Identifier: Apache-2.0
/// The neurons of a group that are refractory, as a list while they are few: then the vector loop need not read a time per neuron. The
/// state column with the step in which a neuron is free again remains what counts; the list follows it. Where many are refractory there is
/// no list: the vector loop reads the column.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.hpp"

namespace npl::nodes {

/// Used step by step; in each, for pieces of the group in ascending order from neuron 0 on.
class HeldNeurons {
 public:
  /// Neurons begin .. begin + n - 1 of a group.
  struct Piece {
    std::size_t begin, n, group;
  };
  /// The column was changed by others: it is read again in the next step.
  void forget() { known_ = false; }

  /// Before neurons begin .. begin + n - 1 take a step: keeps the potentials of those that are held in it.
  /// @param V, free_at columns of the whole group
  void keep(Piece piece, Step step, const double* V, const double* free_at) {
    const auto [begin, n, group] = piece;
    if (begin == 0) begin_step(group);
    if (many_) return;
    first_ = after_.size();
    kept_.clear();
    if (scans_) {
      for (std::size_t i = begin; i < begin + n; ++i)
        if (free_at[i] > static_cast<double>(step)) stay({static_cast<std::uint32_t>(i), free_at[i]}, V);
      return;
    }
    const std::size_t end = before_.size(), most = first_ + end - at_;
    if (after_.size() < most) after_.resize(most);
    kept_.resize(end - at_);
    std::size_t k = 0;
    for (; at_ < end && before_[at_].neuron < begin + n; ++at_) {
      const Held h = before_[at_];
      after_[first_ + k] = h;
      kept_[k] = V[h.neuron];
      k += h.free_at > static_cast<double>(step);  // without a branch that would often be guessed wrong
    }
    after_.resize(first_ + k);
    kept_.resize(k);
  }
  /// True when they are not listed in this step.
  bool many() const { return many_; }
  /// Calls f(neuron, potential before the step) for those that are held.
  template <class F>
  void restore(F&& f) const {
    const Held* held = after_.data() + first_;
    const double* kept = kept_.data();
    for (std::size_t k = 0, n = kept_.size(); k < n; ++k) f(std::size_t{held[k].neuron}, kept[k]);
  }
  /// A neuron of the piece has spiked in this step; in ascending order.
  void fired(std::size_t i, double free_at) {
    if (!many_) fired_.push_back({static_cast<std::uint32_t>(i), free_at});
  }
  std::size_t bytes() const {
    return (before_.capacity() + after_.capacity() + fired_.capacity()) * sizeof(Held) + kept_.capacity() * sizeof(double);
  }
  /// The piece is done: merges those that fired into the list, from behind.
  void end_piece() {
    std::size_t left = after_.size(), to = left + fired_.size();
    after_.resize(to);
    for (; !fired_.empty(); fired_.pop_back()) {
      for (; left > first_ && after_[left - 1].neuron > fired_.back().neuron; --left) after_[--to] = after_[left - 1];
      after_[--to] = fired_.back();
    }
  }

 private:
  struct Held {
    std::uint32_t neuron;
    double free_at;  ///< first step in which it is not held
  };
  static constexpr std::size_t most_listed = 16;   ///< one of so many neurons, measured
  static constexpr unsigned steps_unlisted = 256;  ///< then they are counted again

  void begin_step(std::size_t group) {
    if (many_)
      many_ = ++unlisted_ < steps_unlisted, known_ = false;
    else if (known_ && after_.size() * most_listed > group)
      many_ = true, unlisted_ = 0;
    std::swap(before_, after_);
    after_.clear();
    at_ = 0;
    scans_ = !known_ && !many_;
    known_ = !many_;
  }
  void stay(Held held, const double* V) {
    after_.push_back(held);
    kept_.push_back(V[held.neuron]);
  }

  std::vector<Held> before_, after_;  ///< by neuron; after_: of the pieces that are done
  std::vector<Held> fired_;           ///< of this piece
  std::vector<double> kept_;          ///< potentials of the held neurons of this piece, which begin at after_[first_]
  std::size_t at_ = 0, first_ = 0;
  unsigned unlisted_ = 0;  ///< steps
  bool known_ = false, scans_ = false, many_ = false;
};

}  // namespace npl::nodes
