// SPDX-License-Identifier: Apache-2.0
/// Share of the recorders of state variables in a slice.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

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
  /// The first time after `step` at which a state is sampled, but at most `end` [steps].
  Step next(Step step, Step end) const {
    for (const auto& t : all_) end = std::min(end, t->sampling().next(step + 1));
    return end;
  }
  void sample(Step stamp) override {
    for (auto& t : all_) t->sample(stamp);
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
  }

 private:
  std::vector<std::unique_ptr<record::StateTrack>> all_;
};

}  // namespace npl::sim
