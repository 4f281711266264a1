// SPDX-License-Identifier: Apache-2.0
/// Postsynaptic traces of a slice, one per time constant: made for the rules that read them, fed with spikes, trimmed.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "base/undo.hpp"
#include "sim/component.hpp"
#include "synapses/exact_trace.hpp"
#include "synapses/post_trace.hpp"

namespace npl::sim {

class PostTraces : public Component {
 public:
  using Component::Component;
  static constexpr unsigned phases = bit(after_stretch) | bit(end_of_part);
  bool is_present() const { return !on_grid_.empty() || !exact_.empty(); }

  const std::vector<std::unique_ptr<synapses::PostTrace>>& on_grid() const { return on_grid_; }
  /// Of neurons that spike between grid points.
  const std::vector<std::unique_ptr<synapses::ExactTrace>>& exact() const { return exact_; }
  /// Keeps the traces that synapses of this rule will read, from now on.
  void keep_for(const synapses::Plasticity& rule);
  /// Traces of nodes go on with another time constant, unless synapses read such traces of these nodes already.
  /// @param from time constants so far, by node [ms]
  void carry(double tau, const std::map<Local, double>& from, Undo& undo);

  /// To be called before pathways change: which nodes have synapses is found anew by prepare().
  void read_all();
  void prepare();
  void after(Step stamp, const SourcedSpikes& out, std::size_t first) override;
  /// Drops old spikes that no row needs any more, nor a connection made later would, once there are many. They are kept for synapses whose
  /// sources have not spiked since.
  void end(const PartSteps& part, SourcedSpikes& out) override;

  void lend(const tables::TableSpec& spec, pathways::Surroundings& around);
  void resemble(const PostTraces& other);
  void add_bytes(SliceBytes& bytes) const;

 private:
  template <class Trace>
  Trace* trace_of(std::vector<std::unique_ptr<Trace>>& traces, double tau);
  void find_read();
  std::vector<bool> read_of(double tau, std::size_t many) const;

  std::vector<std::unique_ptr<synapses::PostTrace>> on_grid_;
  std::vector<std::unique_ptr<synapses::ExactTrace>> exact_;
  pathways::PathwayIds read_by_;                  ///< pathways whose targets the traces know; see find_read()
  std::size_t forget_at_ = std::size_t{1} << 20;  ///< number of spikes kept at which old ones are dropped
};

}  // namespace npl::sim
