// SPDX-License-Identifier: Apache-2.0
/// Share of the spike recorders in a slice.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "record/spike_recorder.hpp"
#include "sim/component.hpp"

namespace npl::sim {

class SpikeTracks : public Component {
 public:
  using Component::Component;
  static constexpr unsigned phases = bit(end_of_part);
  bool is_present() const { return !all_.empty(); }

  /// [recorders]
  std::vector<std::unique_ptr<record::SpikeTrack>>& all() { return all_; }
  /// Length of the longest part of a run [steps]: spikes are stored part by part, in any order within a part.
  Step longest_part() const { return longest_part_; }
  void prepare() {
    if (all_.size() > 1 && index_.tracks() != all_.size()) index_.make(all_, host_.nodes.size());
  }
  void end(const PartSteps& part, SourcedSpikes& out) override {
    longest_part_ = std::max(longest_part_, part.until - part.from);
    all_.size() == 1 ? all_.front()->take(out, out.sources) : index_.take(all_, out, out.sources);
  }

  void resemble(const SpikeTracks& other) {
    for (std::size_t k = 0; k < other.all_.size(); ++k) all_.push_back(std::make_unique<record::SpikeTrack>(0, 0));
  }
  void add_bytes(SliceBytes& bytes) const {
    for (const auto& t : all_) bytes.recordings += t->bytes();
    bytes.recordings += index_.bytes();
  }
  using Kept = std::size_t;  ///< a number: more are added at the end
  Kept keep() const { return all_.size(); }
  void restore(Kept& kept) noexcept {
    while (all_.size() > kept) all_.pop_back();
    index_.forget();
  }

 private:
  std::vector<std::unique_ptr<record::SpikeTrack>> all_;
  record::TrackIndex index_;  ///< of several tracks
  Step longest_part_ = 0;
};

}  // namespace npl::sim
