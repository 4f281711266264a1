// SPDX-License-Identifier: Apache-2.0
/// Checkpoints of a network: everything that decides what comes next, as columns. What every rank knows alike is in the common part; what a
/// rank has is in its shard. A checkpoint of any number of ranks and threads goes on, to the bit, on any other.
#pragma once
#include "sim/runner.hpp"

namespace npl::sim {

/// The columns of a checkpoint. They refer to the network: reading them after it has changed throws IllegalConnection.
struct Snapshot {
  checkpoint::Columns common, shard;
};

class Keeper : Part {
 public:
  Keeper(Context& context, const Runnable& parts, Runner& runner) : Part(context), parts_(parts), runner_(runner) {}

  /// Builds what is described, then takes the columns. Collective. Throws IllegalConnection when the gids of sources were dropped
  /// (keep_sources = false), and what build() throws. @param store_all also
  /// static synapses that could be drawn again. None: the poll of this rank asked to stop.
  std::optional<Snapshot> snapshot(const Poll& poll, bool store_all = false);
  /// Makes this network, which has no nodes, what the checkpoint says; its settings but for the number of ranks, threads, slices, the
  /// distribution and the exchange must be those of the network that was saved. Collective. Throws BadCheckpoint; the network can not be
  /// used then.
  void restore(checkpoint::Source& from);

 private:
  void visit(checkpoint::Archive& a);
  void save_shard(checkpoint::Columns& to, const std::vector<std::uint8_t>& drawn) const;
  void load_shards(std::span<const checkpoint::Shard> from);
  std::uint64_t dealt() const;

  Runnable parts_;
  Runner& runner_;
};

}  // namespace npl::sim
