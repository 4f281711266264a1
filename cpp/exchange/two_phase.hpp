// SPDX-License-Identifier: Apache-2.0
/// Two phases (Hines et al. 2011, "Multisend method variations"): records travel through an intermediate rank, so that no rank sends to, or
/// receives from, more than about 2 sqrt(ranks) others. Ranks form a grid; records from rank s to rank d go along the row of s to the
/// column of d, then along that column. Wraps any two directed strategies, one per phase.
///
/// Differs from Hines et al. in two points. There a spike travels once to each intermediate and is copied there; here every destination
/// has a record of its own. There intermediates are drawn among the targets of each cell; here they follow from the two ranks alone.
#pragma once
#include <map>

#include "exchange/strategy_base.hpp"

namespace npl::exchange {

/// The intermediate of two different ranks in a grid that is filled row by row (the last row may be short). May be one of the two.
int intermediate(int source, int destination, int ranks);

class TwoPhase final : public StrategyBase {
 public:
  using Make = std::unique_ptr<Strategy> (*)(comm::Communicator&, const Partners&, const Options&);
  /// Collective. @param single_records a packet holds one record, and the inner strategies take it for a record (16 bytes longer)
  TwoPhase(comm::Communicator& comm, const Partners& partners, const Options& options, Make make, bool single_records);
  void start(const Outgoing& out) override;
  void finish(Incoming& in) override;

 private:
  // An inner strategy, and the packets for each of its destinations.
  struct Phase {
    Partners partners;
    std::unique_ptr<Strategy> strategy;
    std::vector<std::vector<std::byte>> packets;
    void start();
    std::vector<std::byte>* packets_for(int destination);
  };
  void derive_partners();
  std::map<int, std::vector<int>> learn_ways(const std::map<int, std::vector<int>>& mine);
  void send_by(Phase& phase, int to, int destination, wire::Bytes data);
  void forward(int from, const wire::Packet& packet, Incoming& in);
  void arrive(int from, const wire::Packet& packet, Incoming& in);
  void count();

  const bool single_records_;
  Phase first_, second_;
  Incoming moved_;
  Counts setup_;
};

/// What a strategy that knows phases registers: makes the strategy itself (one phase), or TwoPhase around two of them.
template <class T, bool single_records = false>
struct OneOrTwoPhases {
  static std::unique_ptr<Strategy> make_one(comm::Communicator& c, const Partners& p, const Options& o) {
    return std::make_unique<T>(c, p, o);
  }
  static std::unique_ptr<Strategy> make(comm::Communicator& c, const Partners& p, const Options& o) {
    if (o.phases != 1 && o.phases != 2) throw BadParameter("phases", o.phases, "1 or 2");
    if (o.phases == 1) return make_one(c, p, o);
    return std::make_unique<TwoPhase>(c, p, o, &make_one, single_records);
  }
};

}  // namespace npl::exchange
