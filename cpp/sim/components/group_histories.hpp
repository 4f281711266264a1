// SPDX-License-Identifier: Apache-2.0
/// What synapses read of their targets besides spikes: one history per group whose model records one.
#pragma once
#include <deque>
#include <vector>

#include "sim/component.hpp"
#include "synapses/target_history.hpp"

namespace npl::sim {

class GroupHistories : public Component {
 public:
  using Component::Component;
  static constexpr unsigned phases = bit(before_step) | bit(after_stretch) | bit(end_of_part);
  bool is_present() const { return !all_.all().empty(); }

  /// Of all groups that record one; made when there is none.
  std::deque<synapses::TargetHistory>& all();

  void prepare();
  /// Values along continuous connections are known before the spikes of the step are delivered.
  std::uint64_t before(Step step, std::size_t row) override;
  void after(Step stamp, const SourcedSpikes& out, std::size_t first) override;
  /// Drops contributions that no row needs any more, nor a connection made later would, once there are many.
  void end(const PartSteps& part, SourcedSpikes& out) override;

  void lend(const tables::TableSpec& spec, pathways::Surroundings& around);
  void add_bytes(SliceBytes& bytes) const {
    for (const auto& h : all_.all()) bytes.traces += h.bytes();
  }

 private:
  nodes::Group& group_of(const synapses::TargetHistory& history);
  void record(synapses::TargetHistory& history, const std::vector<Step>& wait, Step stamp);

  synapses::TargetHistories all_;
  std::vector<double> contributed_;               ///< [nodes of a history] of this step
  std::vector<std::vector<Step>> wait_;           ///< [histories][nodes] delays
  std::size_t forget_at_ = std::size_t{1} << 16;  ///< number of contributions kept at which old ones are dropped
};

}  // namespace npl::sim
