// SPDX-License-Identifier: Apache-2.0
/// The neurons of a group that are refractory, as a list: there are few, and the vector loop need not read a time per neuron. The state
/// column with the step in which a neuron is free again remains what counts; the list follows it.
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
  /// The column was changed by others: it is read again in the next step.
  void forget() { known_ = false; }

  /// Before neurons begin .. begin + n - 1 take a step: keeps the potentials of those that are held in it.
  /// @param V, free_at columns of the whole group
  void keep(std::size_t begin, std::size_t n, Step step, const double* V, const double* free_at) {
    if (begin == 0) begin_step();
    first_ = after_.size();
    kept_.clear();
    if (scans_) {
      for (std::size_t i = begin; i < begin + n; ++i)
        if (free_at[i] > static_cast<double>(step)) stay({static_cast<std::uint32_t>(i), free_at[i]}, V);
      return;
    }
    for (; at_ < before_.size() && before_[at_].neuron < begin + n; ++at_)
      if (before_[at_].free_at > static_cast<double>(step)) stay(before_[at_], V);
  }
  /// Calls f(neuron, potential before the step) for those.
  template <class F>
  void restore(F&& f) const {
    for (std::size_t k = 0; k < kept_.size(); ++k) f(std::size_t{after_[first_ + k].neuron}, kept_[k]);
  }
  /// A neuron of the piece has spiked in this step; in ascending order.
  void fired(std::size_t i, double free_at) { fired_.push_back({static_cast<std::uint32_t>(i), free_at}); }
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
  void begin_step() {
    std::swap(before_, after_);
    after_.clear();
    at_ = 0;
    scans_ = !known_;
    known_ = true;
  }
  void stay(Held held, const double* V) {
    after_.push_back(held);
    kept_.push_back(V[held.neuron]);
  }

  std::vector<Held> before_, after_;  ///< by neuron; after_: of the pieces that are done
  std::vector<Held> fired_;           ///< of this piece
  std::vector<double> kept_;          ///< potentials of the held neurons of this piece, which begin at after_[first_]
  std::size_t at_ = 0, first_ = 0;
  bool known_ = false, scans_ = false;
};

}  // namespace npl::nodes
