// SPDX-License-Identifier: Apache-2.0
/// Share of the recorders of state variables in a slice.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "nodes/sampler.hpp"
#include "record/state_recorder.hpp"
#include "sim/component.hpp"

namespace npl::sim {

class StateTracks : public Component {
 public:
  using Component::Component;
  static constexpr unsigned phases = bit(sampling);
  bool is_present() const { return !all_.empty(); }

  /// [recorders]
  std::vector<std::unique_ptr<record::StateTrack>>& all() { return all_; }
  /// After a stretch of one step. In longer ones the groups sample: see begin().
  void sample(Step stamp) override {
    for (auto& t : all_) t->sample(stamp);
  }
  /// Before a stretch of several steps. Groups advance one after the other, so each takes its samples itself.
  void begin(Step from, Step until);
  /// Takes the samples of a group in a stretch of several steps; null: there are none.
  nodes::Sampler* sampler(std::size_t group) {
    return group < samplers_.size() && samplers_[group].next() != nodes::Sampler::never ? &samplers_[group] : nullptr;
  }

  void resemble(const StateTracks& other) {
    for (const auto& t : other.all_) all_.push_back(std::make_unique<record::StateTrack>(t->sampling()));
  }
  void add_bytes(SliceBytes& bytes) const {
    for (const auto& t : all_) bytes.recordings += t->bytes();
  }
  using Kept = std::size_t;  ///< a number: more are added at the end
  Kept keep() const { return all_.size(); }
  void restore(Kept& kept) noexcept {
    while (all_.size() > kept) all_.pop_back();
    samplers_.clear(), mapped_ = 0;
  }

 private:
  void map();
  /// First sample of a recorder in a stretch.
  struct First {
    Step stamp;
    double* row;
  };

  std::vector<std::unique_ptr<record::StateTrack>> all_;
  std::vector<nodes::Sampler> samplers_;  ///< [groups], of the first `mapped_` recorders
  std::vector<First> firsts_;             ///< [recorders]
  std::size_t mapped_ = 0;
};

}  // namespace npl::sim
